/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-batch-shares-problem.h"

#include "ns3/edgepipe-problem-check.h"

namespace ns3::edgepipe
{

void
ValidateBatchSharesProblem(const BatchSharesProblem& problem)
{
    const auto check = [](const std::string& name, const char* field, double value) {
        RequireFound(value >= 0 && value <= LARGEST_FIGURE,
                     Place{"node", name, field},
                     value,
                     JoinParts("0 to ", LARGEST_FIGURE));
    };
    const std::size_t count = problem.nodes.size();
    Require(count > 0, "the problem has no node, expected at least one");
    RequireFound(problem.baseBatch >= count && problem.baseBatch <= LARGEST_BASE_BATCH,
                 "baseBatch",
                 problem.baseBatch,
                 "a sample or more for each of " + std::to_string(count) +
                     " nodes, and at most 2^40");
    check("", "opsPerSample", problem.opsPerSample);
    RequireNames(problem.nodes, "node");
    const std::size_t latencies = problem.nodes.front().latenciesSeconds.size();
    for (const auto& node : problem.nodes)
    {
        check(node.name, "opsPerSecond", node.opsPerSecond);
        check(node.name, "memoryBytesInUse", node.memoryBytesInUse);
        check(node.name, "communicationSeconds", node.communicationSeconds);
        const std::size_t found = node.latenciesSeconds.size();
        RequireFound(found == latencies && (found == 1 || found == count),
                     Place{"node", node.name},
                     std::to_string(found) + " latencies",
                     "every node to have one, or one for each of " + std::to_string(count) +
                         " nodes");
        for (const double seconds : node.latenciesSeconds)
        {
            check(node.name, "latency", seconds);
        }
    }
}

} // namespace ns3::edgepipe
