// SPDX-License-Identifier: GPL-2.0-only

#include "links.h"
#include "network/transport/transport-fixture.h"

#include "ns3/config.h"
#include "ns3/simulator.h"

namespace
{

/// A frame's header, a full segment, what a segment's headers take on a wire: bytes.
constexpr double FRAME = 48;
constexpr double SEGMENT = 1448;
constexpr double HEADER = 54;
constexpr double PACKET = SEGMENT + HEADER;
/// Of a point-to-point wire that stands for Ethernet: 38 bytes around 1500 instead of 2.
constexpr double ETHERNET = 1502.0 / 1538;

/** FlowTransport against closed forms: what one message takes, part by part. */
class FlowTransportTest : public TransportTest
{
  protected:
    /// Switch attributes off in what is joined next.
    static void SwitchOff(const std::vector<std::string>& names)
    {
        for (const auto& name : names)
        {
            Config::SetDefault("ns3::edgepipe::FlowTransport::" + name, BooleanValue(false));
        }
    }

    /// Send one message at 0 s from device 0. @return when it has arrived, s
    double GetSeconds(const NetworkOptions& options, uint64_t bytes, uint32_t to = 1)
    {
        TransportTest::TearDown();
        Join(options, to + 1);
        Send(0, to, bytes);
        Run();
        ExpectAllDelivered();
        return m_events[0].end.GetSeconds();
    }

    static double CountSegments(uint64_t payload)
    {
        return std::ceil((payload + FRAME) / SEGMENT);
    }

    /// @return what it takes on a wire, bytes
    static double GetWireBytes(uint64_t payload)
    {
        return payload + FRAME + HEADER * CountSegments(payload);
    }

    /// @return its last packet, bytes
    static double GetLastPacket(uint64_t payload)
    {
        return payload + FRAME - SEGMENT * (CountSegments(payload) - 1) + HEADER;
    }
};

/// Every end is rounded up to a nanosecond, as are delays.
constexpr double EXACT = 3e-9;

} // namespace

TEST_F(FlowTransportTest, WithEverythingOffAMessageTakesItsBytesOverTheRate)
{
    SwitchOff({"Headers", "Latency", "StoreAndForward", "StartUp", "Acknowledgements"});
    for (const uint64_t bytes : {1ULL, 1448ULL, 1000000ULL, 411041792ULL})
    {
        EXPECT_NEAR(GetSeconds(Wires("p2p", 8e6, 0.5), bytes), bytes / 1e6, EXACT);
        EXPECT_NEAR(GetSeconds(Wires("p2p", 8e6, 0.5), bytes, 4), bytes / 1e6, EXACT);
        EXPECT_NEAR(GetSeconds(Wires("lan", 8e6, 0.5), bytes), bytes / 1e6 / ETHERNET, EXACT);
    }
}

TEST_F(FlowTransportTest, HeadersAreThoseOfTheFrameAndOfEverySegment)
{
    SwitchOff({"Latency", "StoreAndForward", "StartUp", "Acknowledgements"});
    // From one segment to two, and a large one.
    for (const auto& [bytes, segments] :
         std::map<uint64_t, double>{{0, 1}, {1, 1}, {1400, 1}, {1401, 2}, {10000000, 6907}})
    {
        EXPECT_NEAR(GetSeconds(Wires("p2p", 8e6, 0.5), bytes),
                    (bytes + 48 + segments * 54) / 1e6,
                    EXACT)
            << bytes;
    }
    // Another segment size comes from another largest packet.
    NetworkOptions jumbo = Wires("p2p", 8e6, 0.5);
    jumbo.mtuBytes = 9000;
    EXPECT_NEAR(GetSeconds(jumbo, 10000000), (10000000 + 48 + 1118 * 54) / 1e6, EXACT);
}

