// SPDX-License-Identifier: GPL-2.0-only

// One end of a link that sends at a given pace, with small packets and round numbers.

#include "test.h"

#include "ns3/edgepipe-link-pacer.h"
#include "ns3/edgepipe-paced-net-device.h"
#include "ns3/simple-channel.h"

namespace
{

/// A protocol that nobody handles but the test.
constexpr uint16_t PROTOCOL = 0x88b5;

/** Gives steps, or opportunities, that it was given. */
template <typename Source, typename Step>
class Given : public Source
{
  public:
    explicit Given(std::vector<Step> steps)
        : m_steps(std::move(steps))
    {
    }

    bool Next(Step& step) override
    {
        const bool isThere = m_next < m_steps.size();
        step = isThere ? m_steps[m_next++] : step;
        return isThere;
    }

  private:
    std::vector<Step> m_steps;
    std::size_t m_next{0};
};

/** Two ends of a link, of which the first sends. */
class PacedNetDeviceTest : public testing::Test
{
  protected:
    void Join(std::unique_ptr<LinkPacer> pacer)
    {
        m_channel = CreateObject<SimpleChannel>();
        for (auto end : {&m_sender, &m_receiver})
        {
            *end = CreateObject<PacedNetDevice>();
            (*end)->SetAddress(Mac48Address::Allocate());
            auto node = CreateObject<Node>();
            node->AddDevice(*end);
            (*end)->SetChannel(m_channel);
        }
        m_sender->SetPacer(std::move(pacer));
        m_receiver->GetNode()->RegisterProtocolHandler(
            Node::ProtocolHandler([this](Ptr<NetDevice>,
                                         Ptr<const Packet> packet,
                                         uint16_t,
                                         const Address&,
                                         const Address&,
                                         NetDevice::PacketType) {
                m_arrivals.emplace_back(Simulator::Now(), packet->GetUid());
            }),
            PROTOCOL,
            m_receiver);
        Connect(m_sender, "MacTxDrop", [this](Ptr<const Packet>) { ++m_drops; });
    }

    /// @param bytes size of a packet to send then
    void SendAt(double milliseconds, uint32_t bytes)
    {
        auto packet = Create<Packet>(bytes);
        m_uids.push_back(packet->GetUid());
        Simulator::Schedule(NanoSeconds(std::llround(1e6 * milliseconds)), [this, packet] {
            m_sender->Send(packet, m_receiver->GetAddress(), PROTOCOL);
        });
    }

    /// Run, and expect packets in order.
    void ExpectArrivals(const std::vector<double>& milliseconds)
    {
        Simulator::Run();
        ASSERT_EQ(m_arrivals.size(), milliseconds.size());
        for (std::size_t i = 0; i < milliseconds.size(); ++i)
        {
            EXPECT_NEAR(1e3 * m_arrivals[i].first.GetSeconds(), milliseconds[i], 2e-6) << i;
            EXPECT_EQ(m_arrivals[i].second, m_uids[i]) << i;
        }
    }

    Ptr<SimpleChannel> m_channel;                      //!< between the two
    Ptr<PacedNetDevice> m_sender;                      //!< sends
    Ptr<PacedNetDevice> m_receiver;                    //!< receives
    std::vector<uint64_t> m_uids;                      //!< of packets sent
    std::vector<std::pair<Time, uint64_t>> m_arrivals; //!< of packets, with their numbers
    uint32_t m_drops{0};                               //!< packets that found the queue full
};

/// @return a pacer of that rate
std::unique_ptr<LinkPacer>
Rate(const std::vector<TraceStep>& steps)
{
    return std::make_unique<RatePacer>(std::make_unique<Given<StepSource, TraceStep>>(steps));
}

/// @return a pacer with opportunities then
std::unique_ptr<LinkPacer>
Opportune(const std::vector<int>& milliseconds)
{
    std::vector<Time> times;
    for (const int at : milliseconds)
    {
        times.push_back(MilliSeconds(at));
    }
    return std::make_unique<OpportunityPacer>(
        std::make_unique<Given<OpportunitySource, Time>>(times));
}

} // namespace

TEST_F(PacedNetDeviceTest, SendsOneAfterAnotherAtTheRate)
{
    Join(Rate({{Time(), 8e6}}));
    m_channel->SetAttribute("Delay", TimeValue(MilliSeconds(20)));
    SendAt(0, 1000);
    SendAt(0, 500);
    SendAt(10, 1000);
    ExpectArrivals({21, 21.5, 31});
}

TEST_F(PacedNetDeviceTest, APacketOnTheWireGoesOnAtTheNewRate)
{
    // Half of it at 1 byte/us, an eighth at a quarter of that, the rest at double.
    Join(Rate({{Time(), 8e6}, {MicroSeconds(500), 2e6}, {MicroSeconds(1000), 16e6}}));
    SendAt(0, 1000);
    SendAt(0, 1000);
    ExpectArrivals({1 + 0.375 / 2, 1 + 0.375 / 2 + 0.5});
}

