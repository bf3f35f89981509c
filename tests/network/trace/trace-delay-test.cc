// SPDX-License-Identifier: GPL-2.0-only

// A link that replays a recording with delays has them, message by message, at either fidelity.

#include "links.h"
#include "test.h"

namespace
{

/// Payload of a message, bytes: one packet of 1100 bytes, which takes 1.1 ms.
constexpr uint64_t BYTES = 1000;
constexpr double SENDING = 0.0011;

/** Messages over a link of 8 Mbit/s whose delay is recorded. */
class TraceDelayTest : public ::testing::TestWithParam<std::string>
{
  protected:
    /**
     * @param text of the recording
     * @param columns what its columns hold
     * @param isUp whether the device sends
     * @param times when messages are sent, s; the first one also connects
     * @return how long each takes, s
     */
    std::vector<double> Send(const std::string& text,
                             const std::string& columns,
                             bool isUp,
                             const std::vector<double>& times)
    {
        NetworkOptions options;
        options.fidelity = GetParam();
        options.SetLink("trace");
        options.Set("Trace", StringValue(m_folder.Write("trace", text)));
        options.Set("TraceColumns", StringValue(columns));
        options.wiredDevices = {"server"};
        options.backhaulBitsPerSecond = 1e11;
        options.backhaulDelay = Time();
        options.mtuBytes = 1500;
        const Network network = NetworkHelper(options, {"device", "server"}).Build({0, 1});
        const auto transport = network.transport;
        const uint32_t from = network.devices.Get(isUp ? 0 : 1)->GetId();
        const uint32_t to = network.devices.Get(isUp ? 1 : 0)->GetId();
        transport->Listen(network.devices.Get(isUp ? 1 : 0),
                          0,
                          Callback<void, const Message&>([](const Message&) {}));
        std::vector<double> taken;
        Connect(transport, "TransferEnd", [&](uint64_t, const Message&) {
            taken.push_back(Simulator::Now().GetSeconds() - times.at(taken.size()));
        });
        for (const double time : times)
        {
            Simulator::Schedule(Seconds(time), [transport, from, to] {
                transport->Send({from, to, 0, 0, BYTES, ""});
            });
        }
        Simulator::Stop(Seconds(times.back() + 5));
        Simulator::Run();
        transport->Dispose();
        Simulator::Destroy();
        return taken;
    }

    TemporaryFolder m_folder; //!< for the recording
};

/// 10 ms, from 5 s on 100 ms, from 8 s on 10 ms again
const std::string STEPS = "0 8 10\n5 8 100\n8 8 10\n9 8 10\n";
const std::string LATENCY = "start:s,rate:Mbps,latency:ms";

} // namespace

TEST_P(TraceDelayTest, IsThatOfTheTimeAtWhichAPacketIsSent)
{
    for (const bool isUp : {true, false})
    {
        const auto taken = Send(STEPS, LATENCY, isUp, {1, 4.9, 5.1, 7, 8.5});
        ASSERT_EQ(taken.size(), 5U);
        EXPECT_NEAR(taken[1], SENDING + 0.01, 1e-5);
        EXPECT_NEAR(taken[2], SENDING + 0.1, 1e-5);
        EXPECT_NEAR(taken[3], SENDING + 0.1, 1e-5);
        EXPECT_NEAR(taken[4], SENDING + 0.01, 1e-5);
    }
}

TEST_P(TraceDelayTest, IsHalfOfARoundTripAndHoldsWhereARowLacksIt)
{
    const std::string rows = "start,rate,rtt\n0,8,-\n2,8,20\n5,8,200\n6,8,\n20,8,20\n";
    const auto taken = Send(rows, "start=start:s,rate=rate:Mbps,rtt=rtt:ms", true, {1, 4, 5.5, 7});
    ASSERT_EQ(taken.size(), 4U);
    EXPECT_NEAR(taken[1], SENDING + 0.01, 1e-5);
    EXPECT_NEAR(taken[2], SENDING + 0.1, 1e-5);
    EXPECT_NEAR(taken[3], SENDING + 0.1, 1e-5);
}

TEST_P(TraceDelayTest, LetsNoPacketOvertakeAnother)
{
    const auto taken = Send(STEPS, LATENCY, true, {1, 7.99, 8.01});
    ASSERT_EQ(taken.size(), 3U);
    EXPECT_NEAR(7.99 + taken[1], 7.99 + SENDING + 0.1, 1e-5);
    EXPECT_NEAR(8.01 + taken[2], 7.99 + SENDING + 0.1, 1e-5);
}

TEST_P(TraceDelayTest, IsRecordedBySabreAsARoundTrip)
{
    const std::string rows = "[{\"duration_ms\": 5000, \"bandwidth_kbps\": 8000, "
                             "\"latency_ms\": 20}, {\"duration_ms\": 5000, "
                             "\"bandwidth_kbps\": 8000, \"latency_ms\": 200}]";
    const auto taken = Send(rows, "", false, {1, 4, 6, 14});
    ASSERT_EQ(taken.size(), 4U);
    EXPECT_NEAR(taken[1], SENDING + 0.01, 1e-5);
    EXPECT_NEAR(taken[2], SENDING + 0.1, 1e-5);
    EXPECT_NEAR(taken[3], SENDING + 0.01, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Fidelities, TraceDelayTest, ::testing::Values("packet", "flow"));