TEST_F(FlowTransportTest, LatencyIsThatOfEveryWireOnTheWay)
{
    SwitchOff({"Headers", "StoreAndForward", "StartUp", "Acknowledgements"});
    EXPECT_NEAR(GetSeconds(Wires("p2p", 8e6, 0.5), 1000000), 1.5, EXACT);
    EXPECT_NEAR(GetSeconds(Wires("p2p", 8e6, 0.5), 1000000, 3), 2.5, EXACT);
    EXPECT_NEAR(GetSeconds(Wires("lan", 8e6 / ETHERNET, 0.5), 1000000), 2, EXACT);
}

TEST_F(FlowTransportTest, EveryHopAfterTheFirstStoresAndForwardsTheLargestPacket)
{
    SwitchOff({"Latency", "StartUp", "Acknowledgements"});
    for (const uint64_t bytes : {0, 1400, 1401, 100000})
    {
        // The last packet, be it small, comes behind the largest ones.
        const double most = bytes > 1400 ? PACKET / 1e6 : GetLastPacket(bytes) / 1e6;
        const double all = GetWireBytes(bytes) / 1e6;
        EXPECT_NEAR(GetSeconds(Wires("p2p", 8e6, 0.5), bytes), all, EXACT);
        EXPECT_NEAR(GetSeconds(Wires("p2p", 8e6, 0.5), bytes, 2), all + most, EXACT);
        EXPECT_NEAR(GetSeconds(Wires("p2p", 8e6, 0.5), bytes, 5), all + 4 * most, EXACT);
        EXPECT_NEAR(GetSeconds(Wires("lan", 8e6 / ETHERNET, 0.5), bytes), all + most, EXACT);
    }
}

TEST_F(FlowTransportTest, OnALanTheFirstMessageAlsoWaitsForTheHandshake)
{
    // Everything on. The window of 10 packets exceeds what a round trip of 104 us can hold.
    const double rate = 1e9 / 8 * ETHERNET;
    const double all = (GetWireBytes(1000000) + PACKET) / rate;
    Join(Wires("lan", 1e9, 20e-6), 2);
    Send(0, 1, 1000000);
    SendAt(Seconds(1), 0, 1, 1000000);
    SendAt(Seconds(1), 0, 1, 0);
    Run();
    ExpectAllDelivered();
    EXPECT_NEAR(m_events[0].start.GetSeconds(), 80e-6, EXACT);
    EXPECT_NEAR(m_events[0].end.GetSeconds(), 120e-6 + all, EXACT);
    EXPECT_NEAR(m_events[1].start.GetSeconds(), 1, EXACT);
    EXPECT_NEAR(m_events[1].end.GetSeconds(), 1 + 40e-6 + all, EXACT);
    // It starts when the one before has left the sender, and does not overtake it.
    EXPECT_NEAR(m_events[2].start.GetSeconds(), 1 + GetWireBytes(1000000) / rate, EXACT);
    EXPECT_GE(m_events[2].end, m_events[1].end);
}

TEST_F(FlowTransportTest, AMessageOnANewConnectionStartsUpAsWithPackets)
{
    // 12.5 MB/s and 20 ms hold 251 kB, which slow start reaches after five round trips.
    for (const uint64_t bytes : {0UL, 100UL, 20000UL, 300000UL, 1000000UL, 10000000UL})
    {
        NetworkOptions options = Wires("p2p", 1e8, 0.01);
        const double flow = GetSeconds(options, bytes);
        options.fidelity = "packet";
        EXPECT_NEAR(flow / GetSeconds(options, bytes), 1, 0.02) << bytes;
    }
}

