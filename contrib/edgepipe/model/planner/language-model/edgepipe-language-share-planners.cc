/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-language-parts.h"
#include "edgepipe-language-planner.h"

#include "ns3/edgepipe-ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

namespace ns3::edgepipe
{

namespace
{

/**
 * @param problem a split by layers
 * @param node index of a node
 * @param isHead whether it computes the head
 * @return layers that its memory holds, at most all
 */
double
CountFittingLayers(const LanguageProblem& problem, std::size_t node, bool isHead)
{
    const double free =
        problem.nodes[node].memoryBytes - GetLanguageBytes(problem, 0, node == 0, isHead);
    return problem.partBytes > 0
               ? std::clamp(std::floor(free / problem.partBytes), 0., 1. * problem.amount)
               : problem.amount;
}

/**
 * Share out layers in proportion to speed by water-filling, rounded by largest remainders.
 *
 * @param problem a split by layers
 * @param order of the nodes
 * @param capacities most layers of each
 * @return the plan; nodes without a layer are left out
 * @throws InputError if the capacities do not suffice
 */
LanguagePlan
FillInProportion(const LanguageProblem& problem,
                 const std::vector<std::size_t>& order,
                 const std::vector<double>& capacities)
{
    const auto add = [](const std::vector<double>& all) {
        return Sum(all, [](double one) { return one; });
    };
    Require(add(capacities) >= problem.amount, "no plan fits into the memories");
    const auto list = CountUp(order.size());
    const auto fill = [&](double seconds) {
        return Map(list, [&](std::size_t i) {
            return std::min(capacities[i], seconds / problem.nodes[order[i]].layerSeconds);
        });
    };
    double low = 0;
    double high = 0;
    for (const std::size_t i : list)
    {
        high = std::max(high, capacities[i] * problem.nodes[order[i]].layerSeconds);
    }
    // As often as Parallax, far below a layer.
    for (uint32_t step = 0; step < 40; ++step)
    {
        const double middle = (low + high) / 2;
        (add(fill(middle)) >= problem.amount ? high : low) = middle;
    }
    const std::vector<double> target = fill(high);
    auto amounts = Map(target, [](double one) { return static_cast<uint32_t>(one); });
    auto left = problem.amount - Sum(amounts, [](uint32_t one) { return one; });
    auto byRest = list;
    std::stable_sort(byRest.begin(), byRest.end(), [&](std::size_t a, std::size_t b) {
        return target[a] - amounts[a] > target[b] - amounts[b];
    });
    for (const std::size_t i : byRest)
    {
        if (left > 0 && amounts[i] < capacities[i])
        {
            ++amounts[i];
            --left;
        }
    }
    LanguagePlan plan = BeginPlan(problem);
    for (const std::size_t i : list)
    {
        if (amounts[i] > 0)
        {
            plan.parts.push_back({order[i], amounts[i]});
        }
    }
    return plan;
}

} // namespace

/**
 * Shares out layers by memory, as exo's RingMemoryWeightedPartitioningStrategy: ends of shares, the
 * largest memory's first, are rounded to five digits and cut off to whole layers, and the last
 * memory gets the rest. Neither speed nor what else the memory must hold counts. The ring begins at
 * the first node, where requests arrive.
 */
class ExoLanguagePlanner : public Named<ExoLanguagePlanner, LanguagePlanner>
{
  public:
    static constexpr const char* NAME = "exo"; //!< for users

