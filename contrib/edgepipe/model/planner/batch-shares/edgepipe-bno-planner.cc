/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-batch-shares-planner.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"
#include "ns3/edgepipe-ranges.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

namespace
{

/** @return part / whole; 0 if whole is 0 */
double
GetRatio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/**
 * @param problem a problem
 * @param isOwnMean whether a node's latency to itself is the mean of those to the others
 * @return latencies by node: to every node, or only to the first one
 */
std::vector<std::vector<double>>
FindLatencies(const BatchSharesProblem& problem, bool isOwnMean)
{
    auto latencies = Map(problem.nodes, &BatchSharesNode::latenciesSeconds);
    const std::size_t count = latencies.size();
    const bool isOfFirst = latencies.front().size() == 1;
    for (std::size_t i = 0; isOwnMean && count > 1 && i < (isOfFirst ? 1 : count); ++i)
    {
        // With one latency per node, the first node's latencies are those of the others to it.
        double sum = 0;
        for (std::size_t j = 0; j < count; ++j)
        {
            sum += i == j ? 0 : isOfFirst ? latencies[j].front() : latencies[i][j];
        }
        latencies[i][isOfFirst ? 0 : i] = sum / (count - 1);
    }
    return latencies;
}

} // namespace

/**
 * BalanceNet Orchestrator: the base batch times the mean of three shares, of operations, unused
 * memory and latency.
 *
 * With one latency per node, that to the first node, this is the paper's algorithm 1; with one per
 * pair, its equations 4 and 5, which sum over the pairs. A ratio with denominator 0 counts as 0.
 * The batches sum to the base batch only if the problem sets normalize.
 *
 * The paper leaves open a node's latency to itself, which dominates the first node's share.
 * OwnLatency selects the measured one, of a node that answers itself at once, or the mean of its
 * latencies to the others.
 */
class BnoPlanner : public Named<BnoPlanner, BatchSharesPlanner>
{
  public:
    static constexpr const char* NAME = "bno"; //!< for users

    /// @copydoc Named::AddAttributes
    static TypeId AddAttributes(TypeId tid)
    {
        return Attributes(tid).Add(
            "OwnLatency",
            "A node's latency to itself: measured, or mean (of its latencies to the others).",
            {&BnoPlanner::m_ownLatency, "measured"});
    }

  private:
    BatchSharesPlan DoPlan(const BatchSharesProblem& problem) override
    {
        Require(m_ownLatency == "measured" || m_ownLatency == "mean",
                "attribute OwnLatency: found " + QuoteForMessage(m_ownLatency) +
                    ", expected measured or mean");
        const auto latencies = FindLatencies(problem, m_ownLatency == "mean");
        double ops = 0;
        double memory = 0;
        double latency = 0;
        for (const auto& node : problem.nodes)
        {
            ops += node.opsPerSecond;
            memory += node.memoryBytesInUse;
        }
        for (const auto& own : latencies)
        {
            latency = std::max(latency, own.front());
        }
        std::vector<double> shares;
        for (std::size_t i = 0; i < problem.nodes.size(); ++i)
        {
            const auto& node = problem.nodes[i];
            // Equations 1 and 2.
            const double key = GetRatio(node.opsPerSecond, ops);
            const double memoryWeight = 1 - GetRatio(node.memoryBytesInUse, memory);
            const auto& own = latencies[i];
            // Equation 4; with one latency per node, algorithm 1, line 8.
            const double longest =
                own.size() > 1 ? *std::max_element(own.begin(), own.end()) : latency;
            const double networkWeight =
                Sum(own, [&](double seconds) { return 1 - GetRatio(seconds, longest); });
            shares.push_back((key + memoryWeight + networkWeight) / 3);
        }
        if (problem.normalize)
        {
            return {SplitBatch(problem.baseBatch, shares)};
        }
        BatchSharesPlan plan;
        for (const double share : shares)
        {
            // Equation 5. The factor keeps rounding from losing a whole sample.
            const double samples = share * static_cast<double>(problem.baseBatch) * (1 + 1e-14);
            plan.batches.push_back(std::max<uint64_t>(1, static_cast<uint64_t>(samples)));
        }
        return plan;
    }

    std::string m_ownLatency; //!< measured or mean
};

NS_OBJECT_ENSURE_REGISTERED(BnoPlanner);

} // namespace ns3::edgepipe
