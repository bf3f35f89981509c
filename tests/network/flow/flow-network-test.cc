// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/edgepipe-flow-network.h"
#include "ns3/simulator.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <vector>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

constexpr double UNBOUNDED = MaxMinSharing::UNBOUNDED;

/** A network and when its flows finish. */
class FlowNetworkTest : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        m_network = CreateObject<FlowNetwork>();
        m_network->SetFinishedCallback(Callback<void, uint32_t>(
            [this](uint32_t owner) { m_finished[owner].push_back(Simulator::Now()); }));
    }

    void TearDown() override
    {
        if (m_network)
        {
            m_network->Dispose();
            m_network = nullptr;
        }
        m_finished.clear();
        Simulator::Destroy();
    }

    /// Start a flow over one link.
    void StartAt(double seconds, uint32_t owner, uint32_t link, double bytes, double weight = 1)
    {
        Simulator::Schedule(Seconds(seconds), [=] {
            m_network->StartFlow({{link, weight}}, bytes, UNBOUNDED, owner);
        });
    }

    void SetCapacityAt(double seconds, uint32_t link, double capacity)
    {
        Simulator::Schedule(Seconds(seconds), [=] { m_network->SetCapacity(link, capacity); });
    }

    /// Expect that a flow has finished once, at a time.
    void ExpectFinish(uint32_t owner, double seconds)
    {
        ASSERT_EQ(m_finished[owner].size(), 1U) << "flow " << owner;
        // Every change may round the finish up by a nanosecond.
        EXPECT_NEAR(m_finished[owner][0].GetSeconds(), seconds, 3e-9) << "flow " << owner;
    }

    Ptr<FlowNetwork> m_network;                       //!< under test
    std::map<uint32_t, std::vector<Time>> m_finished; //!< by owner
};

} // namespace

TEST_F(FlowNetworkTest, ATrailTakesItsShareAndIsNotReported)
{
    const uint32_t medium = m_network->AddLink(1);
    StartAt(0, 1, medium, 10, 0.1); // 1 s alone
    Simulator::Schedule(Seconds(0.5), [=] { m_network->StartOwnFlow({medium, 0.1}, 2); });
    Simulator::Run();
    // The two share 0.4 s, of which the trail needs half.
    ExpectFinish(1, 1.2);
    EXPECT_EQ(m_finished.size(), 1U);
    EXPECT_FALSE(m_network->IsMoving());
}

TEST_F(FlowNetworkTest, AMediumMayLoseCapacityToTheFlowsOfAnotherOne)
{
    const uint32_t up = m_network->AddLink(1);
    const uint32_t down = m_network->AddLink(1);
    m_network->SetEfficiency(
        up,
        [=](std::size_t) { return m_network->GetFlowCount(down) > 0 ? 0.5 : 1.0; },
        down);
    StartAt(0, 1, up, 10, 0.1); // 5 in the first 0.5 s, the rest in 1 s, beside the other
    StartAt(0.5, 2, down, 20, 0.1);
    Simulator::Run();
    ExpectFinish(1, 1.5);
    ExpectFinish(2, 2.5);
}

TEST_F(FlowNetworkTest, AFlowAloneTakesItsBytesOverTheRateToTheNanosecond)
{
    uint32_t owner = 0;
    for (const double rate : {3.0, 333.0, 1.25e6, 1.25e8, 1e12})
    {
        for (const double bytes : {1.0, 7.0, 1502.0, 1e9, 4.11e8})
        {
            const uint32_t link = m_network->AddLink(rate);
            StartAt(1, ++owner, link, bytes);
            Simulator::Run();
            ASSERT_EQ(m_finished[owner].size(), 1U);
            const long double exact = 1e9L + 1e9L * bytes / rate;
            const int64_t finish = m_finished[owner][0].GetNanoSeconds();
            // Up to the next nanosecond, as far as a double tells.
            EXPECT_GE(finish, exact * (1 - 1e-15L)) << bytes << " at " << rate;
            EXPECT_LT(finish, exact * (1 + 1e-15L) + 1) << bytes << " at " << rate;
            TearDown();
            SetUp();
        }
    }
}

