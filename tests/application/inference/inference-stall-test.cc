// SPDX-License-Identifier: GPL-2.0-only

#include "inference-fixture.h"

namespace
{

/** @return 10 frames of which each takes about half a second */
CooperativeDevice
MakeSlowDevice()
{
    return MakeChainDevice("camera", 100000, {{0.05, 9, 300000, 1}, {9, 0.05, 400, 1}});
}

} // namespace

TEST(InferenceStall, ACutLinkIsNamedWhateverTheMonitorSends)
{
    GivenCutPlanner::decide = [](const auto&) { return 1; };
    for (const char* fidelity : {"flow", "packet"})
    {
        for (const char* monitor : {"oracle", "probe", "passive"})
        {
            for (const double cut : {0.0, 2.2})
            {
                SCOPED_TRACE(testing::Message() << fidelity << ' ' << monitor << ' ' << cut);
                InferenceOptions options = MakeInferenceOptions(6e6);
                options.network.fidelity = fidelity;
                options.network.cutDevice = "camera";
                options.network.cutTime = Seconds(cut);
                options.monitor = monitor;
                options.Set("InferenceDevice::Frames", 10);
                const auto result = RunCooperativeInference({MakeSlowDevice()}, options, {});
                EXPECT_FALSE(result.isFinished);
                ExpectDiagnosis(
                    result,
                    {cut == 0
                         ? "camera: waits for the server to answer its first plan\n"
                         : "camera: frame [0-9] waits for 1 of 1 tensors to reach the server\n",
                     cut == 0
                         ? "camera -> server: plan, 0 of 13 bytes"
                         : "camera -> server: tensor of layer 0, frame [0-9], [0-9]+ of 300000"});
                EXPECT_LE(result.end, Seconds(cut + 0.5) + Seconds(10));
            }
        }
    }
}

TEST(InferenceStall, ProbesAreNoProgress)
{
    GivenCutPlanner::decide = [](const auto&) { return 1; };
    const std::string load = testing::TempDir() + "edgepipe-no-share.csv";
    std::ofstream(load) << "seconds,share\n0,1\n1.01,0\n1000,0\n";
    for (const bool isServer : {false, true})
    {
        for (const char* monitor : {"oracle", "probe", "passive"})
        {
            SCOPED_TRACE(testing::Message() << isServer << ' ' << monitor);
            CooperativeDevice device = MakeSlowDevice();
            InferenceOptions options = MakeInferenceOptions(6e6);
            options.loads = {{isServer ? "server" : device.name, load, {}}};
            options.load.end = "hold";
            options.monitor = monitor;
            options.Set("InferenceDevice::Frames", 10);
            const auto result = RunCooperativeInference({device}, options, {});
            EXPECT_FALSE(result.isFinished);
            ExpectDiagnosis(result,
                            {"a task waits, the available share is 0",
                             isServer ? "waits for the server's result"
                                      : "waits for the device to compute its part"});
            EXPECT_LE(result.end, Seconds(2) + 2 * Seconds(10));
        }
    }
}
