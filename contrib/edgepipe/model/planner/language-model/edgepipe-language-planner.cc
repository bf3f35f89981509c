/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-language-planner.h"

#include "edgepipe-language-parts.h"

#include "ns3/edgepipe-ranges.h"

#include <limits>
#include <optional>

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

std::vector<std::size_t>
ListHolders(const LanguageProblem& problem, std::size_t most)
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

} // namespace ns3::edgepipe