  private:
    LanguagePlan DoPlan(const LanguageProblem& problem) override
    {
        auto order = ListHolders(problem);
        std::sort(order.begin(), order.end(), [&problem](std::size_t a, std::size_t b) {
            const auto key = [&](const LanguageNode& node) {
                return std::tie(node.memoryBytes, node.name);
            };
            return key(problem.nodes[b]) < key(problem.nodes[a]);
        });
        const double all =
            Sum(order, [&](std::size_t node) { return problem.nodes[node].memoryBytes; });
        Require(all > 0, "found no memory, expected some on a node");
        LanguagePlan plan = BeginPlan(problem);
        double end = 0;
        uint32_t given = 0;
        for (const std::size_t node : order)
        {
            end = std::round((end + problem.nodes[node].memoryBytes / all) * 1e5) / 1e5;
            const uint32_t to =
                node == order.back() ? problem.amount : static_cast<uint32_t>(end * problem.amount);
            if (to > given)
            {
                // The first node's part stands first.
                plan.parts.insert(node == 0 ? plan.parts.begin() : plan.parts.end(),
                                  {node, to - given});
                given = to;
            }
        }
        return plan;
    }
};

NS_OBJECT_ENSURE_REGISTERED(ExoLanguagePlanner);

/**
 * One pipeline of Parallax's layer allocation (GradientHQ/parallax, layer_allocation.py): as few
 * nodes as hold the model, the largest first; layers in proportion to speed within the memories by
 * water-filling, rounded by largest remainders. Speed is that of a layer here, FLOP/s there. The
 * first node, where requests arrive, is always one. Further pipelines for other requests are not
 * modelled.
 */
class ParallaxLanguagePlanner : public Named<ParallaxLanguagePlanner, LanguagePlanner>
{
  public:
    static constexpr const char* NAME = "parallax"; //!< for users

  private:
    LanguagePlan DoPlan(const LanguageProblem& problem) override
    {
        auto order = ListHolders(problem);
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return a != 0 && b != 0 ? CountFittingLayers(problem, a, false) >
                                          CountFittingLayers(problem, b, false)
                                    : a == 0 && b != 0;
        });
        const auto isHead = [&](std::size_t i) {
            return problem.isHeadLast ? i + 1 == order.size() : order[i] == 0;
        };
        std::vector<double> capacities;
        // As many nodes as are needed, each time with the head on the last one.
        const auto all = order;
        for (std::size_t nodes = 1; nodes <= all.size(); ++nodes)
        {
            order.assign(all.begin(), all.begin() + nodes);
            capacities = Map(CountUp(nodes), [&](std::size_t i) {
                return CountFittingLayers(problem, order[i], isHead(i));
            });
            if (Sum(capacities, [](double one) { return one; }) >= problem.amount)
            {
                break;
            }
        }
        return FillInProportion(problem, order, capacities);
    }
};

NS_OBJECT_ENSURE_REGISTERED(ParallaxLanguagePlanner);

/**
 * Layers in proportion to memory bandwidth within the memories, as exo's pull request 2297 proposes
 * in place of its shares by memory: over as many nodes, the largest memory first, as take least
 * time for a token. Speed is that of a layer here. The ring begins at the first node.
 */
class ExoBandwidthLanguagePlanner : public Named<ExoBandwidthLanguagePlanner, LanguagePlanner>
{
  public:
    static constexpr const char* NAME = "exo-bandwidth"; //!< for users

  private:
    LanguagePlan DoPlan(const LanguageProblem& problem) override
    {
        auto all = ListHolders(problem);
        std::stable_sort(all.begin(), all.end(), [&](std::size_t a, std::size_t b) {
            return a != 0 && b != 0 ? problem.nodes[a].memoryBytes > problem.nodes[b].memoryBytes
                                    : a == 0 && b != 0;
        });
        std::optional<LanguagePlan> best;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t nodes = 1; nodes <= all.size(); ++nodes)
        {
            const std::vector<std::size_t> order(all.begin(), all.begin() + nodes);
            const auto capacities = Map(CountUp(nodes), [&](std::size_t i) {
                const bool isHead = problem.isHeadLast ? i + 1 == nodes : order[i] == 0;
                return CountFittingLayers(problem, order[i], isHead);
            });
            if (Sum(capacities, [](double one) { return one; }) < problem.amount)
            {
                continue;
            }
            const LanguagePlan plan = FillInProportion(problem, order, capacities);
            // The head moves where the last node gets no layer.
            const LanguagePlanCost cost = GetLanguagePlanCost(problem, plan);
            if (cost.fits && cost.latencySeconds < least)
            {
                least = cost.latencySeconds;
                best = plan;
            }
        }
        Require(best.has_value(), "no plan fits into the memories");
        return *best;
    }
};

NS_OBJECT_ENSURE_REGISTERED(ExoBandwidthLanguagePlanner);

} // namespace ns3::edgepipe