TEST_F(PacedNetDeviceTest, NothingMovesAtRateZero)
{
    Join(Rate({{Time(), 8e6}, {MicroSeconds(500), 0}, {Seconds(60), 0}, {Seconds(120), 8e6}}));
    SendAt(0, 1000);
    SendAt(90000, 1000);
    ExpectArrivals({120000.5, 120001.5});
}

TEST_F(PacedNetDeviceTest, StaysSilentAfterARateThatEndsAtZero)
{
    Join(Rate({{Time(), 8e6}, {MicroSeconds(1500), 0}}));
    SendAt(0, 1000);
    SendAt(0, 1000);
    ExpectArrivals({1});
}

TEST(RatePacerTest, LetsTheIntegralOfTheRateBeSentOverManySteps)
{
    const auto pacer =
        Rate({{Time(), 8e3}, {Seconds(1), 16e3}, {Seconds(2), 0}, {Seconds(4), 8e3}});
    EXPECT_DOUBLE_EQ(pacer->TakeBytes(MilliSeconds(500)), 500);
    EXPECT_DOUBLE_EQ(pacer->TakeBytes(Seconds(5)), 500 + 2000 + 1000);
    EXPECT_EQ(pacer->FindNext(2000), Seconds(7));
    pacer->TakeBytes(Seconds(10));
    EXPECT_EQ(pacer->FindNext(2000), Seconds(12));
}

TEST_F(PacedNetDeviceTest, ManyShortStepsSendTheIntegralOfTheRate)
{
    std::vector<TraceStep> steps;
    for (int i = 0; i < 20000; ++i)
    {
        steps.push_back({NanoSeconds(7777) * i, i % 3 * 4e6});
    }
    Join(Rate(steps));
    for (int i = 0; i < 60; ++i)
    {
        SendAt(0, 1250);
    }
    Simulator::Run();
    // 4 Mbit/s in the mean.
    ASSERT_EQ(m_arrivals.size(), 60u);
    EXPECT_NEAR(m_arrivals.back().first.GetSeconds(), 60 * 1250 / 0.5e6, 3e-5);
}

TEST_F(PacedNetDeviceTest, AnOpportunityTakesWhatWasQueuedBeforeIt)
{
    Join(Opportune({0, 10, 20, 30, 30, 40}));
    SendAt(0, 1500);  // at 0 it is queued too late for that
    SendAt(5, 1500);  // waits for 20
    SendAt(29, 1500); // two opportunities at one instant
    SendAt(29, 1500);
    SendAt(40, 1500); // too late again: nothing comes after
    ExpectArrivals({10, 20, 30, 30});
}

TEST_F(PacedNetDeviceTest, SmallPacketsShareAnOpportunityAndOneMayEndInALaterOne)
{
    Join(Opportune({10, 20, 30, 40, 50}));
    for (int i = 0; i < 3; ++i)
    {
        SendAt(1, 600); // two whole ones and half of the third; the rest
    }
    SendAt(1, 1200);  // together 3000
    SendAt(21, 1500); // nothing was left over for it
    SendAt(31, 100);
    ExpectArrivals({10, 10, 20, 20, 30, 40});
}

TEST_F(PacedNetDeviceTest, UnusedOpportunitiesAreLost)
{
    std::vector<int> all;
    for (int i = 0; i < 1000; ++i)
    {
        all.push_back(i);
    }
    all.push_back(2000);
    Join(Opportune(all));
    SendAt(990.5, 9000); // 991 to 996
    SendAt(1500, 1500);
    ExpectArrivals({996, 2000});
}

TEST_F(PacedNetDeviceTest, DropsAtTheTailOfAFullQueueAndCounts)
{
    Join(Rate({{Time(), 8e6}}));
    m_sender->SetAttribute("QueueSize", UintegerValue(3));
    for (int i = 0; i < 10; ++i)
    {
        SendAt(0, 1000);
    }
    ExpectArrivals({1, 2, 3, 4}); // one is being sent
    EXPECT_EQ(m_drops, 6u);
}

TEST_F(PacedNetDeviceTest, JitterIsUniformAndKeepsTheOrder)
{
    Join(Rate({{Time(), 8e9}}));
    m_sender->SetAttribute("Jitter", TimeValue(MilliSeconds(10)));
    EXPECT_EQ(m_sender->AssignStreams(7), 1);
    for (int i = 0; i < 2000; ++i)
    {
        SendAt(20 * i, 1000);
    }
    for (int i = 0; i < 200; ++i)
    {
        SendAt(50000 + i, 1000);
    }
    Simulator::Run();
    ASSERT_EQ(m_arrivals.size(), 2200u);
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < m_arrivals.size(); ++i)
    {
        ASSERT_EQ(m_arrivals[i].second, m_uids[i]) << "out of order";
        if (i < 2000)
        {
            const double extra = 1e3 * m_arrivals[i].first.GetSeconds() - 20.0 * i - 1e-3;
            ASSERT_GE(extra, 0);
            ASSERT_LE(extra, 10);
            sum += extra;
            squares += extra * extra;
        }
    }
    const double mean = sum / 2000;
    EXPECT_NEAR(mean, 5, 0.3);
    EXPECT_NEAR(squares / 2000 - mean * mean, 100.0 / 12, 0.6);
}
