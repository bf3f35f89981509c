/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-bno-planner.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(BnoPlanner);

namespace
{

/** @return a part over a whole; 0 if the whole is */
double
GetRatio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

} // namespace

TypeId
BnoPlanner::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::BnoPlanner")
                            .SetParent<BatchSharesPlanner>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<BnoPlanner>();
    return tid;
}

std::string
BnoPlanner::GetName() const
{
    return "bno";
}

BatchSharesPlan
BnoPlanner::DoPlan(const BatchSharesProblem& problem)
{
    double ops = 0;
    double memory = 0;
    double latency = 0;
    for (const auto& node : problem.nodes)
    {
        ops += node.opsPerSecond;
        memory += node.memoryBytesInUse;
        latency = std::max(latency, node.latenciesSeconds.front());
    }
    std::vector<double> shares;
    for (const auto& node : problem.nodes)
    {
        // Equations 1 and 2.
        const double key = GetRatio(node.opsPerSecond, ops);
        const double memoryWeight = 1 - GetRatio(node.memoryBytesInUse, memory);
        const auto& own = node.latenciesSeconds;
        // Equation 4; algorithm 1, line 8, if there is but one.
        const double longest = own.size() > 1 ? *std::max_element(own.begin(), own.end()) : latency;
        double networkWeight = 0;
        for (const double seconds : own)
        {
            networkWeight += 1 - GetRatio(seconds, longest);
        }
        shares.push_back((key + memoryWeight + networkWeight) / 3);
    }
    if (problem.normalize)
    {
        return {SplitBatch(problem.baseBatch, shares)};
    }
    BatchSharesPlan plan;
    for (const double share : shares)
    {
        // Equation 5. A product that is a whole number but for rounding is that number.
        const double samples = share * static_cast<double>(problem.baseBatch) * (1 + 1e-14);
        plan.batches.push_back(std::max<uint64_t>(1, static_cast<uint64_t>(samples)));
    }
    return plan;
}

} // namespace edgepipe
} // namespace ns3
