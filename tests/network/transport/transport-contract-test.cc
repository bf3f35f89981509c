// SPDX-License-Identifier: GPL-2.0-only

#include "links.h"
#include "transport-fixture.h"

namespace
{

/** What every transport promises, at a fidelity. */
class TransportContract : public TransportTest, public ::testing::WithParamInterface<const char*>
{
  protected:
    /** @return two or more devices on a fast switched network */
    NetworkOptions Lan() const
    {
        NetworkOptions options;
        options.fidelity = GetParam();
        return options;
    }

    /** @return a slow wire, on which a megabyte takes 0.8 s */
    NetworkOptions SlowWire() const
    {
        NetworkOptions options = Lan();
        options.SetLink("p2p");
        SetRate(options, 1e7);
        return options;
    }

    bool IsPacket() const
    {
        return GetParam() == std::string("packet");
    }
};

} // namespace

INSTANTIATE_BOTH_FIDELITIES(TransportContract);

TEST_P(TransportContract, MessagesOfEverySizeArriveWholeAndInOrderBetweenAllPairs)
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

TEST_P(TransportContract, BodiesArriveByteForByte)
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
    Send(0, 1, 3000000, MakeBody(3000000, ++seed)); // more than the buffer holds
    Send(0, 1, 10, MakeBody(10, ++seed));
    Run();
    ExpectAllDelivered();
}

TEST_P(TransportContract, ASendBufferBoundsWhatIsUnderWay)
{
    NetworkOptions options = SlowWire();
    SetRate(options, 1e9);
    options.Set("Delay", TimeValue(MilliSeconds(50)));
    options.sendBufferBytes = 65536; // of which Linux holds twice
    Join(options, 2);
    Send(0, 1, 13107200);
    Run();
    ExpectAllDelivered();
    // A hundred buffers, at most one in each round trip; some more are slow start's, and at packet
    // level a sender is woken when a third is free, which leaves some of a buffer unused.
    const double seconds = (m_events[0].end - m_events[0].start).GetSeconds();
    EXPECT_GE(seconds, 10);
    EXPECT_LT(seconds, 11.5);
}

TEST_P(TransportContract, AMessageToItsOwnDeviceTakesNoTimeAndMovesNothing)
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

TEST_P(TransportContract, EveryPortHasItsOwnReceiver)
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

TEST_P(TransportContract, WhatArrivesBeforeAnybodyListensWaitsForThat)
{
    Join(Lan(), 2);
    std::vector<uint64_t> tags;
    uint32_t delivered = 0;
    const auto count = Callback<void>([&delivered] { ++delivered; });
    m_transport->Send({0, 1, 8, 100, 10, ""}, count);
    m_transport->Send({1, 1, 8, 200, 10, ""}, count);
    Simulator::Schedule(Seconds(2), [&] {
        EXPECT_EQ(delivered, 0U);
        const auto pending = m_transport->GetPending();
        ASSERT_EQ(pending.size(), 2U);
        EXPECT_EQ(pending[0].id, 0U);
        EXPECT_EQ(pending[0].deliveredBytes, 10U);
        EXPECT_EQ(pending[0].state, "arrived where nobody listens yet");
        m_transport->Listen(1, 8, Callback<void, const Message&>([&tags](const Message& message) {
                                tags.push_back(message.tag);
                            }));
        EXPECT_TRUE(tags.empty()) << "it may not be ready for messages";
        m_transport->Send({1, 1, 8, 300, 10, ""}, count);
    });
    Run();
    // What a node sends to itself takes no time.
    EXPECT_EQ(tags, (std::vector<uint64_t>{200, 100, 300}));
    EXPECT_EQ(delivered, 3U);
    EXPECT_TRUE(m_transport->GetPending().empty());
}

TEST_P(TransportContract, AReceiverMayAnswerAtOnce)
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

