/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "transport-fixture.h"

#include "ns3/simulator.h"

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/** @return two or more devices on a fast switched network */
NetworkOptions
Lan()
{
    return NetworkOptions();
}

/** @return a slow wire, on which a megabyte takes 0.8 s */
NetworkOptions
SlowWire()
{
    NetworkOptions options;
    options.fidelity = "packet";
    options.link = "p2p";
    options.bandwidthBitsPerSecond = 1e7;
    return options;
}

} // namespace

TEST_F(TransportTest, MessagesOfEverySizeArriveWholeAndInOrderBetweenAllPairs)
{
    Join(Lan(), 3);
    for (const uint64_t bytes : {0, 1, 1399, 1400, 1401, 1447, 1448, 1449, 2896, 1000000, 0, 16})
    {
        for (uint32_t from = 0; from < 3; ++from)
        {
            for (uint32_t to = 0; to < 3; ++to)
            {
                Send(from, to, bytes);
            }
        }
    }
    Run();
    ExpectAllDelivered();
    EXPECT_EQ(m_sent.size(), 9U);
    EXPECT_EQ(GetBrokenConnections(), 0U);
}

TEST_F(TransportTest, BodiesArriveByteForByte)
{
    Join(Lan(), 2);
    uint32_t seed = 0;
    for (const std::size_t body : {1, 47, 1399, 1400, 1401, 1447, 1448, 1449, 5000, 100000})
    {
        for (const uint64_t tail : {0, 1, 1448, 30000})
        {
            Send(0, 1, body + tail, MakeBody(body, ++seed));
            Send(1, 0, body + tail, MakeBody(body, ++seed));
        }
    }
    Run();
    ExpectAllDelivered();
}

TEST_F(TransportTest, ABodyLargerThanTheBufferArrives)
{
    Join(Lan(), 2);
    Send(0, 1, 3000000, MakeBody(3000000, 1));
    Send(0, 1, 10, MakeBody(10, 2));
    Run();
    ExpectAllDelivered();
}

TEST_F(TransportTest, AMessageToItsOwnDeviceTakesNoTimeAndMovesNothing)
{
    Join(Lan(), 2);
    SendAt(Seconds(3), 1, 1, 1000000000, "hello");
    Run();
    ExpectAllDelivered();
    EXPECT_EQ(m_events[0].start, Seconds(3));
    EXPECT_EQ(m_events[0].end, Seconds(3));
    EXPECT_EQ(m_transport->GetLastProgress(), Seconds(3));
    EXPECT_EQ(m_network.links.at(0)->bytes, 0U);
}

TEST_F(TransportTest, EveryPortHasItsOwnReceiver)
{
    Join(Lan(), 2);
    std::vector<uint64_t> tags;
    m_transport->Listen(1, 8, Callback<void, const Message&>([&tags](const Message& message) {
                            tags.push_back(message.tag);
                        }));
    m_transport->Send({0, 1, 8, 100, 10, ""});
    m_transport->Send({0, 1, PORT, 200, 10, ""});
    m_transport->Send({0, 1, 8, 300, 10, ""});
    Run();
    EXPECT_EQ(tags, (std::vector<uint64_t>{100, 300}));
    ASSERT_EQ((m_arrived[{0, 1}].size()), 1U);
    EXPECT_EQ((m_arrived[{0, 1}][0].tag), 200U);
}

TEST_F(TransportTest, AReceiverMayAnswerAtOnce)
{
    Join(Lan(), 2);
    uint32_t rallies = 0;
    for (const uint32_t device : {0U, 1U})
    {
        m_transport->Listen(device, 8, Callback<void, const Message&>([&](const Message& m) {
                                if (++rallies < 100)
                                {
                                    m_transport->Send({m.to, m.from, 8, m.tag + 1, 3000, ""});
                                }
                            }));
    }
    m_transport->Send({0, 1, 8, 0, 3000, ""});
    Run();
    EXPECT_EQ(rallies, 100U);
    EXPECT_EQ(m_transport->GetDeliveredBytes(), 300000U);
}

TEST_F(TransportTest, PendingListsWhatIsUnderWay)
{
    Join(SlowWire(), 2);
    Send(0, 1, 1000000);
    Send(0, 1, 0);
    Send(1, 0, 2000000);
    const auto atOnce = m_transport->GetPending();
    ASSERT_EQ(atOnce.size(), 3U);
    EXPECT_EQ(atOnce[0].state, "TCP not connected");
    EXPECT_EQ(atOnce[0].deliveredBytes, 0U);

    Simulator::Schedule(Seconds(0.5), [this] {
        const auto pending = m_transport->GetPending();
        ASSERT_EQ(pending.size(), 3U);
        for (uint64_t id = 0; id < 3; ++id)
        {
            EXPECT_EQ(pending[id].id, id);
            EXPECT_EQ(pending[id].message.tag, id);
            EXPECT_EQ(pending[id].state, "TCP connected");
        }
        // 10 Mbit/s for 0.5 s is 625 kB, of which headers take some.
        EXPECT_NEAR(pending[0].deliveredBytes, 590000, 40000);
        EXPECT_EQ(pending[1].deliveredBytes, 0U);
        EXPECT_NEAR(pending[2].deliveredBytes, 590000, 40000);
        EXPECT_EQ(m_transport->GetDeliveredBytes(), 0U) << "no message is whole yet";
        EXPECT_NEAR(m_transport->GetLastProgress().GetSeconds(), 0.5, 0.01);
    });
    Simulator::Schedule(Seconds(1.2), [this] {
        const auto pending = m_transport->GetPending();
        ASSERT_EQ(pending.size(), 1U);
        EXPECT_EQ(pending[0].id, 2U);
    });
    Run();
    ExpectAllDelivered();
    EXPECT_NEAR(m_events[0].end.GetSeconds(), 0.85, 0.05);
    EXPECT_NEAR(m_events[2].end.GetSeconds(), 1.68, 0.08);
}

TEST_F(TransportTest, AMessageStartsWhenTheOnesBeforeItHaveLeftRoom)
{
    Join(SlowWire(), 2);
    Send(0, 1, 3000000);
    Send(0, 1, 3000000);
    Run();
    ExpectAllDelivered();
    // 2 MB of the first have left TCP's buffer of 1 MB before the second can enter it.
    EXPECT_LT(m_events[0].start, Seconds(0.1));
    EXPECT_GT(m_events[1].start, Seconds(1.5));
    EXPECT_LT(m_events[1].start, m_events[0].end);
}

TEST_F(TransportTest, ThousandsOfSmallMessagesKeepTheirOrder)
{
    Join(Lan(), 2);
    for (uint32_t i = 0; i < 5000; ++i)
    {
        Send(0, 1, i % 3 == 0 ? 16 : i % 200, i % 7 == 0 ? MakeBody(i % 3 == 0 ? 16 : 0, i) : "");
    }
    Run();
    ExpectAllDelivered();
}

TEST_F(TransportTest, DisposingMidTransferIsSafe)
{
    Join(SlowWire(), 2);
    Send(0, 1, 100000000);
    Simulator::Schedule(Seconds(1), [this] {
        m_transport->Dispose();
        m_transport = nullptr;
    });
    Simulator::Stop(Seconds(10));
    Run();
    EXPECT_TRUE(m_arrived.empty());
}
