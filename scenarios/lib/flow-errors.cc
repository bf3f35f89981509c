/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/flow-errors.h"

#include "lib/run-report.h"
#include "lib/traces-option.h"

#include "ns3/edgepipe-flow-transport.h"
#include "ns3/edgepipe-json-reader.h"

#include <filesystem>

namespace ns3::edgepipe
{

namespace
{

/// Largest 95th percentile that is not reported, a share.
constexpr double LARGE = 0.05;

} // namespace

std::map<std::string, std::string>
ListFlowRules()
{
    std::map<std::string, std::string> rules;
    const std::string prefix = "ns3::edgepipe::";
    for (TypeId tid = FlowTransport::GetTypeId();; tid = tid.GetParent())
    {
        for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
        {
            const auto attribute = tid.GetAttribute(i);
            if (DynamicCast<const BooleanValue>(attribute.initialValue))
            {
                rules.emplace(attribute.name, tid.GetAttributeFullName(i).substr(prefix.size()));
            }
        }
        if (!tid.HasParent())
        {
            return rules;
        }
    }
}

std::vector<FlowErrors>
ReadFlowErrors(const std::string& path)
{
    const auto file = ReadJsonFile(path);
    file.CheckKeys({"format", "errors"});
    file.CheckFormat("edgepipe-flow-errors-1");
    std::vector<FlowErrors> all;
    for (const auto& row : file.GetField("errors").GetElements())
    {
        row.CheckKeys({"links", "workload", "cases", "p95", "measuredBy"});
        FlowErrors errors;
        errors.links = Map(row.GetField("links").GetElements(), &JsonField::GetName);
        errors.workload = row.GetField("workload").GetName();
        errors.cases = row.GetField("cases").GetInteger(1);
        errors.p95 = row.GetField("p95").GetNumber(0);
        all.push_back(errors);
    }
    return all;
}

std::string
DescribeFlowErrors(const std::vector<FlowErrors>& known,
                   const std::string& workload,
                   const NetworkOptions& network)
{
    if (network.fidelity != "flow")
    {
        return "";
    }
    for (const auto& errors : known)
    {
        if (errors.workload == workload && network.lossRate == 0 &&
            Contains(errors.links, network.GetLinkName()))
        {
            return errors.p95 <= LARGE
                       ? ""
                       : "flow level: in " + std::to_string(errors.cases) + " cases of " +
                             workload + " over " + JoinWords(errors.links, ", ", " and ") +
                             ", one in 20 was " + FormatShort(100 * errors.p95) +
                             " % or more off packet level; --fidelity=packet checks a result";
        }
    }
    return "flow level: no cases of " + workload + " over " + network.GetLinkName() +
           (network.lossRate > 0 ? " with lost packets" : "") +
           " have been compared with packet level; --fidelity=packet checks a result";
}

std::string
DescribeFlowErrors(const ScenarioOptions& options,
                   const std::string& workload,
                   const NetworkOptions& network)
{
    if (options.Has("without") && !options.GetString("without").empty())
    {
        return "flow level without " + options.GetString("without") +
               ": how far off packet level it is then has not been measured";
    }
    const std::string path = FindTracesFolder(options) + "/links/flow-errors.json";
    // A folder of the user's own need not have it.
    return std::filesystem::exists(path)
               ? DescribeFlowErrors(ReadFlowErrors(path), workload, network)
               : "";
}

} // namespace ns3::edgepipe