TEST_F(FlowTransportTest, TheLongerAPauseTheSmallerTheWindowAsWithPackets)
{
    // 55 Mbit/s and 32 ms hold 220 kB, and a retransmission time-out is 260 ms.
    QueueBeforeWires();
    const auto measure = [this](const std::string& fidelity, double period, bool restarts) {
        Config::SetDefault("ns3::edgepipe::TensorTransport::SlowStartAfterIdle",
                           BooleanValue(restarts));
        NetworkOptions options = Wires("p2p", 5.5e7, 0.016);
        options.fidelity = fidelity;
        Join(options, 2);
        for (uint32_t i = 0; i < 5; ++i)
        {
            SendAt(Seconds(10 + i * period), 0, 1, 840000);
        }
        Run();
        const double seconds = m_events[4].end.GetSeconds() - 10 - 4 * period;
        TransportTest::TearDown();
        return seconds;
    };
    double shorter = measure("packet", 2.5, false) / 1.05;
    EXPECT_NEAR(measure("flow", 2.5, false), 1.05 * shorter, 0.001);
    for (const double period : {0.5, 0.85, 1.15, 2.5})
    {
        const double seconds = measure("packet", period, true);
        EXPECT_NEAR(measure("flow", period, true) / seconds, 1, 0.02) << period;
        EXPECT_GT(seconds, 1.04 * shorter) << period;
        shorter = seconds;
    }
}

TEST_F(FlowTransportTest, TheWindowHoldsAFlowAsItHoldsPackets)
{
    // 125 MB/s and 100 ms would hold 12.5 MB, and TCP's buffer is 1 MiB.
    double seconds[2][4];
    for (const bool isPacket : {false, true})
    {
        NetworkOptions options = Wires("p2p", 1e9, 0.05);
        options.fidelity = isPacket ? "packet" : "flow";
        KeepWindowsInPauses();
        Join(options, 2);
        Send(0, 1, 20000000);
        SendAt(Seconds(100), 0, 1, 20000000);
        SendAt(Seconds(200), 0, 1, 800000);
        SendAt(Seconds(200), 0, 1, 800000);
        Run();
        for (uint32_t i = 0; i < 4; ++i)
        {
            seconds[isPacket][i] = m_events[i].end.GetSeconds() - 100 * std::min(i, 2U);
        }
        TransportTest::TearDown();
    }
    for (uint32_t i = 0; i < 4; ++i)
    {
        EXPECT_NEAR(seconds[0][i] / seconds[1][i], 1, 0.03) << i;
    }
    // The first of two small ones fits into the window, the other waits for acknowledgements.
    EXPECT_LT(seconds[0][2], 0.06);
    EXPECT_GT(seconds[0][3], 0.1);
}

TEST_F(FlowTransportTest, WithoutStartUpThereIsNoHandshakeAndNoWindow)
{
    SwitchOff({"StartUp"});
    EXPECT_NEAR(GetSeconds(Wires("p2p", 1e9, 0.05), 100000000),
                GetWireBytes(100000000) / 125e6 + 0.05,
                EXACT);
}

TEST_F(FlowTransportTest, AcknowledgementsSlowTheOtherDirectionDown)
{
    for (const bool isOn : {true, false})
    {
        if (!isOn)
        {
            SwitchOff({"Acknowledgements"});
        }
        Join(Wires("p2p", 8e6, 0), 2);
        Send(0, 1, 1000000);
        Send(1, 0, 1000000);
        Run();
        // One acknowledgement of 54 bytes for every two packets of 1502.
        const double rate = isOn ? 1e6 * (1 - 54.0 / 3004) : 1e6;
        EXPECT_NEAR(m_events[0].end.GetSeconds(), GetWireBytes(1000000) / rate, EXACT);
        EXPECT_EQ(m_events[0].end, m_events[1].end);
        TransportTest::TearDown();
    }
}

TEST_F(FlowTransportTest, TwoSendersShareTheWireOfTheirReceiver)
{
    SwitchOff({"StoreAndForward", "Acknowledgements"});
    Join(Wires("lan", 8e6 / ETHERNET, 0), 3);
    Send(0, 2, 1000000);
    Send(1, 2, 500000);
    Run();
    ExpectAllDelivered();
    const double shorter = GetWireBytes(500000);
    EXPECT_NEAR(m_events[1].end.GetSeconds(), 2 * shorter / 1e6, EXACT);
    EXPECT_NEAR(m_events[0].end.GetSeconds(), (shorter + GetWireBytes(1000000)) / 1e6, EXACT);
}

