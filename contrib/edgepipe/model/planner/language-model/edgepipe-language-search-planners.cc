/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-language-parts.h"
#include "edgepipe-language-planner.h"

#include "ns3/edgepipe-ranges.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace ns3::edgepipe
{

namespace
{

/**
 * @param problem a split by layers
 * @param nodes that all hold a layer or more, in their order
 * @return least computation of a token: the fastest memory, or disk, is filled first; none: it does
 *         not fit
 */
std::optional<LanguagePlan>
FillFastest(const LanguageProblem& problem, const std::vector<std::size_t>& nodes)
{
    if (nodes.empty() || nodes.size() > problem.amount)
    {
        return std::nullopt;
    }
    LanguagePlan plan = BeginPlan(problem);
    for (const std::size_t node : nodes)
    {
        plan.parts.push_back({node, 1});
    }
    auto order = CountUp(nodes.size());
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return problem.nodes[nodes[a]].layerSeconds < problem.nodes[nodes[b]].layerSeconds;
    });
    const std::size_t head = problem.isHeadLast ? nodes.back() : 0;
    const auto getSeconds = [&](const LanguagePart& part, uint32_t amount) {
        const LanguageNode& node = problem.nodes[part.node];
        const bool isHead = part.node == head;
        return AddDisk(problem,
                       part.node,
                       amount,
                       isHead,
                       amount * node.layerSeconds + (isHead ? node.headSeconds : 0));
    };
    for (uint32_t left = problem.amount - nodes.size(); left > 0; --left)
    {
        LanguagePart* best = nullptr;
        double least = std::numeric_limits<double>::infinity();
        for (const std::size_t i : order)
        {
            auto& part = plan.parts[problem.clients + i];
            const LanguageNode& node = problem.nodes[part.node];
            const auto after = getSeconds(part, part.amount + 1);
            const bool isRead =
                GetLanguageBytes(problem, part.amount + 1, part.node == 0, part.node == head) >
                node.memoryBytes;
            // Where reading is hidden, memory comes first.
            const double more = isRead && after
                                    ? (*after - *getSeconds(part, part.amount)) * (1 + 1e-9)
                                    : node.layerSeconds;
            if (after && more < least)
            {
                least = more;
                best = &part;
            }
        }
        if (!best)
        {
            return std::nullopt;
        }
        ++best->amount;
    }
    return GetLanguagePlanCost(problem, plan).fits ? std::optional(plan) : std::nullopt;
}

} // namespace

/**
 * The least latency of a token, for splits by layers: dynamic programme over layers, set of used
 * nodes, and last node, so that every node holds one stretch of layers and memories are kept
 * exactly.
 */
class ExactLanguagePlanner : public Named<ExactLanguagePlanner, LanguagePlanner>
{
  public:
    static constexpr const char* NAME = "exact"; //!< for users

    /** @param isPeriod whether to minimise the period rather than a token's latency */
    explicit ExactLanguagePlanner(bool isPeriod = false)
        : m_isPeriod(isPeriod)
    {
    }

  private:
    /// Most nodes, whose sets are enumerated.
    static constexpr std::size_t MOST_NODES = 12;

    LanguagePlan DoPlan(const LanguageProblem& problem) override
    {
        const std::size_t nodes = problem.nodes.size();
        ListHolders(problem, MOST_NODES);
        constexpr double NONE = std::numeric_limits<double>::infinity();
        const uint32_t layers = problem.amount;
        const std::size_t sets = std::size_t{1} << nodes;
        const auto place = [&](uint32_t done, std::size_t set, std::size_t last) {
            return (done * sets + set) * nodes + last;
        };
        std::vector<double> cost((layers + 1) * sets * nodes, NONE);
        std::vector<std::pair<uint32_t, uint32_t>> from(cost.size()); // layers, last node
        cost[place(0, problem.clients, 0)] = 0; // a client is the first node and used
        const auto join = [this](double a, double b) {
            return m_isPeriod ? std::max(a, b) : a + b;
        };
        const bool hasHeadFirst = !problem.isHeadLast;
        for (uint32_t done = 0; done < layers; ++done)
        {
            for (std::size_t set = 0; set < sets; ++set)
            {
                for (std::size_t last = 0; last < nodes; ++last)
                {
                    const double known = cost[place(done, set, last)];
                    if (known == NONE)
                    {
                        continue;
                    }
                    for (std::size_t next = 0; next < nodes; ++next)
                    {
                        if (set >> next & 1 || (set == 0 && next > 0))
                        {
                            continue;
                        }
                        const LanguageNode& node = problem.nodes[next];
                        const double hop =
                            set == 0 ? 0
                                     : GetLanguageHopSeconds(problem, last, next, problem.hopBytes);
                        for (uint32_t end = done + 1; end <= layers; ++end)
                        {
                            const bool isHead = problem.isHeadLast ? end == layers : next == 0;
                            const auto compute = AddDisk(problem,
                                                         next,
                                                         end - done,
                                                         isHead,
                                                         (end - done) * node.layerSeconds +
                                                             (isHead ? node.headSeconds : 0));
                            if (!compute)
                            {
                                continue;
                            }
                            const bool isAlone = set == 0 && end == layers;
                            const double closing =
                                end < layers || isAlone
                                    ? 0
                                    : GetLanguageHopSeconds(problem, next, 0, problem.closingBytes);
                            const double all = join(join(join(known, hop), *compute), closing);
                            auto& best = cost[place(end, set | std::size_t{1} << next, next)];
                            if (all < best)
                            {
                                best = all;
                                from[&best - cost.data()] = {done, last};
                            }
                        }
                    }
                }
            }
        }
        // A client computes the head, too.
        const double client =
            problem.clients > 0 && hasHeadFirst ? problem.nodes.front().headSeconds : 0;
        double least = NONE;
        std::size_t set = 0;
        std::size_t last = 0;
        for (std::size_t i = 0; i < sets; ++i)
        {
            for (std::size_t node = 0; node < nodes; ++node)
            {
                const double all = join(cost[place(layers, i, node)], client);
                if (all < least)
                {
                    least = all;
                    set = i;
                    last = node;
                }
            }
        }
        Require(least < NONE, "no plan fits into the memories");
        LanguagePlan plan;
        for (uint32_t done = layers; done > 0;)
        {
            const auto [before, previous] = from[place(done, set, last)];
            plan.parts.insert(plan.parts.begin(), {last, done - before});
            set &= ~(std::size_t{1} << last);
            done = before;
            last = previous;
        }
        const LanguagePlan begin = BeginPlan(problem);
        plan.parts.insert(plan.parts.begin(), begin.parts.begin(), begin.parts.end());
        return plan;
    }