TEST_F(FlowNetworkTest, FlowsThatStartTogetherFinishTogetherInTheirOrder)
{
    std::vector<uint32_t> order;
    m_network->SetFinishedCallback(
        Callback<void, uint32_t>([&](uint32_t owner) { order.push_back(owner); }));
    const uint32_t link = m_network->AddLink(1000);
    for (const uint32_t owner : {4, 2, 9, 1})
    {
        StartAt(0, owner, link, 250);
    }
    Simulator::Run();
    EXPECT_EQ(order, (std::vector<uint32_t>{4, 2, 9, 1}));
    EXPECT_EQ(Simulator::Now(), Seconds(1));
}

TEST_F(FlowNetworkTest, ACapacityMayRiseFallEndAndComeBackInMidFlow)
{
    const uint32_t link = m_network->AddLink(1000);
    StartAt(0, 1, link, 5000);
    SetCapacityAt(1, link, 2000);  // 4000 B left
    SetCapacityAt(2, link, 500);   // 2000 B left
    SetCapacityAt(3, link, 0);     // 1500 B left
    SetCapacityAt(10, link, 250);  // the same
    SetCapacityAt(12, link, 1000); // 1000 B left
    Simulator::Schedule(Seconds(2.5), [this] {
        EXPECT_NEAR(m_network->GetRemaining(0), 1750, 1e-5);
        EXPECT_NEAR(m_network->GetRate(0), 500, 1e-9);
        EXPECT_TRUE(m_network->IsMoving());
    });
    Simulator::Schedule(Seconds(5), [this] {
        EXPECT_NEAR(m_network->GetRemaining(0), 1500, 1e-5);
        EXPECT_EQ(m_network->GetRate(0), 0);
        EXPECT_FALSE(m_network->IsMoving());
    });
    Simulator::Run();
    ExpectFinish(1, 13);
    EXPECT_FALSE(m_network->IsMoving());
    EXPECT_EQ(m_network->GetCapacity(link), 1000);
}

TEST_F(FlowNetworkTest, ALinkThatEndsAsAFlowFinishesDoesNotHoldTheFlowBack)
{
    // The last byte has entered the link at 1 s, whichever event of that instant comes first.
    const uint32_t link = m_network->AddLink(1000);
    SetCapacityAt(1, link, 0);
    Simulator::Schedule(Seconds(1), [this] { m_network->GetRate(0); });
    StartAt(0, 1, link, 1000);
    Simulator::Run();
    ExpectFinish(1, 1);
}

TEST_F(FlowNetworkTest, ABoundHoldsAFlowAndLeavesTheRestToOthers)
{
    const uint32_t link = m_network->AddLink(1000);
    m_network->StartFlow({{link, 1}}, 1000, 100, 1);
    const uint32_t other = m_network->StartFlow({{link, 1}}, 2700, UNBOUNDED, 2);
    Simulator::Schedule(Seconds(1), [this, other] { m_network->SetBound(other, 300); });
    Simulator::Run();
    ExpectFinish(1, 10);
    // 900 B in the first second, then 300 B/s.
    ExpectFinish(2, 7);
}

TEST_F(FlowNetworkTest, ACellLosesAirToTheNumberOfItsFlows)
{
    const uint32_t air = m_network->AddLink(1);
    m_network->SetEfficiency(air, [](std::size_t flows) {
        return flows == 1 ? 0.9 : flows == 2 ? 0.8 : 0.6;
    });
    // 1 ms per byte: 900, 800 and 600 B/s in all; with 4 flows as with 3.
    for (const uint32_t owner : {1, 2, 3, 4})
    {
        StartAt(0, owner, air, 150 * owner, 0.001);
    }
    Simulator::Run();
    // Each step moves 150 B of every flow that is left.
    ExpectFinish(1, 1.0);
    ExpectFinish(2, 1.0 + 3 * 150 / 600.0);
    ExpectFinish(3, 1.75 + 2 * 150 / 800.0);
    ExpectFinish(4, 2.125 + 150 / 900.0);
}

TEST_F(FlowNetworkTest, AcknowledgementsTakeAShareOfTheOtherDirection)
{
    const uint32_t forth = m_network->AddLink(1000);
    const uint32_t back = m_network->AddLink(500);
    m_network->SetDuplex(forth, back, 0.1);
    StartAt(0, 1, forth, 2900);
    StartAt(1, 2, back, 400);
    SetCapacityAt(3, back, 600);
    StartAt(3.5, 3, back, 10);
    Simulator::Run();
    // 1000 B in 1 s alone; then 1000 - 50 for 1 s, beside 500 - 100; then 950 B alone.
    ExpectFinish(2, 2);
    ExpectFinish(1, 2.95);
    ExpectFinish(3, 3.5 + 10 / 600.0);
}