TEST_F(FlowTransportTest, ABandwidthThatChangesChangesWhatIsUnderWay)
{
    SwitchOff({"Headers", "StoreAndForward", "StartUp"});
    NetworkOptions options = Wires("p2p", 8e6, 0.25);
    SetLaterRates(options, {{Seconds(1), 2e6}, {Seconds(3), 16e6}});
    // 1 MB, then 2 * 0.25 MB, then 1.5 MB at 2 MB/s.
    EXPECT_NEAR(GetSeconds(options, 3000000), 1 + 2 + 0.75 + 0.25, EXACT);
}

TEST_F(FlowTransportTest, CountersCountWhatTheWiresCarry)
{
    // Devices 0 to 2 on a chain: transmitters 0 -> 1, 1 -> 0, 1 -> 2, 2 -> 1.
    Join(Wires("p2p", 1e9, 1e-5), 3);
    Send(0, 2, 1000000);
    Send(1, 0, 5000);
    Run();
    ExpectAllDelivered();
    const auto& links = m_network.links;
    ASSERT_EQ(links.size(), 4U);
    // 691 segments have 346 acknowledgements, 4 by 2.
    EXPECT_EQ(links[0]->bytes, GetWireBytes(1000000) + 2 * 54);
    EXPECT_EQ(links[1]->bytes, GetWireBytes(5000) + 346 * 54);
    EXPECT_EQ(links[2]->bytes, GetWireBytes(1000000));
    EXPECT_EQ(links[3]->bytes, 346 * 54U);
}

TEST_F(FlowTransportTest, AMessageCostsAHandfulOfEventsWhateverItsSize)
{
    const auto count = [this](uint64_t bytes, uint32_t messages) {
        Join(Wires("lan", 1e9, 20e-6), 2);
        for (uint32_t i = 0; i < messages; ++i)
        {
            Send(0, 1, bytes);
        }
        const uint64_t before = Simulator::GetEventCount();
        Run();
        ExpectAllDelivered();
        const uint64_t events = Simulator::GetEventCount() - before;
        TransportTest::TearDown();
        return events;
    };
    EXPECT_EQ(count(100, 1), count(100000000000, 1));
    EXPECT_LE(count(1000000000, 1000), 3000U);
    EXPECT_LE(count(1000, 1000), 3000U);
}

TEST_F(FlowTransportTest, NothingGoesOnWhenAllHasArrived)
{
    Join(Wires("p2p", 1e8, 0.01), 2);
    Send(0, 1, 20000);
    Send(0, 1, 100);
    Run();
    // A round trip of TCP's window may still have to pass.
    EXPECT_LE(Simulator::Now(), m_events[1].end + MilliSeconds(21));
    EXPECT_TRUE(Simulator::IsFinished());
}

TEST(FlowTransportRoutes, AreReadAgainForControlMessagesAndKeepNothingAlive)
{
    auto network = CreateObject<FlowNetwork>();
    auto transport = CreateObject<FlowTransport>();
    const uint32_t link = network->AddLink(1e3);
    transport->SetAttribute("RoutePeriod", TimeValue(Seconds(1)));
    std::vector<std::pair<uint32_t, uint32_t>> asked;
    transport->SetUp(network, [&asked, link](uint32_t from, uint32_t to) {
        asked.emplace_back(from, to);
        FlowRoute route;
        route.uses = {{link, 1}};
        return route;
    });
    transport->Send({2, 1, 0, 0, 1000000, "", true});
    Simulator::Stop(Seconds(2.5));
    Simulator::Run();
    EXPECT_EQ(asked, (std::vector<std::pair<uint32_t, uint32_t>>(3, {2, 1})));
    transport->Dispose();
    Simulator::Destroy();
    EXPECT_EQ(network->GetReferenceCount(), 1U);
    EXPECT_EQ(transport->GetReferenceCount(), 1U);
}
