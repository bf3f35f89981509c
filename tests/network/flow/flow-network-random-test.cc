// SPDX-License-Identifier: GPL-2.0-only

#include "sharing-model.h"

#include "ns3/edgepipe-flow-network.h"
#include "ns3/simulator.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <vector>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/// A few devices' worth of links, with sizes that take about a second.
const SharingStyle STYLE{"", 1, 1, 1e5, 1e7, 0.05, false, 0.3, 12, 40, 4};

/** Flows that come at random over links that change at random, and what they move. */
class RandomRun
{
  public:
    explicit RandomRun(uint32_t seed)
        : m_dice(STYLE, seed),
          m_network(CreateObject<FlowNetwork>())
    {
        m_network->SetFinishedCallback(
            Callback<void, uint32_t>([this](uint32_t owner) { Finish(owner); }));
        for (uint32_t i = 0; i < STYLE.links; ++i)
        {
            m_model.capacities.push_back(m_dice.DrawCapacity(true));
            m_network->AddLink(m_model.capacities[i]);
            moved.push_back(0);
            offered.push_back(0);
        }
        for (uint32_t i = 0; i < 300; ++i)
        {
            // Many at once.
            At([this, i] { Start(i); });
        }
        for (uint32_t i = 0; i < 100; ++i)
        {
            At([this] { ChangeCapacity(); });
        }
        // In the end every link lets something through.
        Simulator::Schedule(Seconds(11), [this] {
            for (uint32_t i = 0; i < STYLE.links; ++i)
            {
                m_model.capacities[i] = 1e6;
                m_network->SetCapacity(i, 1e6);
            }
            Sample();
        });
        Simulator::Run();
        m_network->Dispose();
        m_network = nullptr;
        Simulator::Destroy();
    }

    std::vector<int64_t> finishes; //!< ns, by flow in the order of finishing
    std::vector<uint32_t> order;   //!< flows in that order
    std::vector<double> moved;     //!< bytes by link: integral of its load
    std::vector<double> offered;   //!< bytes by link: sizes of the flows that crossed it

  private:
    /** A flow under way. */
    struct Running
    {
        uint32_t number;          //!< in the network
        double bytes;             //!< its size
        double moved;             //!< integral of its rate
        double rate;              //!< since the last sample
        MaxMinSharing::Uses uses; //!< the links it crosses
    };

    /**
     * @param change made at a random time, on a grid so that some coincide
     */
    template <typename Change>
    void At(Change change)
    {
        Simulator::Schedule(MilliSeconds(m_dice.DrawBelow(1000) * 10), [=] {
            change();
            Sample();
        });
    }

    void Start(uint32_t owner)
    {
        const auto drawn = m_dice.DrawFlow(STYLE.links);
        const double bytes = 1 + m_dice.DrawBelow(1000000);
        const uint32_t number = m_network->StartFlow(drawn.uses, bytes, drawn.bound, owner);
        m_running[owner] = {number, bytes, 0, 0, drawn.uses};
    }

    void ChangeCapacity()
    {
        const uint32_t link = m_dice.DrawBelow(STYLE.links);
        m_model.capacities[link] = m_dice.DrawCapacity();
        m_network->SetCapacity(link, m_model.capacities[link]);
    }

    void Finish(uint32_t owner)
    {
        Integrate();
        const auto place = m_running.find(owner);
        ASSERT_NE(place, m_running.end()) << "a flow finishes twice";
        const Running& flow = place->second;
        // Finishes are rounded up to the nanosecond.
        EXPECT_GE(flow.moved, flow.bytes * (1 - 1e-9)) << "flow " << owner;
        EXPECT_LE(flow.moved, flow.bytes * (1 + 1e-9) + flow.rate * 1e-9) << "flow " << owner;
        for (const auto& use : flow.uses)
        {
            offered[use.link] += flow.bytes;
        }
        finishes.push_back(Simulator::Now().GetNanoSeconds());
        order.push_back(owner);
        m_running.erase(place);
        Sample();
    }

    /** Add what has moved since the last call. */
    void Integrate()
    {
        const double seconds = (Simulator::Now() - m_last).GetSeconds();
        m_last = Simulator::Now();
        for (auto& [owner, flow] : m_running)
        {
            flow.moved += flow.rate * seconds;
            for (const auto& use : flow.uses)
            {
                moved[use.link] += flow.rate * seconds;
            }
        }
    }

    /** Have every rate read once all that happens at this instant has happened. */
    void Sample()
    {
        Integrate();
        Simulator::ScheduleNow([this] { Simulator::ScheduleNow([this] { Read(); }); });
    }

    void Read()
    {
        std::vector<double> rates;
        SharingModel model = m_model;
        for (auto& [owner, flow] : m_running)
        {
            // Read without making the network update itself.
            flow.rate = m_network->GetSharing().GetRate(flow.number);
            rates.push_back(flow.rate);
            model.flows.push_back({flow.uses, MaxMinSharing::UNBOUNDED});
        }
        for (uint32_t link = 0; link < STYLE.links; ++link)
        {
            EXPECT_LE(model.GetLoad(link, rates), m_model.capacities[link] * (1 + 1e-9))
                << "at " << m_last.GetSeconds();
        }
    }

    SharingDice m_dice;                    //!< where everything comes from
    SharingModel m_model;                  //!< capacities
    Ptr<FlowNetwork> m_network;            //!< under test
    std::map<uint32_t, Running> m_running; //!< by owner
    Time m_last;                           //!< of the last sample
};

} // namespace

TEST(FlowNetworkRandom, EveryByteMovesOnceAndNoLinkMovesMoreThanItCan)
{
    for (uint32_t seed = 1; seed <= 20; ++seed)
    {
        SCOPED_TRACE(seed);
        const RandomRun run(seed);
        ASSERT_EQ(run.finishes.size(), 300U);
        for (uint32_t link = 0; link < STYLE.links; ++link)
        {
            EXPECT_NEAR(run.moved[link], run.offered[link], 1e-9 * run.offered[link] + 1);
        }
    }
}

TEST(FlowNetworkRandom, TwoRunsAreTheSame)
{
    const RandomRun once(1);
    const RandomRun twice(1);
    const RandomRun other(2);
    EXPECT_EQ(once.finishes, twice.finishes);
    EXPECT_EQ(once.order, twice.order);
    EXPECT_NE(once.finishes, other.finishes);
}