TEST_F(FlowNetworkTest, AcknowledgementsLeaveALinkHalfItsCapacity)
{
    const uint32_t thin = m_network->AddLink(1000);
    const uint32_t thick = m_network->AddLink(100000);
    m_network->SetDuplex(thin, thick, 0.05);
    StartAt(0, 1, thin, 1000);
    StartAt(0, 2, thick, 1e9);
    Simulator::Run();
    ExpectFinish(1, 2);
}

TEST_F(FlowNetworkTest, WhatComesOverASlowLinkTakesFewAcknowledgements)
{
    const uint32_t thin = m_network->AddLink(1000);
    const uint32_t thick = m_network->AddLink(100000);
    const uint32_t before = m_network->AddLink(1000);
    m_network->SetDuplex(thin, thick, 0.05);
    StartAt(0, 1, thin, 2 * 950);
    Simulator::Schedule(Seconds(0), [this, thick, before] {
        m_network->StartFlow({{before, 1}, {thick, 1}}, 1e6, MaxMinSharing::UNBOUNDED, 2);
    });
    SetCapacityAt(1, before, 4000);
    Simulator::Run();
    // 1000 - 50 for 1 s, then 1000 - 200.
    ExpectFinish(1, 1 + 950 / 800.0);
}

TEST_F(FlowNetworkTest, ACapacityOfTheOtherDirectionThatChangesChangesItsAcknowledgements)
{
    const uint32_t forth = m_network->AddLink(1000);
    const uint32_t back = m_network->AddLink(1000);
    m_network->SetDuplex(forth, back, 0.1);
    StartAt(0, 1, forth, 1780);
    StartAt(0, 2, back, 1e6);
    SetCapacityAt(1, back, 1200);
    Simulator::Run();
    // 900 B/s, then 1000 - 120.
    ExpectFinish(1, 2);
}

TEST_F(FlowNetworkTest, EventsDependOnFlowsNotOnBytes)
{
    const auto count = [this](uint32_t flows, double bytes) {
        const uint64_t before = Simulator::GetEventCount();
        const uint32_t link = m_network->AddLink(1e6);
        for (uint32_t i = 0; i < flows; ++i)
        {
            StartAt(0.25 * i, i, link, bytes * (i + 1));
        }
        Simulator::Run();
        EXPECT_EQ(m_finished.size(), flows);
        const uint64_t events = Simulator::GetEventCount() - before;
        TearDown();
        SetUp();
        return events;
    };
    EXPECT_LE(count(1, 1), 2U) << "its start, which is the test's own, and its end";
    EXPECT_EQ(count(1, 1), count(1, 1e12));
    // The test's own start, an update, a finish and now and then an event that came too early.
    EXPECT_LE(count(1000, 1e7), 4000U);
    EXPECT_LE(count(1000, 1e10), 4000U);

    // A long flow beside many short ones: its finish is put off by each, and brought back.
    const uint64_t before = Simulator::GetEventCount();
    const uint32_t link = m_network->AddLink(1000);
    StartAt(0, 0, link, 1e6);
    for (uint32_t i = 1; i <= 1000; ++i)
    {
        StartAt(i, i, link, 100);
    }
    Simulator::Run();
    EXPECT_LE(Simulator::GetEventCount() - before, 4000U);
    ExpectFinish(0, 1100);
}

TEST_F(FlowNetworkTest, NoEventOutlivesTheFlows)
{
    const uint32_t link = m_network->AddLink(10);
    StartAt(0, 1, link, 1000);
    SetCapacityAt(1, link, 1e6);
    Simulator::Run();
    EXPECT_LT(Simulator::Now(), Seconds(1.01)) << "the finish at 100 s is off";

    // A flow that stands still keeps nobody waiting.
    StartAt(0, 2, link, 1e6);
    SetCapacityAt(0.5, link, 0);
    Simulator::Run();
    EXPECT_LT(Simulator::Now(), Seconds(2.1));
    EXPECT_TRUE(m_finished[2].empty());
    EXPECT_NEAR(m_network->GetRemaining(0), 5e5, 1e-3);
}

