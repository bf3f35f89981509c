// SPDX-License-Identifier: GPL-2.0-only

#include "sharing-model.h"

#include "ns3/edgepipe-max-min-sharing.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <set>

using namespace ns3::edgepipe;

namespace
{

/// What results may differ by, relative.
constexpr double TOLERANCE = 1e-9;

/** A sharing and a model of it, changed together. */
class Twin
{
  public:
    Twin(const SharingStyle& style, uint32_t seed)
        : dice(style, seed),
          m_style(style)
    {
        const uint32_t links = 1 + dice.DrawBelow(style.links);
        for (uint32_t i = 0; i < links; ++i)
        {
            model.capacities.push_back(dice.DrawCapacity());
            EXPECT_EQ(sharing.AddLink(model.capacities.back()), i);
        }
    }

    void Add()
    {
        model.flows.push_back(dice.DrawFlow(model.capacities.size()));
        numbers.push_back(sharing.AddFlow(model.flows.back().uses, model.flows.back().bound));
        rates.push_back(0);
    }

    void Change()
    {
        const uint32_t what = dice.DrawBelow(10);
        if (model.flows.empty() || (what < 4 && model.flows.size() < m_style.flows))
        {
            Add();
            return;
        }
        const uint32_t flow = dice.DrawBelow(model.flows.size());
        const uint32_t link = dice.DrawBelow(model.capacities.size());
        if (what < 7)
        {
            sharing.RemoveFlow(numbers[flow]);
            model.flows.erase(model.flows.begin() + flow);
            numbers.erase(numbers.begin() + flow);
            rates.erase(rates.begin() + flow);
        }
        else if (what < 9)
        {
            model.capacities[link] = dice.DrawCapacity();
            sharing.SetCapacity(link, model.capacities[link]);
        }
        else
        {
            model.flows[flow].bound = dice.DrawBound();
            sharing.SetBound(numbers[flow], model.flows[flow].bound);
        }
    }

    /** Update, and expect everything that the class promises. */
    void UpdateAndCheck()
    {
        const std::vector<uint32_t> changed = sharing.Update();
        const std::set<uint32_t> reported(changed.begin(), changed.end());
        EXPECT_EQ(reported.size(), changed.size()) << "a flow is reported twice";
        const std::vector<double> expected = model.Solve();
        std::size_t changes = 0;
        for (std::size_t f = 0; f < numbers.size(); ++f)
        {
            const double rate = sharing.GetRate(numbers[f]);
            ASSERT_NEAR(rate, expected[f], TOLERANCE * expected[f]) << "flow " << f;
            ASSERT_EQ(reported.count(numbers[f]) > 0, rate != rates[f])
                << "flow " << f << " was " << rates[f] << ", is " << rate;
            changes += rate != rates[f];
            rates[f] = rate;
        }
        ASSERT_EQ(changes, changed.size()) << "a flow that is gone is reported";
        ASSERT_EQ(model.FindFault(rates, TOLERANCE), "");
    }

    /** Expect that a sharing that is given the flows in another order has the same rates. */
    void CheckOrder()
    {
        MaxMinSharing other;
        for (const double capacity : model.capacities)
        {
            other.AddLink(capacity);
        }
        std::vector<std::size_t> order(numbers.size());
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), dice.random);
        const bool isOneByOne = dice.DrawBelow(2);
        std::map<std::size_t, uint32_t> theirs;
        for (const std::size_t f : order)
        {
            theirs[f] = other.AddFlow(model.flows[f].uses, model.flows[f].bound);
            if (isOneByOne)
            {
                other.Update();
            }
        }
        other.Update();
        for (const std::size_t f : order)
        {
            ASSERT_NEAR(other.GetRate(theirs[f]), rates[f], TOLERANCE * rates[f]) << "flow " << f;
        }
    }

    SharingDice dice;              //!< where changes come from
    SharingModel model;            //!< what should be
    MaxMinSharing sharing;         //!< what is
    std::vector<uint32_t> numbers; //!< of the model's flows
    std::vector<double> rates;     //!< of the model's flows, by the last update

  private:
    SharingStyle m_style; //!< what the network looks like
};

