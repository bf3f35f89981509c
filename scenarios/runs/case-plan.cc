/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "runs/case-plan.h"

#include "runs/percent.h"

#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-ranges.h"
#include "ns3/edgepipe-sheet.h"
#include "ns3/edgepipe-table.h"

#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

namespace ns3::edgepipe
{

namespace
{

/// Parts of plans that are printed; results.csv has them all.
constexpr std::size_t SHOWN_LINES = 9;
/// Longest list of layers that is printed, characters.
constexpr std::size_t SHOWN_WORK = 48;

} // namespace

PlanPart
MakeLayerPart(const std::string& device,
              const DnnGraph& graph,
              const std::function<bool(std::size_t)>& isIts)
{
    PlanPart part{device, "", {}};
    for (std::size_t i = 0; i < graph.layers.size(); ++i)
    {
        if (!isIts(i))
        {
            continue;
        }
        if (!part.spans.empty() && part.spans.back().second + 1 == i)
        {
            part.spans.back().second = i;
        }
        else
        {
            part.spans.emplace_back(i, i);
        }
    }
    for (const auto& [first, last] : part.spans)
    {
        part.work += (part.work.empty() ? "" : ",") + graph.layers[first].name +
                     (first == last ? "" : ".." + graph.layers[last].name);
    }
    return part;
}

void
AddInferenceMemory(PlanPart& part, const DnnGraph& graph, uint64_t capacityBytes)
{
    std::vector<std::size_t> its; // in the order of execution
    for (const auto& [first, last] : part.spans)
    {
        for (std::size_t i = first; i <= last; ++i)
        {
            its.push_back(i);
        }
    }
    std::map<std::size_t, std::pair<std::size_t, std::size_t>> uses; // first and last, by tensor
    std::map<std::size_t, uint64_t> tied;                            // of layers elsewhere
    for (const std::size_t i : its)
    {
        const auto& layer = graph.layers[i];
        part.memoryBytes += layer.parameterBytes;
        uses[i] = {i, i};
        for (const std::size_t input : layer.inputs)
        {
            uses.emplace(input, std::pair(i, i)).first->second.second = i;
        }
        for (const TiedWeights& each : layer.tied)
        {
            if (!std::binary_search(its.begin(), its.end(), each.layer))
            {
                tied[each.layer] = std::max(tied[each.layer], each.bytes);
            }
        }
    }
    for (const auto& [owner, bytes] : tied)
    {
        part.memoryBytes += bytes;
    }
    std::vector<int64_t> change(graph.layers.size() + 1, 0);
    for (const auto& [tensor, use] : uses)
    {
        change[use.first] += static_cast<int64_t>(graph.layers[tensor].outputBytes);
        change[use.second + 1] -= static_cast<int64_t>(graph.layers[tensor].outputBytes);
    }
    std::partial_sum(change.begin(), change.end(), change.begin());
    part.memoryBytes += *std::max_element(change.begin(), change.end());
    part.capacityBytes = capacityBytes;
}

std::string
FindOverflow(const std::string& planner, const std::vector<PlanPart>& parts)
{
    for (const auto& part : parts)
    {
        if (part.memoryBytes > part.capacityBytes)
        {
            return planner + ": " + part.work + " on " + part.device + " take " +
                   Table::Bytes(part.memoryBytes) + " of weights and tensors, expected at most " +
                   Table::Bytes(part.capacityBytes) + ", its usable memory";
        }
    }
    return "";
}

std::string
FormatParts(const std::vector<PlanPart>& parts)
{
    const bool isOfSamples =
        !parts.empty() && parts.front().work.find(" sample") != std::string::npos;
    return JoinWords(Map(parts, [](auto& part) { return part.device + " " + part.work; }),
                     isOfSamples ? " + " : " > ");
}

std::string
FormatCasePlan(const CasePlan& plan)
{
    const auto format = [](const PlanStep& step) {
        return (step.moment.empty() ? "" : step.moment + ": ") + FormatParts(step.parts);
    };
    return JoinWords(Map(plan.steps, format), " | ");
}

nlohmann::ordered_json
FormatCasePlans(const std::vector<CasePlan>& plans)
{
    auto all = nlohmann::ordered_json::array();
    for (const auto& plan : plans)
    {
        for (const auto& step : plan.steps)
        {
            nlohmann::ordered_json one{{"case", plan.name},
                                       {"moment", step.moment},
                                       {"shareOf", plan.share}};
            for (const auto& part : step.parts)
            {
                nlohmann::ordered_json entry{{"device", part.device},
                                             {"work", part.work},
                                             {"spans", part.spans}};
                if (part.share)
                {
                    entry["share"] = *part.share;
                }
                if (part.capacityBytes > 0)
                {
                    entry["memoryBytes"] = part.memoryBytes;
                    entry["capacityBytes"] = part.capacityBytes;
                }
                one["parts"].push_back(entry);
            }
            all.push_back(one);
        }
    }
    return all;
}

void
PrintCasePlans(const std::vector<CasePlan>& plans)
{
    std::vector<std::pair<const CasePlan*, std::vector<std::string>>> distinct;
    for (const auto& plan : plans)
    {
        const auto same = FindIf(distinct, [&](const auto& one) {
            return FormatCasePlan(*one.first) == FormatCasePlan(plan);
        });
        if (same)
        {
            same->second.push_back(plan.name);
        }
        else if (!plan.steps.empty())
        {
            distinct.push_back({&plan, {}});
        }
    }
    const std::string share = "share of " + (distinct.empty() ? "" : distinct.front().first->share);
    CellTable table;
    // Give each plan one more line in turn, as long as lines are left.
    const auto counts = Map(distinct, [](const auto& one) {
        return Sum(one.first->steps, [](const PlanStep& step) { return step.parts.size(); });
    });
    const std::size_t most = std::min(SHOWN_LINES, Sum(counts));
    std::vector<std::size_t> rooms(distinct.size());
    for (std::size_t i = 0, used = 0; used < most; ++i)
    {
        const std::size_t one = i % rooms.size();
        const bool fits = rooms[one] < counts[one];
        rooms[one] += fits;
        used += fits;
    }
    std::vector<std::string> more;
    std::vector<std::string> same;
    for (std::size_t i = 0; i < distinct.size(); ++i)
    {
        const auto& [plan, others] = distinct[i];
        std::size_t shown = 0;
        for (const auto& step : plan->steps)
        {
            for (const auto& part : step.parts)
            {
                if (shown++ < rooms[i])
                {
                    const bool isShort = part.work.size() <= SHOWN_WORK;
                    table.Begin();
                    table.Add("",
                              plan->name + (step.moment.empty() ? "" : ", " + step.moment),
                              "plan");
                    table.Add("", part.device, "device");
                    table.Add("",
                              isShort ? part.work : part.work.substr(0, SHOWN_WORK - 3) + "...",
                              "computes");
                    table.Add("", part.share, share, FormatPercent);
                    table.Add("",
                              When(part.capacityBytes > 0,
                                   Table::Bytes(part.memoryBytes) + " of " +
                                       Table::Bytes(part.capacityBytes)),
                              "memory");
                }
            }
        }
        if (shown > rooms[i])
        {
            more.push_back(std::to_string(shown - rooms[i]) + " of " + plan->name);
        }
        if (!others.empty())
        {
            same.push_back(JoinWords(others, ", ", " and ") + " as " + plan->name);
        }
    }
    if (distinct.empty())
    {
        return;
    }
    std::cout << "\n";
    table.GetShown().Print(std::cout);
    std::cout << share << ": of " << distinct.front().first->time << "; memory: most in use\n"
              << (more.empty() ? "" : "and more in results.csv: " + JoinWords(more, ", ") + "\n")
              << (same.empty() ? "" : "the same plans: " + JoinWords(same, "; ") + "\n");
}

} // namespace ns3::edgepipe
