// SPDX-License-Identifier: GPL-2.0-only

#include "inference-fixture.h"
#include "links.h"
#include "planner/two-way-cut/shipped-two-way-cut.h"

#include "ns3/edgepipe-two-way-cut-cost.h"

namespace
{

/// A frame below this, bytes, is too few packets for what a bandwidth says of it.
constexpr uint64_t FEW_PACKETS = 15000;

/// Of a whole packet on an Ethernet.
constexpr double PACKET_BITS = 8 * 1538;

/** A lone frame as simulated and as predicted. */
struct LoneFrame
{
    double simulatedSeconds; //!< from the camera to the result
    double predictedSeconds; //!< EvaluateTwoWayCut at the link's capacity and delay
    double heldSeconds;      //!< by what stands between links, both ways, if the server has a part
    bool isSplit;            //!< whether it has
};

LoneFrame
RunLoneFrame(const TwoWayCutProblem& problem, const InferenceOptions& options, uint64_t frame)
{
    CooperativeDevice device{"device", problem, {}};
    device.parameterBytes.Edit().resize(problem.layers.size(), 0);
    const auto result = RunCooperativeInference({device}, options, {});
    ExpectConserved(result);
    const auto& record = result.frames.at(frame);
    const auto& plan = result.plans.at(0);
    TwoWayCutProblem known = problem;
    known.uplinkBitsPerSecond = GetWireGoodput(options.network);
    known.downlinkBitsPerSecond = known.uplinkBitsPerSecond;
    const double hops = options.network.GetLinkName() == "lan" ? 2 : 1;
    known.delaySeconds = hops * GetDelay(options.network).GetSeconds();
    const double predicted = EvaluateTwoWayCut(known, plan.plan).latencySeconds;
    EXPECT_DOUBLE_EQ(plan.predictedSeconds, predicted);
    // It holds a message for one packet.
    const double oneWay = (hops - 1) * PACKET_BITS / GetRate(options.network);
    return {(record.finished - record.arrived).GetSeconds(),
            predicted,
            plan.uplinkBytes > 0 ? 2 * oneWay : 0,
            plan.uplinkBytes > 0};
}

} // namespace

TEST(InferenceLatency, OfALoneFrameIsAsPredicted)
{
    std::size_t compared = 0;
    std::size_t split = 0;
    for (const auto& cut : ReadShippedTwoWayCuts("raspberry-pi-4b"))
    {
        for (const char* planner : {"qdmp", "dads", "neurosurgeon", "edge-only", "cloud-only"})
        {
            if (std::string(planner) == "dads" && cut.problem.isolated.empty())
            {
                continue;
            }
            for (const double bandwidth : {0.13e6, 1.1e6, 5.85e6, 18.88e6, 100e6})
            {
                for (const char* link : {"lan", "p2p"})
                {
                    SCOPED_TRACE(cut.name + ' ' + planner + ' ' + link + ' ' +
                                 std::to_string(bandwidth));
                    InferenceOptions options = MakeInferenceOptions(bandwidth);
                    SetKind(options.network, link);
                    options.network.Set("Delay", TimeValue(MilliSeconds(1)));
                    options.planner = planner;
                    options.Set("FlowTransport::StartUp", false);
                    options.Set("InferenceDevice::Frames", 1);
                    options.Set("StallMonitor::Timeout", Seconds(1000));
                    const LoneFrame lone = RunLoneFrame(cut.problem, options, 0);
                    const double expected = lone.predictedSeconds + lone.heldSeconds;
                    if (cut.problem.inputBytes < FEW_PACKETS)
                    {
                        // Messages end in part packets.
                        EXPECT_NEAR(lone.simulatedSeconds, expected, 2 * PACKET_BITS / bandwidth);
                        continue;
                    }
                    EXPECT_NEAR(lone.simulatedSeconds, expected, 0.02 * expected);
                    split += lone.isSplit;
                    ++compared;
                }
            }
        }
    }
    EXPECT_GT(split, compared / 4);
}

TEST(InferenceLatency, OfALoneFrameAtPacketLevelIsThatOfFlowLevelWithStartUp)
{
    for (const auto& cut : ReadShippedTwoWayCuts("raspberry-pi-4b"))
    {
        if (cut.name.find("alexnet on") != 0 && cut.name.find("resnet18 on") != 0 &&
            cut.name.find("mobilenet_v2 on") != 0 && cut.name.find("googlenet on") != 0)
        {
            continue;
        }
        for (const double bandwidth : {1.1e6, 5.85e6, 18.88e6})
        {
            for (const char* link : {"lan", "p2p"})
            {
                SCOPED_TRACE(cut.name + ' ' + link + ' ' + std::to_string(bandwidth));
                InferenceOptions options = MakeInferenceOptions(bandwidth);
                SetKind(options.network, link);
                options.network.Set("Delay", TimeValue(MilliSeconds(1)));
                options.planner = "cloud-only";
                options.Set("InferenceDevice::Frames", 1);
                options.Set("StallMonitor::Timeout", Seconds(1000));
                const LoneFrame flow = RunLoneFrame(cut.problem, options, 0);
                options.network.fidelity = "packet";
                const LoneFrame packet = RunLoneFrame(cut.problem, options, 0);
                EXPECT_NEAR(packet.simulatedSeconds,
                            flow.simulatedSeconds,
                            0.05 * flow.simulatedSeconds);
            }
        }
    }
}
