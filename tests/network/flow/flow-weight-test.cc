// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/edgepipe-flow-network.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>
#include <map>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/** A network and when its flows ended. */
class FlowWeightTest : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        m_network = CreateObject<FlowNetwork>();
        m_network->SetFinishedCallback(Callback<void, uint32_t>(
            [this](uint32_t owner) { m_ends[owner] = Simulator::Now().GetSeconds(); }));
    }

    void TearDown() override
    {
        m_network->Dispose();
        Simulator::Destroy();
    }

    Ptr<FlowNetwork> m_network;        //!< under test
    std::map<uint32_t, double> m_ends; //!< by owner, s
};

} // namespace

TEST_F(FlowWeightTest, AChangedWeightChangesTheRateFromThenOn)
{
    // 1 s/s at 0.01 s/B is 100 B/s; after 2 s at 0.02 s/B 50 B/s: 200 + 50 * 6 = 500 bytes.
    const uint32_t air = m_network->AddLink(1);
    const uint32_t flow = m_network->StartFlow({{air, 0.01}}, 500, MaxMinSharing::UNBOUNDED, 7);
    Simulator::Schedule(Seconds(2), [&] { m_network->SetWeight(flow, air, 0.02); });
    Simulator::Run();
    EXPECT_NEAR(m_ends[7], 8, 1e-6);
}

TEST_F(FlowWeightTest, OthersFeelIt)
{
    // Both get 1 / (0.01 + 0.01) = 50 B/s; when the first slows down to 0.03, 1 / 0.04 = 25 B/s.
    const uint32_t air = m_network->AddLink(1);
    const uint32_t first = m_network->StartFlow({{air, 0.01}}, 1e6, MaxMinSharing::UNBOUNDED, 1);
    m_network->StartFlow({{air, 0.01}}, 200, MaxMinSharing::UNBOUNDED, 2);
    Simulator::Schedule(Seconds(2), [&] { m_network->SetWeight(first, air, 0.03); });
    Simulator::Stop(Seconds(100));
    Simulator::Run();
    EXPECT_NEAR(m_ends[2], 2 + 100 / 25.0, 1e-6);
}

TEST_F(FlowWeightTest, AnEndlessFlowTakesItsShareAndIsNeverReported)
{
    const uint32_t air = m_network->AddLink(1);
    m_network->StartOwnFlow({air, 0.01}, MaxMinSharing::UNBOUNDED);
    EXPECT_FALSE(m_network->IsMoving());
    m_network->StartFlow({{air, 0.01}}, 100, MaxMinSharing::UNBOUNDED, 3);
    EXPECT_TRUE(m_network->IsMoving());
    Simulator::Run(); // comes to an end, although one flow does not
    EXPECT_NEAR(m_ends[3], 2, 1e-6);
    EXPECT_EQ(m_ends.size(), 1U);
    EXPECT_FALSE(m_network->IsMoving());
}
