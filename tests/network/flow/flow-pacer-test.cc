// SPDX-License-Identifier: GPL-2.0-only

#include "links.h"
#include "network/transport/transport-fixture.h"

#include "ns3/config.h"
#include "ns3/simulator.h"

namespace
{

/** What connections before the same wires do to each other, in flows as in packets. */
class FlowPacerTest : public TransportTest
{
  protected:
    /// When it is sent (s), from, to and payload (bytes).
    using Sent = std::tuple<double, uint32_t, uint32_t, uint64_t>;

    /// @return when each had arrived, s after it was sent
    std::vector<double> Measure(const std::string& fidelity,
                                NetworkOptions options,
                                uint32_t devices,
                                const std::vector<Sent>& sent)
    {
        options.fidelity = fidelity;
        Join(options, devices);
        for (const auto& [at, from, to, bytes] : sent)
        {
            SendAt(Seconds(at), from, to, bytes);
        }
        Run();
        ExpectAllDelivered();
        std::vector<double> seconds;
        for (std::size_t i = 0; i < sent.size(); ++i)
        {
            seconds.push_back(m_events[i].end.GetSeconds() - std::get<0>(sent[i]));
        }
        TransportTest::TearDown();
        return seconds;
    }
};

/// Of 8 Mbit/s: payload and headers of a message of 100 kB, s.
constexpr double HUNDRED_KB = 0.1038;

} // namespace

TEST_F(FlowPacerTest, ASmallLastPacketOvertakesNoneOnALongWay)
{
    const std::vector<Sent> sent{{0, 0, 5, 2048}, {10, 0, 5, 2048}, {20, 0, 5, 1448}};
    const auto flow = Measure("flow", Wires("p2p", 8e6, 0.001), 6, sent);
    const auto packet = Measure("packet", Wires("p2p", 8e6, 0.001), 6, sent);
    EXPECT_NEAR(flow[1], packet[1], 0.001 * packet[1]);
    EXPECT_NEAR(flow[2], packet[2], 0.001 * packet[2]);
}

TEST_F(FlowPacerTest, SendersThatStartTogetherKeepTheirReceiversWireBusy)
{
    const std::vector<Sent> sent{{0, 0, 3, 1000000},
                                 {10, 1, 3, 1000000},
                                 {20, 2, 3, 1000000},
                                 {30, 0, 3, 100000},
                                 {30, 1, 3, 100000},
                                 {30, 2, 3, 100000}};
    for (const auto& fidelity : {"flow", "packet"})
    {
        const auto seconds = Measure(fidelity, Wires("lan", 8e6, 0.0001), 4, sent);
        const double last = *std::max_element(seconds.begin() + 3, seconds.end());
        EXPECT_NEAR(last, 3 * HUNDRED_KB * 1.025, 0.01) << fidelity;
    }
}

TEST_F(FlowPacerTest, BothDirectionsAtOnceLeaveAPathLongerThanTheWindowIdle)
{
    // One way a window of 1 MB leaves in every round trip of 18 ms. Both ways its acknowledgements
    // wait until the other's 16 ms of data have gone.
    QueueBeforeWires();
    const std::vector<Sent> sent{{0, 0, 1, 10000000}, {0, 1, 0, 10000000}};
    const double flow = Measure("flow", Wires("lan", 547e6, 0.00446), 2, sent)[1];
    const double packet = Measure("packet", Wires("lan", 547e6, 0.00446), 2, sent)[1];
    EXPECT_NEAR(flow / packet, 1, 0.05);
}

TEST_F(FlowPacerTest, InARingSomeWindowsAreSmallerButNobodyStarves)
{
    // Steps of a ring: data and acknowledgements of different connections meet on every wire. Which
    // of them gets the smaller window, and whether one does, is a matter of microseconds.
    std::vector<Sent> sent;
    for (uint32_t step = 0; step < 4; ++step)
    {
        for (uint32_t device = 0; device < 3; ++device)
        {
            sent.emplace_back(4 * step + 0.001 * device, device, (device + 1) % 3, 1500000);
        }
    }
    const double wireBytes = 1500000 + 48 + 54 * std::ceil(1500048 / 1448.0);
    const double even = wireBytes / (6.72e6 / 8 * 1502 / 1538 * (1 - 54.0 / 3004));
    for (const auto& fidelity : {"flow", "packet"})
    {
        for (const double seconds : Measure(fidelity, Wires("lan", 6.72e6, 0.00064), 3, sent))
        {
            EXPECT_GT(seconds, 0.98 * even) << fidelity;
            EXPECT_LT(seconds, 1.5 * even) << fidelity;
        }
    }
}

TEST_F(FlowPacerTest, AcknowledgementsWaitForWhatAHostHasQueued)
{
    // The window of the bulk transfer fills its path and the host's queue, before which the
    // acknowledgements of a new connection's first windows wait.
    for (const double delay : {0.0005, 0.00125, 0.0025})
    {
        const std::vector<Sent> sent{{0, 0, 1, 60000000}, {0.5, 2, 0, 100000}};
        const double flow = Measure("flow", Wires("p2p", 436e6, delay), 3, sent)[1];
        const double packet = Measure("packet", Wires("p2p", 436e6, delay), 3, sent)[1];
        EXPECT_NEAR(flow / packet, 1, 0.15) << delay;
    }
}

