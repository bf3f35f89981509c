// SPDX-License-Identifier: GPL-2.0-only

#include "sharing-model.h"

#include "ns3/edgepipe-flow-network.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
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
            flow.rate = m_network->GetLastRate(flow.number);
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

/** Flows of devices with a wire each, most of them to one of two servers, that change at random. */
class StarRun
{
  public:
    /**
     * @param seed of all that is drawn
     * @param leastBundle see FlowNetwork::SetLeastBundle
     */
    StarRun(uint32_t seed, std::size_t leastBundle)
        : m_dice(STYLE, seed),
          m_network(CreateObject<FlowNetwork>())
    {
        m_network->SetLeastBundle(leastBundle);
        m_network->SetFinishedCallback(Callback<void, uint32_t>([this](uint32_t owner) {
            told.emplace_back(owner, Simulator::Now().GetNanoSeconds());
            m_running.erase(owner);
            Check();
        }));
        m_network->SetMarkCallback(Callback<void, uint32_t>([this](uint32_t owner) {
            told.emplace_back(owner + FLOWS, Simulator::Now().GetNanoSeconds());
        }));
        for (uint32_t i = 0; i < 2 * (SERVERS + DEVICES); ++i)
        {
            m_model.capacities.push_back(DrawCapacity(i));
            m_network->AddLink(m_model.capacities[i]);
        }
        for (uint32_t i = 0; i < SERVERS + DEVICES; ++i)
        {
            m_network->SetDuplex(2 * i, 2 * i + 1, 0.03);
        }
        for (uint32_t owner = 0; owner < FLOWS; ++owner)
        {
            Simulator::Schedule(MilliSeconds(10 * m_dice.DrawBelow(1000)), [this, owner] {
                Start(owner);
                Check();
            });
        }
        for (uint32_t i = 0; i < 2 * FLOWS; ++i)
        {
            Simulator::Schedule(MicroSeconds(10 * m_dice.DrawBelow(1000000) + 5), [this] {
                Change();
                Check();
            });
        }
        Simulator::Schedule(Seconds(11), [this] {
            for (uint32_t link = 0; link < 2 * (SERVERS + DEVICES); ++link)
            {
                m_model.capacities[link] = 1e7;
                m_network->SetCapacity(link, 1e7);
            }
        });
        Simulator::Run();
        m_network->Dispose();
        m_network = nullptr;
        Simulator::Destroy();
    }

    std::vector<std::pair<uint32_t, int64_t>> told; //!< owners of ends and marks, and when, ns

  private:
    static constexpr uint32_t SERVERS = 2;
    static constexpr uint32_t DEVICES = 50;
    static constexpr uint32_t FLOWS = 150;

    /** @return of a link: servers' are slow for all that come together */
    double DrawCapacity(uint32_t link)
    {
        return (link < 2 * SERVERS ? 1e6 : 1e5) * (1 + m_dice.DrawBelow(10));
    }

    void Start(uint32_t owner)
    {
        MaxMinSharing::Uses uses{{2 * (SERVERS + m_dice.DrawBelow(DEVICES)), 1}};
        const uint32_t to = m_dice.DrawBelow(10);
        uses.push_back({to < 9 ? 1 + 2 * (to % SERVERS) : 1, 1});
        if (to == 9)
        {
            uses.push_back({3, 1}); // over both
        }
        const double bound =
            m_dice.DrawBelow(3) > 0 ? MaxMinSharing::UNBOUNDED : 1e3 * (1 + m_dice.DrawBelow(100));
        const double bytes = 1 + m_dice.DrawBelow(1000000);
        m_running[owner] = {m_network->StartFlow(uses, bytes, bound, owner), {uses, bound}};
    }

    /** Compare rates with those of the model, once all that happens at this instant has happened.
     */
    void Check()
    {
        Simulator::ScheduleNow([this] {
            Simulator::ScheduleNow([this] {
                SharingModel model{m_model.capacities, {}};
                for (const auto& [owner, flow] : m_running)
                {
                    model.flows.push_back(flow.second);
                }
                const auto expected = model.Solve();
                std::size_t place = 0;
                for (const auto& [owner, flow] : m_running)
                {
                    const double rate = expected[place++];
                    EXPECT_NEAR(m_network->GetLastRate(flow.first), rate, 1e-9 * rate)
                        << "flow " << owner << " at " << Simulator::Now().GetNanoSeconds();
                }
            });
        });
    }

    void Change()
    {
        const uint32_t what = m_dice.DrawBelow(7);
        const uint32_t value = m_dice.DrawBelow(1000000);
        const uint32_t owner = m_dice.DrawBelow(FLOWS);
        const auto flow = m_running.find(owner);
        if (what == 0)
        {
            const uint32_t link = value % (2 * (SERVERS + DEVICES));
            m_model.capacities[link] = DrawCapacity(link);
            m_network->SetCapacity(link, m_model.capacities[link]);
        }
        else if (flow == m_running.end())
        {
            return;
        }
        else if (what < 3)
        {
            // Many have the same bound, about their share of a server's link.
            flow->second.second.bound = 4e3 * (1 + value % 20);
            m_network->SetBound(flow->second.first, flow->second.second.bound);
        }
        else if (what == 3)
        {
            m_network->Extend(flow->second.first, value);
        }
        else if (what == 4)
        {
            for (auto& use : flow->second.second.uses)
            {
                use.weight = use.link == 1 ? 1 + value % 2 : use.weight;
            }
            m_network->SetWeight(flow->second.first, 1, 1 + value % 2);
        }
        else if (what == 5 && value % 3 == 0)
        {
            m_network->StopFlow(flow->second.first);
            m_running.erase(flow);
        }
        else
        {
            m_network->SetMark(flow->second.first, m_network->GetRemaining(flow->second.first) / 2);
        }
    }

