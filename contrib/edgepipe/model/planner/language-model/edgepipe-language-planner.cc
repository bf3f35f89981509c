/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-language-planner.h"

#include "ns3/edgepipe-ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(LanguagePlanner);

LanguagePlan
LanguagePlanner::Plan(const LanguageProblem& problem)
{
    ValidateLanguageProblem(problem);
    return MakeOrRefuse([&] {
        LanguagePlan plan = DecideTimed([&] { return DoPlan(problem); });
        ValidateLanguagePlan(problem, plan);
        return plan;
    });
}

namespace
{

/**
 * @param problem a problem
 * @return the clients' empty parts
 */
LanguagePlan
BeginPlan(const LanguageProblem& problem)
{
    LanguagePlan plan;
    for (std::size_t node = 0; node < problem.clients; ++node)
    {
        plan.parts.push_back({node, 0});
    }
    return plan;
}

/**
 * @param problem a problem
 * @param node index of a node
 * @param amount that it holds
 * @param isHead whether it computes the head
 * @param seconds that it computes
 * @return the same with weights read from its disk; none: it cannot hold so much
 */
std::optional<double>
AddDisk(const LanguageProblem& problem,
        std::size_t node,
        uint32_t amount,
        bool isHead,
        double seconds)
{
    const LanguageNode& one = problem.nodes[node];
    const double excess = GetLanguageBytes(problem, amount, node == 0, isHead) - one.memoryBytes;
    return excess <= 0                   ? std::optional(seconds)
           : one.disk.bytesPerSecond > 0 ? std::optional(one.disk.Add(seconds, excess))
                                         : std::nullopt;
}

/**
 * @param problem a problem
 * @param most nodes
 * @return nodes that may hold layers, in their order
 * @throws InputError if it is not split by layers, or has more nodes
 */
std::vector<std::size_t>
ListHolders(const LanguageProblem& problem,
            std::size_t most = std::numeric_limits<std::size_t>::max())
{
    Require(!problem.isTensorSplit,
            "found a split by tensors, expected one by layers; by-speed plans both");
    Require(problem.nodes.size() <= most,
            "found " + std::to_string(problem.nodes.size()) + " nodes, expected at most " +
                std::to_string(most));
    auto nodes = CountUp(problem.nodes.size());
    nodes.erase(nodes.begin(), nodes.begin() + problem.clients);
    return nodes;
}

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
 * Gives every node the same amount, earlier ones one more where it does not come out even.
 */
class UniformLanguagePlanner : public Named<UniformLanguagePlanner, LanguagePlanner>
{
  public:
    static constexpr const char* NAME = "uniform"; //!< for users

  private:
    LanguagePlan DoPlan(const LanguageProblem& problem) override
    {
        LanguagePlan plan = BeginPlan(problem);
        const uint32_t nodes = problem.nodes.size() - problem.clients;
        Require(nodes <= problem.amount,
                "found " + std::to_string(nodes) + " nodes, expected at most " +
                    std::to_string(problem.amount) +
                    ", one for each layer, or for each head of keys and values");
        for (uint32_t i = 0; i < nodes; ++i)
        {
            plan.parts.push_back(
                {i + problem.clients, problem.amount / nodes + (i < problem.amount % nodes)});
        }
        return plan;
    }
};

NS_OBJECT_ENSURE_REGISTERED(UniformLanguagePlanner);

/**
 * Minimises the longest computation of a node within the memories: amounts go one by one to the
 * node that would then finish first. Nodes keep their order.
 */
class BySpeedLanguagePlanner : public Named<BySpeedLanguagePlanner, LanguagePlanner>
{
  public:
    static constexpr const char* NAME = "by-speed"; //!< for users

  private:
    LanguagePlan DoPlan(const LanguageProblem& problem) override
    {
        const std::size_t first = problem.clients;
        const std::size_t count = problem.nodes.size();
        const std::size_t head = problem.isHeadLast ? count - 1 : 0;
        std::vector<uint32_t> amounts(count);
        for (uint32_t given = 0; given < problem.amount; ++given)
        {
            std::size_t best = count;
            double least = std::numeric_limits<double>::infinity();
            for (std::size_t node = first; node < count; ++node)
            {
                const auto& one = problem.nodes[node];
                const uint32_t amount = amounts[node] + 1;
                const auto seconds =
                    AddDisk(problem, node, amount, node == head, amount * one.layerSeconds);
                // Requests arrive at the first node, which every plan uses.
                const double end = node == 0 && amount == 1 ? -1 : seconds.value_or(least);
                if (seconds && end < least)
                {
                    least = end;
                    best = node;
                }
            }
            Require(best < count,
                    "the memories hold " + std::to_string(given) + " of " +
                        std::to_string(problem.amount) + " parts, expected all");
            ++amounts[best];
        }
        LanguagePlan plan = BeginPlan(problem);
        for (std::size_t node = first; node < count; ++node)
        {
            if (amounts[node] > 0)
            {
                plan.parts.push_back({node, amounts[node]});
            }
        }
        return plan;
    }
};

NS_OBJECT_ENSURE_REGISTERED(BySpeedLanguagePlanner);

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
            const double latency = GetLanguagePlanCost(problem, plan).latencySeconds;
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

NS_OBJECT_ENSURE_REGISTERED(ExoBandwidthLanguagePlanner);

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