TEST_F(FlowPacerTest, APauseHalvesWhatTwoRoundTripsHadInFlight)
{
    std::vector<Sent> sent;
    double at = 0;
    // One time-out is over in the shorter pauses, two in the longer ones.
    for (const double pause : {0.46, 0.37, 0.4, 0.48, 0.44, 0.45, 0.45, 0.38, 0.54, 0.47})
    {
        sent.emplace_back(at += pause, 0, 1, 112896);
    }
    const auto flow = Measure("flow", Wires("lan", 744e6, 0.00056), 2, sent);
    const auto packet = Measure("packet", Wires("lan", 744e6, 0.00056), 2, sent);
    for (std::size_t i = 4; i < sent.size(); ++i)
    {
        EXPECT_NEAR(flow[i] / packet[i], 1, 0.05) << i;
    }
}

TEST_F(FlowPacerTest, OnALongWayTooAllThatAWindowAllowsIsQueuedAtOnce)
{
    const std::vector<Sent> sent{{0, 0, 1, 300000},
                                 {20, 0, 2, 300000},
                                 {40, 0, 1, 9216},
                                 {40, 0, 2, 43264},
                                 {50, 0, 1, 40000},
                                 {50.14, 0, 2, 20000}};
    KeepWindowsInPauses();
    QueueBeforeWires();
    // Of 1.1 Mbit/s; the two wires' delays, and the switch stores a packet.
    const auto expected = [](double bytes) {
        return (bytes * 1.038 + 1502) * 1.025 * 8 / 1.1e6 + 0.048;
    };
    for (const auto& fidelity : {"flow", "packet"})
    {
        const auto seconds = Measure(fidelity, Wires("lan", 1.1e6, 0.024), 3, sent);
        EXPECT_NEAR(seconds[2], expected(9216), 0.005) << fidelity;
        EXPECT_NEAR(seconds[3], expected(9216 + 43264), 0.005) << fidelity;
        EXPECT_NEAR(seconds[4], expected(40000), 0.005) << fidelity;
        EXPECT_NEAR(seconds[5], expected(60000) - 0.14, 0.005) << fidelity;
    }
}

TEST_F(FlowPacerTest, AQueueServesInOrderAndFlowsShare)
{
    // Limits that the manual states: what flows take of packets' time.
    QueueBeforeWires();
    const auto ratio = [this](const NetworkOptions& options,
                              uint32_t devices,
                              const std::vector<Sent>& sent,
                              std::size_t which) {
        return Measure("flow", options, devices, sent)[which] /
               Measure("packet", options, devices, sent)[which];
    };
    // No limit: a handshake behind another device's data.
    const std::vector<Sent> handshake{{0, 1, 2, 2000000}, {1, 0, 2, 100}};
    EXPECT_NEAR(ratio(Wires("p2p", 8e6, 0.001), 3, handshake, 1), 1, 0.03);
    KeepWindowsInPauses();
    // The second of three messages, each within its window, that were sent a millisecond apart.
    const std::vector<Sent> row{{0, 0, 1, 1000000},
                                {10, 0, 2, 1000000},
                                {20, 0, 3, 1000000},
                                {30, 0, 1, 40000},
                                {30.001, 0, 2, 20000},
                                {30.002, 0, 3, 20000}};
    EXPECT_NEAR(ratio(Wires("lan", 8e6, 0.0001), 4, row, 4), 1.33, 0.03);
    // The earlier of two that send towards each other: the later one's window is no larger.
    const std::vector<Sent> towards{{0, 0, 1, 2190000}, {0.01, 1, 0, 2190000}};
    EXPECT_NEAR(ratio(Wires("p2p", 26.2e6, 30e-6), 2, towards, 0), 0.59, 0.03);
}

TEST_F(FlowPacerTest, WhatBeginsWhileWiresAreSlowIsHeldNoLongerThanTheyAre)
{
    // At 2 s the wires fall to 200 kbit/s until 4 s. What begins then lies behind data of half a
    // minute at that rate, or waits that long for acknowledgements.
    QueueBeforeWires();
    const std::vector<Sent> before{{0, 0, 1, 1000000},
                                   {0.5, 1, 0, 1000000},
                                   {1, 0, 2, 1000000},
                                   {1.9, 0, 1, 3000000}};
    const Sent beside{2.5, 0, 2, 20000};
    const Sent back{2.5, 1, 0, 1000000};
    for (const char* link : {"lan", "p2p"})
    {
        for (const Sent& one : {beside, back})
        {
            NetworkOptions options = Wires(link, 1e8, 0.001);
            SetLaterRates(options, {{Seconds(2), 2e5}, {Seconds(4), 1e8}});
            auto sent = before;
            sent.push_back(one);
            const double flow = Measure("flow", options, 3, sent).back();
            const double packet = Measure("packet", options, 3, sent).back();
            EXPECT_NEAR(flow, packet, 0.1 * packet) << link;
        }
    }
}

TEST_F(FlowPacerTest, WindowsOfALargeCrowdCostNoMoreEventsThanThoseOfASmallerOne)
{
    // One host sends to all. Its share of the wire lets a connection send a packet in far longer
    // than a round trip of the idle path.
    const auto count = [this](uint32_t receivers) {
        Join(Wires("lan", 10e9, 1e-5), receivers + 1);
        for (uint32_t i = 1; i <= receivers; ++i)
        {
            SendAt(Seconds(0), 0, i, 200000);
        }
        Run();
        const uint64_t events = Simulator::GetEventCount();
        TransportTest::TearDown();
        return static_cast<double>(events) / receivers;
    };
    EXPECT_LT(count(400), 1.1 * count(100));
}
