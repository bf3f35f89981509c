/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/run-report.h"

#include "ns3/edgepipe-library.h"
#include "ns3/edgepipe-radio-link.h"
#include "ns3/rng-seed-manager.h"

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

namespace ns3::edgepipe
{

double
FindPercentile(std::vector<double> values, double share)
{
    if (values.empty())
    {
        return 0;
    }
    const double rank = std::ceil(share * values.size());
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(std::max(1.0, rank)) - 1;
    std::nth_element(values.begin(), place, values.end());
    return *place;
}

void
PrintLayerCosts(const std::map<std::string, LayerCost>& costs)
{
    for (const auto& [type, cost] : costs)
    {
        std::cout << "layer costs of " << type << ": " << cost.origin << " (" << cost.source << ")";
        if (cost.negativeValues > 0)
        {
            std::cout << "; " << cost.negativeValues << " negative values count as 0";
        }
        std::cout << "\n";
    }
    std::map<std::string, std::set<std::string>> narrow; // types by precision
    for (const auto& [type, cost] : costs)
    {
        const std::string precision = cost.stack.substr(cost.stack.rfind(' ') + 1);
        if (precision == "fp16" || precision == "bf16" || precision == "int8")
        {
            narrow[precision].insert(type);
        }
    }
    for (const auto& [precision, types] : narrow)
    {
        std::cout << JoinWords(types) << " in " << precision
                  << ": memory and messages are as wide as the model's numbers\n";
    }
    const std::string note = DescribeUnlikeStacks(costs);
    std::cout << note << (note.empty() ? "" : "\n");
}

std::string
DescribeUnlikeStacks(const std::map<std::string, LayerCost>& costs)
{
    std::map<std::string, std::set<std::string>> types; // by stack
    for (const auto& [type, cost] : costs)
    {
        types[cost.stack.empty() ? "of a kind that its file does not tell" : cost.stack].insert(
            type);
    }
    std::string list;
    for (const auto& [stack, names] : types)
    {
        list += (list.empty() ? "" : "; ") + JoinWords(names) + " " + stack;
    }
    return types.size() < 2 ? "" : "unlike stacks, so devices differ by software too: " + list;
}

std::string
JoinOrigins(const std::map<std::string, LayerCost>& costs)
{
    std::set<std::string> origins;
    for (const auto& [type, cost] : costs)
    {
        origins.insert(cost.origin);
    }
    return JoinWords(origins, "+");
}

uint64_t
GetPeakMemoryBytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return 1024 * static_cast<uint64_t>(usage.ru_maxrss);
}

std::string
FormatRunFile(const ScenarioOptions& options,
              const std::map<std::string, LayerCost>& costs,
              const nlohmann::ordered_json& more)
{
    nlohmann::ordered_json run;
    run["scenario"] = options.GetName();
    run["versions"] = {{"edgepipe", GetEdgepipeVersion()},
                       {"ns-3", GetNs3Version()},
                       {"compiler", __VERSION__}};
    run["rngSeed"] = RngSeedManager::GetSeed();
    run["rngRun"] = RngSeedManager::GetRun();
    for (const auto& [name, value] : options.GetAll())
    {
        run["options"][name] = value;
    }
    for (const auto& [type, cost] : costs)
    {
        auto& entry = run["layerCosts"][type];
        entry["origin"] = cost.origin;
        entry["source"] = cost.source;
        entry["mode"] = !cost.mode                         ? ""
                        : *cost.mode == PassKind::TRAINING ? "training"
                                                           : "evaluation";
        entry["stack"] = cost.stack;
        entry["negativeValues"] = cost.negativeValues;
    }
    if (const std::string note = DescribeUnlikeStacks(costs); !note.empty())
    {
        run["unlikeStacks"] = note;
    }
    run.update(more);
    run["peakMemoryBytes"] = GetPeakMemoryBytes();
    // Options may hold text that is not UTF-8.
    return run.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::vector<std::pair<std::string, std::string>>
ListRunColumns(const NetworkOptions* network)
{
    std::vector<std::pair<std::string, std::string>> columns;
    if (network)
    {
        const auto add = [&](const char* column,
                             const char* option,
                             const std::function<Cell(const LinkType&)>& get) {
            std::set<std::string> texts;
            for (const auto& link : network->GetLinks())
            {
                if (link->HasOption(option))
                {
                    texts.insert(get(*link).GetText());
                }
            }
            columns.emplace_back(column, texts.size() == 1 ? *texts.begin() : "");
        };
        const auto rate = [](const LinkType& link, std::size_t way) {
            const double usual = link.GetRates()[way].GetUsual();
            return When(usual > 0 && std::isfinite(usual), usual);
        };
        using Link = const LinkType;
        add("bandwidthBitsPerSecond", "bandwidth", [=](Link& one) { return rate(one, 0); });
        add("downlinkBitsPerSecond", "downlink-bandwidth", [=](Link& one) { return rate(one, 1); });
        add("delaySeconds", "delay", [](Link& one) {
            return one.GetDelay().GetNanoSeconds() / 1e9;
        });
        add("trace", "trace", [](Link& one) {
            return std::filesystem::path(one.GetRates()[0].trace).filename().string();
        });
        add("distanceMeters", "distance", [](Link& one) {
            return dynamic_cast<const RadioLink&>(one).GetDistance();
        });
        columns.emplace_back("lossRate", Table::Exact(network->lossRate));
    }
    columns.emplace_back("rngSeed", std::to_string(RngSeedManager::GetSeed()));
    columns.emplace_back("rngRun", std::to_string(RngSeedManager::GetRun()));
    return columns;
}

Table
AddRunColumns(Table results, const NetworkOptions* network)
{
    for (const auto& [column, cell] : ListRunColumns(network))
    {
        results.AddColumn(column, {cell});
    }
    return results;
}

} // namespace ns3::edgepipe
