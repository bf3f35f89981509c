// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/edgepipe-capacity-replay.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>
#include <memory>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/** A rate that changes every second, for ever. */
class EverySecond : public StepSource
{
  public:
    /** @param life lasts as long as this object */
    explicit EverySecond(std::shared_ptr<int> life)
        : m_life(std::move(life))
    {
    }

    bool Next(TraceStep& step) override
    {
        step = {Seconds(m_second), 8e6 + m_second};
        ++m_second;
        return true;
    }

  private:
    std::shared_ptr<int> m_life; //!< what the test looks at
    int m_second{0};             //!< of the next step
};

/** A replay that has run for some seconds and still is to go on. */
class CapacityReplayTest : public ::testing::Test
{
  protected:
    CapacityReplayTest()
    {
        auto life = std::make_shared<int>();
        m_source = life;
        m_replay = Create<CapacityReplay>(m_network, std::make_unique<EverySecond>(life));
        m_replay->AddLink();
        m_replay->Start();
        Simulator::Stop(Seconds(3.5));
        Simulator::Run();
    }

    ~CapacityReplayTest() override
    {
        Simulator::Destroy();
    }

    Ptr<FlowNetwork> m_network{CreateObject<FlowNetwork>()}; //!< what it changes
    std::weak_ptr<int> m_source;                             //!< its rate
    Ptr<CapacityReplay> m_replay;                            //!< the replay
};

TEST_F(CapacityReplayTest, GoesWithItsLastOwnerAfterTheSimulation)
{
    EXPECT_EQ(m_network->GetReferenceCount(), 2U);
    Simulator::Destroy();
    m_replay = nullptr;
    EXPECT_TRUE(m_source.expired());
    EXPECT_EQ(m_network->GetReferenceCount(), 1U);
}

TEST_F(CapacityReplayTest, ChangesNothingOnceItIsGone)
{
    m_replay = nullptr;
    EXPECT_TRUE(m_source.expired());
    Simulator::Run();
    // Of what would go on for ever there is left the event that was cancelled.
    EXPECT_EQ(Simulator::Now(), Seconds(4));
}

} // namespace