TEST_P(TransportContract, PendingListsWhatIsUnderWay)
{
    Join(SlowWire(), 2);
    Send(0, 1, 1000000);
    Send(0, 1, 0);
    Send(1, 0, 2000000);
    const auto atOnce = m_transport->GetPending();
    ASSERT_EQ(atOnce.size(), 3U);
    for (const uint64_t id : {0, 2})
    {
        EXPECT_EQ(atOnce[id].state, "TCP not connected");
    }
    EXPECT_EQ(atOnce[0].deliveredBytes, 0U);

    Simulator::Schedule(Seconds(0.5), [this] {
        const auto pending = m_transport->GetPending();
        ASSERT_EQ(pending.size(), 3U);
        for (uint64_t id = 0; id < 3; ++id)
        {
            EXPECT_EQ(pending[id].id, id);
            EXPECT_EQ(pending[id].message.tag, id);
            const std::string state = pending[id].state;
            EXPECT_EQ(state.rfind(IsPacket() ? "TCP connected"
                                  : id == 1  ? "waits"
                                             : "moving",
                                  0),
                      0U)
                << state;
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

TEST_P(TransportContract, AMessageOnTheLastStretchIsPending)
{
    NetworkOptions options = SlowWire();
    options.Set("Delay", TimeValue(Seconds(1)));
    Join(options, 2);
    Send(0, 1, 1000);
    // The handshake takes 2 s, sending about a millisecond, and the way 1 s.
    Simulator::Schedule(Seconds(2.5), [this] {
        const auto pending = m_transport->GetPending();
        ASSERT_EQ(pending.size(), 1U);
        EXPECT_EQ(m_transport->GetDeliveredBytes(), 0U);
    });
    Run();
    ExpectAllDelivered();
    EXPECT_NEAR(m_events[0].end.GetSeconds(), 3.001, 0.001);
}

TEST_P(TransportContract, AMessageStartsWhenTheOnesBeforeItHaveLeftRoom)
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

TEST_P(TransportContract, ASenderIsToldOnceAMessageHasFoundRoomInItsBuffer)
{
    Join(SlowWire(), 2);
    m_transport->SetAttribute("SendBuffer", UintegerValue(150000));
    std::vector<Time> sent;
    std::vector<Time> delivered;
    bool hasReturned = false;
    for (uint32_t i = 0; i < 5; ++i)
    {
        m_transport->Send({0, 1, PORT, i, 500000, ""},
                          Callback<void>([&] { delivered.push_back(Simulator::Now()); }),
                          Callback<void>([&] {
                              EXPECT_TRUE(hasReturned);
                              sent.push_back(Simulator::Now());
                          }));
    }
    hasReturned = true;
    Run();
    ASSERT_EQ(sent.size(), 5U);
    ASSERT_EQ(delivered.size(), 5U);
    for (uint32_t i = 0; i < 5; ++i)
    {
        // A sender that had to wait is woken up with two thirds of the buffer full.
        const double behind = (delivered[i] - sent[i]).GetSeconds() * 1e7 / 8 * 1448 / 1500;
        EXPECT_GT(behind, 98000) << "message " << i;
        EXPECT_LT(behind, 155000) << "message " << i;
    }
}

TEST_P(TransportContract, AMessageThatFitsIntoTheBufferIsSentAtOnce)
{
    Join(SlowWire(), 2);
    SendAt(Time(), 0, 1, 16); // opens the connection
    std::vector<Time> sent;
    Simulator::Schedule(Seconds(1), [&] {
        for (const uint64_t bytes : {1000, 20000, 1000})
        {
            m_transport->Send({0, 1, PORT, 1, bytes, ""}, {}, Callback<void>([&] {
                                  sent.push_back(Simulator::Now());
                              }));
        }
    });
    Run();
    // Two of TCP's first windows are 29 kB.
    EXPECT_EQ(sent, std::vector<Time>(3, Seconds(1)));
}

TEST_P(TransportContract, AShortMessageDoesNotOvertakeALongOne)
{
    // The last packet of the long one takes longer to store and forward than all of the short one.
    NetworkOptions options = SlowWire();
    for (const char* link : {"lan", "p2p"})
    {
        SCOPED_TRACE(link);
        SetKind(options, link);
        Join(options, 4);
        for (uint32_t i = 0; i < 10; ++i)
        {
            Send(0, 3, 14480 - 48);
            Send(0, 3, 0);
            Send(0, 3, i);
        }
        Run();
        ExpectAllDelivered();
        TearDown();
    }
}

TEST_P(TransportContract, ControlMessagesPassTensorsAndKeepTheirOrder)
{
    Join(SlowWire(), 2);
    std::vector<uint64_t> tags;
    std::vector<Time> times;
    m_transport->Listen(1, PORT + 1, Callback<void, const Message&>([&](const Message& message) {
                            tags.push_back(message.tag);
                            times.push_back(Simulator::Now());
                        }));
    const auto send = [&](uint64_t tag, uint64_t bytes, bool isControl) {
        m_transport->Send({0, 1, PORT + 1, tag, bytes, "", isControl});
    };
    // Both connections are open, and the tensor takes seconds.
    send(1, 0, false);
    send(2, 0, true);
    Simulator::Schedule(Seconds(1), [&] {
        send(3, 1000000, false);
        send(4, 100, true);
        send(5, 100, false);
        send(6, 100, true);
    });
    Simulator::Run();
    ASSERT_EQ(tags.size(), 6U);
    EXPECT_EQ(std::vector<uint64_t>(tags.begin() + 2, tags.end()),
              (std::vector<uint64_t>{4, 6, 3, 5}));
    EXPECT_LT(times[3] - Seconds(1), 0.5 * (times[4] - Seconds(1)));
}

TEST_P(TransportContract, AnObserverOfAStartMaySend)
{
    Join(Lan(), 20);
    uint32_t next = 1;
    Connect(m_transport, "TransferStart", [this, &next](uint64_t, const Message& message) {
        EXPECT_EQ(message.bytes, 1000U + message.to);
        if (next < 19)
        {
            ++next;
            Send(0, next, 1000 + next);
        }
    });
    Send(0, 1, 1001);
    Run();
    ExpectAllDelivered();
    EXPECT_EQ(m_sent.size(), 19U);
}

TEST_P(TransportContract, WhoFollowsAPairSeesItsMessagesAndNoOthers)
{
    Join(Lan(), 3);
    std::vector<std::pair<uint32_t, uint64_t>> started;
    std::vector<std::pair<uint32_t, uint64_t>> ended;
    const TensorTransport::TransferCallback start([&](uint64_t, const Message& message) {
        started.emplace_back(message.from, message.bytes);
    });
    const TensorTransport::TransferCallback end(
        [&](uint64_t, const Message& message) { ended.emplace_back(message.from, message.bytes); });
    m_transport->ConnectPair(0, 1, start, end);
    for (const auto& [from, to, bytes] :
         std::vector<std::tuple<uint32_t, uint32_t, uint64_t>>{{0, 1, 100},
                                                               {2, 1, 200},
                                                               {1, 0, 300}})
    {
        Send(from, to, bytes);
    }
    Run();
    using Seen = std::vector<std::pair<uint32_t, uint64_t>>;
    std::sort(started.begin(), started.end());
    std::sort(ended.begin(), ended.end());
    EXPECT_EQ(started, (Seen{{0, 100}, {1, 300}}));
    EXPECT_EQ(ended, started);
    m_transport->DisconnectPair(1, 0, start, end);
    Send(0, 1, 400);
    Run();
    EXPECT_EQ(started.size(), 2U);
}

TEST_P(TransportContract, ThousandsOfSmallMessagesKeepTheirOrder)
{
    Join(Lan(), 2);
    for (uint32_t i = 0; i < 5000; ++i)
    {
        Send(0, 1, i % 3 == 0 ? 16 : i % 200, i % 7 == 0 ? MakeBody(i % 3 == 0 ? 16 : 0, i) : "");
    }
    Run();
    ExpectAllDelivered();
}

TEST_P(TransportContract, ACutDeviceIsNeitherHeardNorHears)
{
    for (const char* link : {"lan", "p2p", "wifi"})
    {
        SCOPED_TRACE(link);
        NetworkOptions options = Lan();
        options.SetLink(link);
        options.cutDevice = "d1";
        options.cutTime = Seconds(3);
        Join(options, 3);
        for (const double when : {2.0, 3.5})
        {
            // Small enough to need no acknowledgement on the way.
            SendAt(Seconds(when), 1, 0, 100);
            SendAt(Seconds(when), 0, 1, 100);
            SendAt(Seconds(when), 0, 2, 100);
        }
        Simulator::Stop(Seconds(8));
        Simulator::Run();
        EXPECT_EQ((m_arrived[{1, 0}].size()), 1U);
        EXPECT_EQ((m_arrived[{0, 1}].size()), 1U);
        // On the chain, device 1 is the only way.
        EXPECT_EQ((m_arrived[{0, 2}].size()), link == std::string("p2p") ? 1U : 2U);
        EXPECT_EQ(m_transport->GetPending().size(), link == std::string("p2p") ? 3U : 2U);
        TearDown();
    }
}

TEST_P(TransportContract, DisposingAtAnyMomentIsSafe)
{
    NetworkOptions options = SlowWire();
    options.Set("Delay", TimeValue(MilliSeconds(100)));
    SetLaterRates(options, {{MilliSeconds(300), 5e6}, {Seconds(2), 1e6}});
    // In the handshake, as it ends, in slow start, as a bandwidth changes, on the last stretch of a
    // message with one behind it, and of the last.
    for (const double seconds : {0.0, 0.05, 0.2, 0.21, 0.25, 0.3, 0.31, 0.35, 0.5, 1.0})
    {
        SCOPED_TRACE(seconds);
        Join(options, 3);
        Send(0, 1, 3000, "body");
        Send(0, 2, 2000);
        Send(0, 1, 100000);
        Send(2, 1, 100000000);
        Simulator::Schedule(Seconds(seconds), [this] {
            m_transport->Dispose();
            m_transport = nullptr;
            m_network.transport = nullptr;
            m_arrived.clear();
        });
        Simulator::Stop(Seconds(10));
        Run();
        EXPECT_TRUE(m_arrived.empty());
        TearDown();
    }
}
