/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-batch-shares-problem-json.h"

#include "ns3/edgepipe-input-error.h"

#include <nlohmann/json.hpp>

namespace ns3
{
namespace edgepipe
{

BatchSharesProblem
ReadBatchSharesProblem(const JsonField& root, const std::string& path)
{
    root.CheckKeys({"problem", "baseBatch", "nodes", "normalize", "opsPerSample"});
    BatchSharesProblem problem;
    for (const JsonField& entry : root.GetField("nodes").GetElements())
    {
        entry.CheckKeys({"name",
                         "opsPerSecond",
                         "memoryBytesInUse",
                         "latencySeconds",
                         "latenciesSeconds",
                         "communicationSeconds"});
        BatchSharesNode node;
        node.name = entry.GetField("name").GetName();
        node.opsPerSecond = entry.GetField("opsPerSecond").GetNumber(0);
        node.memoryBytesInUse = entry.GetField("memoryBytesInUse").GetNumber(0);
        const auto latency = entry.FindField("latencySeconds");
        const auto latencies = entry.FindField("latenciesSeconds");
        if (latency.has_value() == latencies.has_value())
        {
            entry.FailWith("found " + std::string(latency ? "both" : "neither") +
                           " of latencySeconds and latenciesSeconds, expected one of them");
        }
        if (latency)
        {
            node.latenciesSeconds.push_back(latency->GetNumber(0));
        }
        else
        {
            for (const JsonField& seconds : latencies->GetElements())
            {
                node.latenciesSeconds.push_back(seconds.GetNumber(0));
            }
        }
        if (const auto seconds = entry.FindField("communicationSeconds"))
        {
            node.communicationSeconds = seconds->GetNumber(0);
        }
        problem.nodes.push_back(node);
    }
    problem.baseBatch = root.GetField("baseBatch").GetInteger();
    if (const auto normalize = root.FindField("normalize"))
    {
        problem.normalize = normalize->GetBoolean();
    }
    if (const auto ops = root.FindField("opsPerSample"))
    {
        problem.opsPerSample = ops->GetPositiveNumber();
    }
    try
    {
        ValidateBatchSharesProblem(problem);
    }
    catch (const InputError& error)
    {
        throw InputError(path + ": " + error.what());
    }
    return problem;
}

std::string
FormatBatchSharesPlan(const BatchSharesPlan& plan, const std::string& planner)
{
    nlohmann::ordered_json document;
    document["planner"] = planner;
    document["batches"] = plan.batches;
    return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace edgepipe
} // namespace ns3
