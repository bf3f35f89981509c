// SPDX-License-Identifier: GPL-2.0-only

#include "links.h"
#include "network/transport/transport-fixture.h"

#include "ns3/channel.h"

namespace
{

/** A network on which connections are broken on purpose. */
class BrokenConnectionTest : public TransportTest
{
  protected:
    /// Long enough for TCP's 15 doublings of its time-out, of which a minute is the largest.
    static constexpr double OUTAGE_SECONDS = 1500;

    /** Two devices on a wire, and a stream of messages with content in both directions. */
    void SetUp() override
    {
        NetworkOptions options;
        options.fidelity = "packet";
        options.SetLink("p2p");
        SetRate(options, 1e7);
        Join(options, 2);
        for (uint32_t i = 0; i < 20; ++i)
        {
            const std::size_t body = i % 4 == 0 ? 5000 : i % 4;
            SendAt(Seconds(0.1 * i), 0, 1, 100000, MakeBody(body, i));
            SendAt(Seconds(0.1 * i), 1, 0, 50000 * (i % 2), MakeBody(i % 2, i));
        }
    }
};

} // namespace

TEST_F(BrokenConnectionTest, NothingIsLostDoubledOrReorderedWhenTcpGivesUp)
{
    LoseAll(0, Seconds(1), Seconds(1 + OUTAGE_SECONDS));
    LoseAll(1, Seconds(1), Seconds(1 + OUTAGE_SECONDS));
    Simulator::Schedule(Seconds(OUTAGE_SECONDS), [this] {
        EXPECT_GE(GetBrokenConnections(), 2U);
        const auto pending = m_transport->GetPending();
        ASSERT_GE(pending.size(), 10U);
        EXPECT_NE(pending[0].state.find("after: "), std::string::npos) << pending[0].state;
        EXPECT_NE(pending[0].state.find("TCP not connected"), std::string::npos);
    });
    SendAt(Seconds(500), 0, 1, 77, "sent while nothing got through");
    Run();
    ExpectAllDelivered();
    EXPECT_GT(Simulator::Now(), Seconds(OUTAGE_SECONDS));
}

TEST_F(BrokenConnectionTest, AProbeRepairsALostTail)
{
    // Of four segments the last; a time-out is 200 ms or more. Pairs before it keep the measured
    // round trip short.
    for (uint32_t i = 0; i < 40; ++i)
    {
        SendAt(Seconds(40 + 0.1 * i), 0, 1, 2000);
    }
    SendAt(Seconds(50), 0, 1, 5000);
    LoseAll(1, Seconds(50.0038), Seconds(50.0045));
    Run();
    ExpectAllDelivered();
    const Time end = m_events.rbegin()->second.end;
    EXPECT_GT(end, Seconds(50.0045));
    EXPECT_LT(end, Seconds(50.05));
}

TEST_F(BrokenConnectionTest, NothingIsDoubledWhenOnlyAcknowledgementsAreLost)
{
    // What device 0 sent has arrived; it cannot know, gives up and sends on a new connection.
    LoseAll(0, Seconds(1.04), Seconds(1 + OUTAGE_SECONDS));
    Run();
    ExpectAllDelivered();
    EXPECT_GE(GetBrokenConnections(), 1U);
}

TEST_F(BrokenConnectionTest, AConnectionThatCannotBeOpenedIsTriedAgain)
{
    LoseAll(1, Seconds(0), Seconds(OUTAGE_SECONDS));
    Simulator::Schedule(Seconds(OUTAGE_SECONDS - 1), [this] {
        EXPECT_GE(GetBrokenConnections(), 2U);
        EXPECT_NE(m_transport->GetPending().at(0).state.find("connection refused"),
                  std::string::npos);
    });
    Run();
    ExpectAllDelivered();
}

TEST_F(BrokenConnectionTest, WhatArrivesLateOnALostConnectionIsIgnored)
{
    // Packets sent from second 1 on take longer than TCP's patience, and arrive after all.
    const Ptr<Node> node = m_network.devices.Get(0);
    const auto setDelayAt = [node](double seconds, const Time& delay) {
        Simulator::Schedule(Seconds(seconds), [node, delay] {
            node->GetDevice(node->GetNDevices() - 1)
                ->GetChannel()
                ->SetAttribute("Delay", TimeValue(delay));
        });
    };
    setDelayAt(1, Seconds(2 * OUTAGE_SECONDS));
    setDelayAt(OUTAGE_SECONDS, MicroSeconds(20));
    SendAt(Seconds(2 * OUTAGE_SECONDS), 0, 1, 3000000, MakeBody(3000, 98));
    Run();
    ExpectAllDelivered();
    EXPECT_GE(GetBrokenConnections(), 2U);
    EXPECT_GT(Simulator::Now(), Seconds(2 * OUTAGE_SECONDS));
}

TEST_F(BrokenConnectionTest, OutagesMayBeginAtAnyMoment)
{
    // An odd step, so that outages fall into headers, bodies, payloads and pauses.
    for (uint32_t i = 0; i < 12; ++i)
    {
        SCOPED_TRACE(i);
        const Time begin = Seconds(0.01 + 0.1537 * i);
        LoseAll(i % 2, begin, begin + Seconds(OUTAGE_SECONDS));
        Run();
        ExpectAllDelivered();
        EXPECT_GE(GetBrokenConnections(), 1U);
        TearDown();
        SetUp();
    }
}

