/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-batch-shares-problem.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"

#include <set>
#include <sstream>

namespace ns3::edgepipe
{

namespace
{

/// Largest figure allowed, so that sums stay finite.
constexpr double LARGEST = 1e200;

/**
 * @param name of a node
 * @param field name of a figure
 * @param value the figure
 * @throws InputError if it is not from 0 to LARGEST
 */
void
CheckFigure(const std::string& name, const char* field, double value)
{
    // Also rejects NaN.
    if (!(value >= 0 && value <= LARGEST))
    {
        std::ostringstream message;
        message << "node " << QuoteForMessage(name) << ", " << field << ": found " << value
                << ", expected 0 to " << LARGEST;
        throw InputError(message.str());
    }
}

} // namespace

void
ValidateBatchSharesProblem(const BatchSharesProblem& problem)
{
    const std::size_t count = problem.nodes.size();
    Require(count > 0, "the problem has no node, expected at least one");
    Require(problem.baseBatch >= count && problem.baseBatch <= LARGEST_BASE_BATCH,
            "baseBatch: found " + std::to_string(problem.baseBatch) +
                ", expected a sample or more for each of " + std::to_string(count) +
                " nodes, and at most 2^40");
    CheckFigure("", "opsPerSample", problem.opsPerSample);
    const std::size_t latencies = problem.nodes.front().latenciesSeconds.size();
    std::set<std::string> names;
    for (const auto& node : problem.nodes)
    {
        if (!names.insert(node.name).second)
        {
            throw InputError("node " + QuoteForMessage(node.name) + " is given twice");
        }
        CheckFigure(node.name, "opsPerSecond", node.opsPerSecond);
        CheckFigure(node.name, "memoryBytesInUse", node.memoryBytesInUse);
        CheckFigure(node.name, "communicationSeconds", node.communicationSeconds);
        const std::size_t found = node.latenciesSeconds.size();
        if (found != latencies || (found != 1 && found != count))
        {
            throw InputError("node " + QuoteForMessage(node.name) + ": found " +
                             std::to_string(found) +
                             " latencies, expected every node to have one, or one for each of " +
                             std::to_string(count) + " nodes");
        }
        for (const double seconds : node.latenciesSeconds)
        {
            CheckFigure(node.name, "latency", seconds);
        }
    }
}

} // namespace ns3::edgepipe