TEST_F(FlowNetworkTest, ANetworkThatIsDisposedOfForgetsItsFlows)
{
    const uint32_t link = m_network->AddLink(10);
    StartAt(0, 1, link, 100);
    Simulator::Schedule(Seconds(1), [this, link] {
        m_network->SetCapacity(link, 20);
        m_network->Dispose();
    });
    // A schedule of bandwidths may go on.
    SetCapacityAt(2, link, 5);
    Simulator::Run();
    EXPECT_TRUE(m_finished.empty());
    EXPECT_LE(Simulator::Now(), Seconds(2));
}

TEST_F(FlowNetworkTest, AMarkIsToldWhenThatMuchIsLeftWhateverTheRate)
{
    std::vector<Time> reached;
    m_network->SetMarkCallback(Callback<void, uint32_t>([&](uint32_t owner) {
        EXPECT_EQ(owner, 1U);
        reached.push_back(Simulator::Now());
    }));
    const uint32_t link = m_network->AddLink(1000);
    Simulator::Schedule(Time(), [&] {
        const uint32_t flow = m_network->StartFlow({{link, 1}}, 1000, UNBOUNDED, 1);
        m_network->SetMark(flow, 600);
        m_network->SetMark(flow, 250);
    });
    SetCapacityAt(0.5, link, 0);
    SetCapacityAt(0.7, link, 500);
    Simulator::Run();
    ASSERT_EQ(reached.size(), 1U);
    EXPECT_NEAR(reached[0].GetSeconds(), 1.2, 3e-9);
    ExpectFinish(1, 1.7);
}

TEST_F(FlowNetworkTest, AFlowMayBeStartedWhenOneFinishes)
{
    const uint32_t link = m_network->AddLink(1000);
    m_network->SetFinishedCallback(Callback<void, uint32_t>([&](uint32_t owner) {
        m_finished[owner].push_back(Simulator::Now());
        if (owner < 100)
        {
            const uint32_t flow = m_network->StartFlow({{link, 1}}, 500, UNBOUNDED, owner + 2);
            EXPECT_LE(m_network->GetRate(flow), 1000);
        }
    }));
    StartAt(0, 1, link, 500);
    StartAt(0, 2, link, 250);
    Simulator::Run();
    ASSERT_EQ(m_finished.size(), 101U);
    // Two at a time, half a second apart, until flow 100 leaves flow 99 alone.
    for (uint32_t owner = 3; owner <= 98; ++owner)
    {
        ExpectFinish(owner, m_finished[owner - 2][0].GetSeconds() + 1);
    }
}

TEST_F(FlowNetworkTest, AChangedWeightChangesTheRateFromThenOn)
{
    // 1 s/s at 0.01 s/B is 100 B/s; after 2 s at 0.02 s/B 50 B/s: 200 + 50 * 6 = 500 bytes.
    const uint32_t air = m_network->AddLink(1);
    const uint32_t flow = m_network->StartFlow({{air, 0.01}}, 500, UNBOUNDED, 7);
    Simulator::Schedule(Seconds(2), [&] { m_network->SetWeight(flow, air, 0.02); });
    Simulator::Run();
    ExpectFinish(7, 8);
}

TEST_F(FlowNetworkTest, OthersFeelAChangedWeight)
{
    // Both get 1 / (0.01 + 0.01) = 50 B/s; when the first slows down to 0.03, 1 / 0.04 = 25 B/s.
    const uint32_t air = m_network->AddLink(1);
    const uint32_t first = m_network->StartFlow({{air, 0.01}}, 1e6, UNBOUNDED, 1);
    StartAt(0, 2, air, 200, 0.01);
    Simulator::Schedule(Seconds(2), [&] { m_network->SetWeight(first, air, 0.03); });
    Simulator::Stop(Seconds(100));
    Simulator::Run();
    ExpectFinish(2, 2 + 100 / 25.0);
}

TEST_F(FlowNetworkTest, AnEndlessFlowTakesItsShareAndIsNeverReported)
{
    const uint32_t air = m_network->AddLink(1);
    m_network->StartOwnFlow({air, 0.01}, UNBOUNDED);
    EXPECT_FALSE(m_network->IsMoving());
    m_network->StartFlow({{air, 0.01}}, 100, UNBOUNDED, 3);
    EXPECT_TRUE(m_network->IsMoving());
    Simulator::Run(); // comes to an end, although one flow does not
    ExpectFinish(3, 2);
    EXPECT_EQ(m_finished.size(), 1U);
    EXPECT_FALSE(m_network->IsMoving());
}