/** Networks of one style. */
class SharingProperty : public ::testing::TestWithParam<SharingStyle>
{
};

} // namespace

TEST_P(SharingProperty, RatesAreFeasibleFairAndThoseOfAComputationFromScratch)
{
    for (uint32_t seed = 1; seed <= 60; ++seed)
    {
        Twin twin(GetParam(), seed);
        while (twin.numbers.size() < GetParam().flows / 4)
        {
            twin.Add();
        }
        for (uint32_t step = 0; step < 100; ++step)
        {
            SCOPED_TRACE(testing::Message() << "seed " << seed << " step " << step);
            // Many arrive at once now and then.
            uint32_t changes = step % 20 == 0 ? 30 : 1 + twin.dice.DrawBelow(4);
            while (changes-- > 0)
            {
                twin.Change();
            }
            twin.UpdateAndCheck();
            if (step % 10 == 0 && !HasFatalFailure())
            {
                twin.CheckOrder();
            }
            if (HasFatalFailure())
            {
                return;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Random,
    SharingProperty,
    ::testing::Values(
        SharingStyle{"EqualWeights", 1, 1, 1, 1000, 0.05, false, 0.3, 30, 60, 6},
        SharingStyle{"ManyTies", 1, 1, 1, 16, 0.05, true, 0.5, 30, 60, 6},
        SharingStyle{"FewLinksManyFlows", 1, 1, 1, 1e6, 0.02, false, 0.2, 4, 60, 3},
        SharingStyle{"Crowds", 1, 1, 1, 1e6, 0.02, false, 0.5, 5, 600, 2},
        SharingStyle{"CrowdsOfUnequalWeights", 0.1, 10, 1, 1e6, 0, false, 0.3, 3, 600, 2},
        SharingStyle{"CrowdsWithTies", 1, 1, 1, 16, 0.05, true, 0.6, 6, 600, 3},
        SharingStyle{"SharedMedia", 1e-9, 1e-6, 0.1, 1, 0.05, false, 0.2, 10, 60, 2},
        SharingStyle{"UnequalWeights", 1e-9, 1e3, 1, 1000, 0.05, false, 0.1, 30, 60, 6},
        SharingStyle{"UnequalCapacities", 1, 1, 1, 1e12, 0.05, false, 0.3, 30, 60, 6},
        SharingStyle{"UnequalEverything", 1e-9, 1e3, 1e-3, 1e9, 0.1, false, 0.3, 30, 60, 6}),
    [](const auto& style) { return style.param.name; });

TEST(MaxMinSharing, AChangeRipplesAlongAChain)
{
    // Flow i crosses links i and i+1; link i holds flows i-1 and i. With capacities 2i+1 flow i
    // gets i+1. If link 0 loses d, flow 0 loses d, flow 1 gains d, flow 2 loses d, ...
    constexpr uint32_t LENGTH = 2000;
    MaxMinSharing sharing;
    for (uint32_t i = 0; i <= LENGTH; ++i)
    {
        sharing.AddLink(i < LENGTH ? 2 * i + 1 : 1e9);
    }
    for (uint32_t i = 0; i < LENGTH; ++i)
    {
        sharing.AddFlow({{i, 1}, {i + 1, 1}});
    }
    sharing.Update();
    for (const double d : {0.25, -0.25, 0.125, 0.0})
    {
        const uint64_t before = sharing.GetVisits();
        sharing.SetCapacity(0, 1 - d);
        EXPECT_EQ(sharing.Update().size(), LENGTH);
        for (uint32_t i = 0; i < LENGTH; ++i)
        {
            ASSERT_NEAR(sharing.GetRate(i), i + 1 - (i % 2 ? -d : d), TOLERANCE) << "flow " << i;
        }
        EXPECT_LT(sharing.GetVisits() - before, 2 * LENGTH) << "not a pass for every flow";
    }
}

TEST(MaxMinSharing, WorkFollowsWhatChangesNotWhatExists)
{
    // The work of a change is the same in a network a hundred times as large.
    const auto work = [](uint32_t pairs) {
        MaxMinSharing sharing;
        std::vector<uint32_t> flows;
        // All cross one link that is never full, which must not tie them together.
        const uint32_t backbone = sharing.AddLink(1e12);
        for (uint32_t i = 0; i < pairs; ++i)
        {
            const uint32_t link = sharing.AddLink(10);
            flows.push_back(sharing.AddFlow({{link, 1}, {backbone, 1}}));
            flows.push_back(sharing.AddFlow({{link, 1}, {sharing.AddLink(3), 1}}));
        }
        sharing.Update();
        const uint64_t before = sharing.GetVisits();
        sharing.SetCapacity(1, 8);
        EXPECT_EQ(sharing.Update(), std::vector<uint32_t>{flows[0]});
        EXPECT_EQ(sharing.GetRate(flows[0]), 5);
        const uint32_t extra = sharing.AddFlow({{1, 1}});
        EXPECT_EQ(sharing.Update().size(), 3U);
        EXPECT_NEAR(sharing.GetRate(extra), 8.0 / 3, TOLERANCE);
        sharing.SetBound(flows[1], 1);
        EXPECT_EQ(sharing.Update().size(), 3U);
        EXPECT_NEAR(sharing.GetRate(extra), 3.5, TOLERANCE);
        sharing.RemoveFlow(extra);
        EXPECT_EQ(sharing.Update(), std::vector<uint32_t>{flows[0]});
        EXPECT_EQ(sharing.GetRate(flows[0]), 7);
        EXPECT_TRUE(sharing.Update().empty());
        return sharing.GetVisits() - before;
    };
    EXPECT_EQ(work(10000), work(1));
    EXPECT_LE(work(1), 20U);
}

TEST(MaxMinSharing, ABoundThatHoldsNoFlowCostsNothing)
{
    MaxMinSharing sharing;
    const uint32_t link = sharing.AddLink(10);
    const uint32_t one = sharing.AddFlow({{link, 1}}, 100);
    const uint32_t other = sharing.AddFlow({{link, 1}}, 2);
    sharing.Update();
    const uint64_t before = sharing.GetVisits();
    EXPECT_FALSE(sharing.SetBound(one, 9));
    EXPECT_FALSE(sharing.SetBound(one, 8)); // its rate
    EXPECT_FALSE(sharing.SetBound(other, 2));
    EXPECT_TRUE(sharing.Update().empty());
    EXPECT_EQ(sharing.GetVisits(), before);
    // The last one counts once the link leaves more.
    EXPECT_TRUE(sharing.SetBound(other, 1));
    sharing.Update();
    EXPECT_EQ(sharing.GetRate(one), 8);
    EXPECT_EQ(sharing.GetBottleneck(one), MaxMinSharing::NONE);
    EXPECT_TRUE(sharing.SetBound(one, 7));
    sharing.Update();
    EXPECT_EQ(sharing.GetRate(one), 7);
}

TEST(MaxMinSharing, TellsWhatHoldsAFlow)
{
    MaxMinSharing sharing;
    const uint32_t wide = sharing.AddLink(10);
    const uint32_t narrow = sharing.AddLink(2);
    const uint32_t both = sharing.AddFlow({{wide, 1}, {narrow, 1}});
    const uint32_t one = sharing.AddFlow({{wide, 1}});
    const uint32_t slow = sharing.AddFlow({{wide, 1}}, 1);
    sharing.Update();
    EXPECT_EQ(sharing.GetBottleneck(both), narrow);
    EXPECT_EQ(sharing.GetBottleneck(one), wide);
    EXPECT_EQ(sharing.GetBottleneck(slow), MaxMinSharing::NONE);
    EXPECT_EQ(sharing.GetRate(one), 7);
    EXPECT_EQ(sharing.GetCapacity(wide), 10);
    EXPECT_EQ(sharing.GetHops(both).size(), 2U);
}
