// SPDX-License-Identifier: GPL-2.0-only

// A download behind a thin uplink goes no faster than the uplink carries its acknowledgements.

#include "links.h"
#include "test.h"

namespace
{

/// An acknowledgement of 52 bytes for two segments of 1448.
constexpr double PAYLOAD_PER_ACKNOWLEDGED_BYTE = 2 * 1448 / 52.;

/** A device on bearers downloads from a wired server. */
class AcknowledgementLimitTest : public ::testing::TestWithParam<std::string>
{
  protected:
    /**
     * @param uplinkBitsPerSecond of the device; its downlink has 20 Mbit/s
     * @param bytes of the download
     * @return how long it takes after a first small one that connects, s
     */
    double Download(double uplinkBitsPerSecond, uint64_t bytes)
    {
        NetworkOptions options;
        options.fidelity = GetParam();
        options.SetLink("4g");
        SetRate(options, uplinkBitsPerSecond);
        options.Set("DownlinkBandwidth", RateStepsValue(20e6));
        options.Set("Delay", TimeValue(MilliSeconds(5)));
        options.Set("Jitter", TimeValue(Time()));
        options.sendBufferBytes =
            131072; // so that what is sent ahead of acknowledgements is bounded
        options.wiredDevices = {"server"};
        const Network network = NetworkHelper(options, {"device", "server"}).Build({0, 1});
        const auto transport = network.transport;
        const uint32_t from = network.devices.Get(1)->GetId();
        const uint32_t to = network.devices.Get(0)->GetId();
        transport->Listen(network.devices.Get(0),
                          0,
                          Callback<void, const Message&>([](const Message&) {}));
        double ended = 0;
        Connect(transport, "TransferEnd", [&](uint64_t, const Message&) {
            ended = Simulator::Now().GetSeconds();
        });
        for (const auto& [second, size] : {std::pair(1, uint64_t{1}), std::pair(5, bytes)})
        {
            Simulator::Schedule(Seconds(second), [=, size = size] {
                transport->Send({from, to, 0, 0, size, ""});
            });
        }
        Simulator::Stop(Seconds(100));
        Simulator::Run();
        transport->Dispose();
        Simulator::Destroy();
        return ended - 5;
    }
};

} // namespace

TEST_P(AcknowledgementLimitTest, IsTheUplinksRateOverTheirShare)
{
    constexpr uint64_t BYTES = 4'000'000;
    for (const double uplink : {64e3, 200e3})
    {
        // The last window arrives without waiting for acknowledgements.
        const double taken = Download(uplink, 3 * BYTES) - Download(uplink, BYTES);
        const double seconds = 2 * BYTES / (uplink / 8 * PAYLOAD_PER_ACKNOWLEDGED_BYTE);
        EXPECT_NEAR(taken / seconds, 1, 0.03) << uplink;
    }
    const double seconds = 8 * BYTES / (20e6 * 1448 / 1500);
    EXPECT_NEAR(Download(2e6, BYTES) / seconds, 1, 0.03);
}

INSTANTIATE_TEST_SUITE_P(Fidelities, AcknowledgementLimitTest, ::testing::Values("packet", "flow"));