    bool m_isPeriod; //!< whether to minimise the period
};

NS_OBJECT_ENSURE_REGISTERED(ExactLanguagePlanner);

/**
 * The least period: algorithm 2 of M. Zhang et al., "EdgeShard: Efficient LLM Inference via
 * Collaborative Edge Computing", with the head and the closing hop counted.
 */
class EdgeShardThroughputPlanner : public Named<EdgeShardThroughputPlanner, ExactLanguagePlanner>
{
  public:
    static constexpr const char* NAME = "edgeshard-throughput"; //!< for users

    EdgeShardThroughputPlanner()
        : Named(true)
    {
    }
};

NS_OBJECT_ENSURE_REGISTERED(EdgeShardThroughputPlanner);

/**
 * The integer programme of Z. Li et al., "PRIMA.CPP: Speeding Up 70B-Scale LLM Inference on
 * Low-Resource Everyday Home Clusters", as common/common.cpp of prima.cpp states it, for devices
 * that have one kind of processor: least computation and reading with a layer or more on every
 * node, messages taken as nothing (its xi is 0). A node that gets one layer, but the first, is left
 * out, and the others share again. More rounds of a ring never take less by it.
 */
class HaldaLanguagePlanner : public Named<HaldaLanguagePlanner, LanguagePlanner>
{
  public:
    static constexpr const char* NAME = "halda"; //!< for users

  private:
    LanguagePlan DoPlan(const LanguageProblem& problem) override
    {
        auto nodes = ListHolders(problem);
        auto plan = FillFastest(problem, nodes);
        Require(plan.has_value(), "no plan with a layer on every node fits into the memories");
        while (true)
        {
            std::vector<std::size_t> strong;
            for (std::size_t i = 0; i < nodes.size(); ++i)
            {
                if (i == 0 || plan->parts[problem.clients + i].amount > 1)
                {
                    strong.push_back(nodes[i]);
                }
            }
            const auto next = FillFastest(problem, strong);
            // prima.cpp aborts where the others do not hold the model.
            if (strong.size() == nodes.size() || !next)
            {
                return *plan;
            }
            nodes = strong;
            plan = next;
        }
    }
};

NS_OBJECT_ENSURE_REGISTERED(HaldaLanguagePlanner);

/**
 * HaldaLanguagePlanner's programme with messages: the least latency of a token over all sets of
 * nodes, which keep their order.
 */
class HaldaNetworkLanguagePlanner : public Named<HaldaNetworkLanguagePlanner, LanguagePlanner>
{
  public:
    static constexpr const char* NAME = "halda-network"; //!< for users

  private:
    /// Most nodes, whose sets are enumerated.
    static constexpr std::size_t MOST_NODES = 16;

    LanguagePlan DoPlan(const LanguageProblem& problem) override
    {
        const auto holders = ListHolders(problem, MOST_NODES);
        std::optional<LanguagePlan> best;
        double least = std::numeric_limits<double>::infinity();
        // Every plan has the first node.
        for (std::size_t set = 1; set < std::size_t{1} << problem.nodes.size(); set += 2)
        {
            const auto nodes =
                Filter(holders, [set](std::size_t node) { return (set >> node & 1) == 1; });
            const auto plan = FillFastest(problem, nodes);
            const double latency =
                plan ? GetLanguagePlanCost(problem, *plan).latencySeconds : least;
            if (latency < least)
            {
                least = latency;
                best = plan;
            }
        }
        Require(best.has_value(), "no plan fits into the memories");
        return *best;
    }
};

NS_OBJECT_ENSURE_REGISTERED(HaldaNetworkLanguagePlanner);

} // namespace ns3::edgepipe