    SharingDice m_dice;         //!< where everything comes from
    Ptr<FlowNetwork> m_network; //!< under test
    SharingModel m_model;       //!< capacities
    std::map<uint32_t, std::pair<uint32_t, SharingModel::Flow>> m_running; //!< flows by owner
};

} // namespace

TEST(FlowNetworkRandom, BundlesChangeNothing)
{
    for (uint32_t seed = 1; seed <= 5; ++seed)
    {
        SCOPED_TRACE(seed);
        const StarRun apart(seed, SIZE_MAX);
        ASSERT_GT(apart.told.size(), 100U);
        for (const std::size_t least : {1, 5, 20})
        {
            SCOPED_TRACE(least);
            const StarRun together(seed, least);
            ASSERT_EQ(apart.told.size(), together.told.size());
            for (std::size_t i = 0; i < apart.told.size(); ++i)
            {
                EXPECT_EQ(apart.told[i].first, together.told[i].first);
                EXPECT_NEAR(apart.told[i].second, together.told[i].second, 2); // ns
            }
        }
    }
}

TEST(FlowNetworkRandom, AFullLinkCostsEveryFlowTheSame)
{
    for (const bool isBounded : {false, true})
    {
        std::vector<double> visits; // by flow
        for (const uint32_t flows : {100, 1000, 10000})
        {
            const auto network = CreateObject<FlowNetwork>();
            network->SetFinishedCallback(Callback<void, uint32_t>([](uint32_t) {}));
            std::mt19937 random(flows);
            const uint32_t server = network->AddLink(1e9);
            for (uint32_t owner = 0; owner < flows; ++owner)
            {
                const uint32_t wire = network->AddLink(1e9);
                // Small ones come and go, so that bounds hold the others or not.
                const double bytes = isBounded && owner % 2 ? 100 : 1e5 + random() % 1000000;
                const double bound = isBounded && owner % 2 == 0
                                         ? 2e9 / flows * (1 + random() % 5 / 50.0)
                                         : MaxMinSharing::UNBOUNDED;
                Simulator::Schedule(MicroSeconds(random() % 100000), [=] {
                    network->StartFlow({{wire, 1}, {server, 1}}, bytes, bound, owner);
                });
            }
            Simulator::Run();
            visits.push_back(static_cast<double>(network->GetVisits()) / flows);
            network->Dispose();
            Simulator::Destroy();
        }
        EXPECT_LT(visits[2], 1.6 * visits[1])
            << isBounded << ": " << visits[0] << ", " << visits[1] << ", " << visits[2];
    }
}

TEST(FlowNetworkRandom, EndsOnAFullLinkAreThoseOfProcessorSharing)
{
    constexpr uint32_t FLOWS = 20000;
    std::mt19937 random(1);
    const auto network = CreateObject<FlowNetwork>();
    std::vector<int64_t> ends(FLOWS);
    network->SetFinishedCallback(Callback<void, uint32_t>(
        [&ends](uint32_t owner) { ends[owner] = Simulator::Now().GetNanoSeconds(); }));
    const uint32_t link = network->AddLink(1e6);

    /** A start of a flow, or a change of the link's capacity. */
    struct Event
    {
        int64_t time;  // ns
        double amount; // bytes, or bytes/s
        uint32_t flow; // FLOWS: none
    };

    std::vector<Event> events;
    for (uint32_t i = 0; i < FLOWS + 500; ++i)
    {
        const uint32_t flow = std::min(i, FLOWS);
        events.push_back({1000 * static_cast<int64_t>(random() % 1000000000),
                          flow < FLOWS ? std::exp2(random() % 20) : 1e5 * (1 + random() % 20),
                          flow});
    }
    std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
        return a.time < b.time;
    });
    for (const Event& event : events)
    {
        const uint32_t wire = event.flow < FLOWS ? network->AddLink(1e12) : link;
        Simulator::Schedule(NanoSeconds(event.time), [=] {
            if (event.flow == FLOWS)
            {
                network->SetCapacity(link, event.amount);
                return;
            }
            network->StartFlow({{wire, 1}, {link, 1}},
                               event.amount,
                               MaxMinSharing::UNBOUNDED,
                               event.flow);
        });
    }
    Simulator::Run();
    network->Dispose();
    Simulator::Destroy();

    // Of n flows each gets an n-th: a flow ends when each has sent as much as it has from its
    // start.
    std::set<std::pair<double, uint32_t>> running;
    double now = 0;
    double sent = 0; // by each
    double capacity = 1e6;
    events.push_back({INT64_MAX, 0, FLOWS});
    for (const Event& event : events)
    {
        while (!running.empty() &&
               now + 1e9 * (running.begin()->first - sent) * running.size() / capacity <=
                   event.time)
        {
            const auto [end, flow] = *running.begin();
            now += 1e9 * (end - sent) * running.size() / capacity;
            sent = end;
            // In the nanosecond to which its end is rounded up, a lone flow sends what takes each
            // of thousands microseconds.
            ASSERT_NEAR(ends[flow], now, 1e4) << "ns of 1e12";
            running.erase(running.begin());
        }
        sent += running.empty() ? 0 : 1e-9 * capacity * (event.time - now) / running.size();
        now = event.time;
        if (event.flow < FLOWS)
        {
            running.emplace(sent + event.amount, event.flow);
        }
        capacity = event.flow < FLOWS ? capacity : event.amount;
    }
}

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