TEST_F(BrokenConnectionTest, OneOutageMayFollowAnother)
{
    for (uint32_t i = 0; i < 4; ++i)
    {
        const Time begin = Seconds(0.3 + i * (OUTAGE_SECONDS + 61.3));
        LoseAll(1, begin, begin + Seconds(OUTAGE_SECONDS));
    }
    SendAt(Seconds(2 * OUTAGE_SECONDS), 0, 1, 40000000, MakeBody(100000, 99));
    Run();
    ExpectAllDelivered();
}

TEST_F(TransportTest, RandomLossDelaysButLosesNothing)
{
    for (const double loss : {0.01, 0.05, 0.19})
    {
        for (uint32_t seed = 1; seed <= 4; ++seed)
        {
            SCOPED_TRACE(testing::Message() << "loss " << loss << " run " << seed);
            RngSeedManager::SetRun(seed);
            NetworkOptions options;
            options.fidelity = "packet";
            options.SetLink(seed % 2 ? "lan" : "p2p");
            SetRate(options, 1e8);
            options.lossRate = loss;
            Join(options, 3);
            for (uint32_t i = 0; i < 12; ++i)
            {
                Send(i % 3, (i + 1) % 3, 1000 + 30000 * i, MakeBody(1000, i));
                Send((i + 1) % 3, i % 3, i);
            }
            Run();
            ExpectAllDelivered();
            TearDown();
        }
    }
    RngSeedManager::SetRun(1);
}

TEST_F(TransportTest, TransfersEndThroughHeavyLoss)
{
    // Around a ring of devices, each message after the one before it. Linux ends all of 60 such
    // transfers through a path that loses 19 % each way, the slowest after 10.9 s.
    constexpr uint32_t MESSAGES = 60;
    for (const double loss : {0.02, 0.1, 0.19})
    {
        for (uint32_t devices = 2; devices <= 4; ++devices)
        {
            SCOPED_TRACE(testing::Message() << "loss " << loss << ", " << devices << " devices");
            RngSeedManager::SetRun(devices);
            NetworkOptions options;
            options.fidelity = "packet";
            options.SetLink(devices == 4 ? "lan" : "p2p");
            SetRate(options, 1e9);
            options.lossRate = devices == 2 ? loss : loss / 2; // of at most two wires
            Join(options, devices);
            Connect(m_transport, "TransferEnd", [=](uint64_t id, const Message& message) {
                if (id + 1 < MESSAGES)
                {
                    Send(message.to, (message.to + 1) % devices, 36864);
                }
            });
            Send(0, 1, 36864);
            Run();
            ExpectAllDelivered();
            EXPECT_EQ(m_events.size(), MESSAGES);
            EXPECT_LT(Simulator::Now(), MESSAGES * Seconds(10.9));
            TearDown();
        }
    }
    RngSeedManager::SetRun(1);
}

TEST_F(TransportTest, LossDelaysAsMuchAsInAKernel)
{
    // Seconds from a message to its answer of 100 bytes, one after the other: Linux 6.18 with CUBIC
    // through a relay of 100 Mbit/s and 1,000 packets that delays and drops at random, both ways;
    // means of 200, 100 and 15 messages, twice, whose standard errors are 2 to 5 %.
    const struct
    {
        double delaySeconds;
        double loss;
        uint64_t bytes;
        uint32_t messages;
        double kernelSeconds;
    } rows[] = {
        {0.005, 0.01, 2000000, 30, 1.366},
        {0.005, 0.03, 2000000, 15, 3.02},
        {0.020, 0.005, 15000, 300, 0.0567},
        {0.020, 0.01, 150000, 300, 0.397},
        {0.020, 0.01, 2000000, 15, 5.06},
        {0.020, 0.03, 2000000, 15, 10.43},
        {0.040, 0.005, 150000, 150, 0.542},
    };

    for (const auto& row : rows)
    {
        SCOPED_TRACE(testing::Message()
                     << row.delaySeconds << " s, " << row.loss << ", " << row.bytes << " bytes");
        NetworkOptions options;
        options.fidelity = "packet";
        options.SetLink("p2p");
        SetRate(options, 1e8);
        options.Set("Delay", TimeValue(Seconds(row.delaySeconds)));
        options.lossRate = row.loss;
        Join(options, 2);
        uint32_t left = row.messages;
        Connect(m_transport, "TransferEnd", [&](uint64_t, const Message& message) {
            if (message.from == 0)
            {
                Send(1, 0, 52);
            }
            else if (--left > 0)
            {
                Send(0, 1, row.bytes);
            }
        });
        Send(0, 1, row.bytes);
        Run();
        const double seconds = Simulator::Now().GetSeconds() / row.messages;
        EXPECT_NEAR(seconds, row.kernelSeconds, 0.15 * row.kernelSeconds);
        TearDown();
    }
}
