/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/adaptive-inputs.h"
#include "workloads/language-model/llm-inference-workload.h"

#include "ns3/edgepipe-language-table.h"
#include "ns3/edgepipe-problem-json.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

namespace ns3::edgepipe
{

namespace
{

/** @return seconds from a request to its first token */
double
GetFirstSeconds(const LanguageRequestRecord& request)
{
    return (request.first - request.arrived).GetSeconds();
}

/** @return seconds from a request to its last token */
double
GetWholeSeconds(const LanguageRequestRecord& request)
{
    return (request.ended - request.arrived).GetSeconds();
}

} // namespace

CasePlan
LlmInferenceWorkload::PlanOf(const LanguageCase& one) const
{
    CasePlan all{one.planner, {{"", {}}}, COMPUTING};
    std::size_t from = 0;
    for (const auto& part : one.plan.parts)
    {
        const bool isTensorSplit = m_setting.pattern->IsTensorSplit();
        PlanPart shown{m_setting.names[part.node],
                       isTensorSplit ? FormatCount(part.amount, "head", "heads")
                                     : FormatCount(part.amount, "layer", "layers"),
                       {}};
        if (part.amount > 0)
        {
            shown.spans.emplace_back(from, from + part.amount - 1);
            from += part.amount;
        }
        const auto seconds = [&](const LanguageUsageRow& row) {
            return Sum(row.usage.operations, [](auto& each) { return each.seconds; });
        };
        if (!one.nodes.empty() && one.end.IsStrictlyPositive())
        {
            const auto& prompt = one.nodes[part.node + m_setting.names.size()];
            shown.share = (seconds(one.nodes[part.node]) + seconds(prompt)) / one.end.GetSeconds();
        }
        shown.memoryBytes = one.peakMemoryBytes[part.node];
        shown.capacityBytes = m_setting.devices[part.node].memoryBytes;
        all.steps.back().Add(shown);
    }
    return all;
}

void
LlmInferenceWorkload::Fill(const LanguageCase& one, CellTable& row) const
{
    const auto& records = one.records;
    const bool isKnown = !records.empty();
    const auto mean = [&](auto get) { return When(isKnown, Mean(Map(records, get))); };
    const auto software = Map(m_setting.devices, &LanguageDevice::software);
    const std::set<std::string> different(software.begin(), software.end());
    row.Add("planner", one.planner, "planner");
    row.Add("model", m_setting.model.name);
    row.Add("exchange", m_setting.pattern->GetName());
    row.Add("weights", m_options->GetString("weights"));
    row.Add("software", JoinWords(different, "+"));
    row.Add("devices", m_setting.names.size());
    row.Add("link", m_network.GetLinkName());
    row.Add("fidelity", m_network.fidelity);
    row.Add("status", one.GetStatus(), "status");
    row.Add("requests", records.size());
    row.Add("outputTokens", one.GetTokens());
    row.Add("tokenSeconds", When(isKnown, one.seconds), "token (ms)", FormatMs);
    row.Add("rootComputeSeconds",
            isKnown ? Cell(one.GetRootSeconds()) : Cell(),
            "first device computes (ms)",
            FormatMs);
    row.Add("firstTokenSeconds", mean(GetFirstSeconds), "first token (ms)", FormatMs);
    row.Add("outputTokenSeconds", mean(&LanguageRequestRecord::GetTokenSeconds));
    row.Add("requestSeconds", mean(GetWholeSeconds), "request (s)", FormatRounded);
    row.Add("tokensPerSecond", When(isKnown, one.perSecond), "tokens/s", FormatRounded);
    if (one.isSpeculative)
    {
        const auto windows = one.GetDecodes();
        const auto valid = Filter(windows, [](auto& pass) { return pass.output > 0; });
        row.Add("draft", m_setting.draft->name);
        row.Add(
            "windowTokens",
            When(!valid.empty(), Mean(Map(valid, [](auto& pass) { return double(pass.output); }))),
            "tokens a window",
            FormatRounded);
        row.Add("voidWindows", windows.size() - valid.size(), "void windows");
    }
    row.Add("bytesMoved", double(one.bytesMoved), "moved", FormatBytes);
    if (!m_firstGoal.IsZero() || !m_tokenGoal.IsZero())
    {
        const auto good = Filter(records, [this](const LanguageRequestRecord& request) {
            return (m_firstGoal.IsZero() || GetFirstSeconds(request) <= m_firstGoal.GetSeconds()) &&
                   (m_tokenGoal.IsZero() || request.GetTokenSeconds() <= m_tokenGoal.GetSeconds());
        });
        row.Add("goodRequestsPerSecond",
                one.end.IsZero() ? 0 : good.size() / one.end.GetSeconds(),
                "good requests/s",
                FormatRounded);
    }
    for (const auto& percentile : {std::pair("P50", 0.5), {"P95", 0.95}, {"P99", 0.99}})
    {
        const auto add = [&](const std::string& figure, auto get) {
            row.Add(figure + percentile.first + "Seconds",
                    isKnown ? Cell(one.GetPercentile(get, percentile.second)) : Cell());
        };
        add("firstToken", GetFirstSeconds);
        add("outputToken", &LanguageRequestRecord::GetTokenSeconds);
        add("request", GetWholeSeconds);
    }
}

void
LlmInferenceWorkload::Print() const
{
    std::cout << m_setting.model.name << " ("
              << Table::Rounded(m_setting.model.CountParameters() / 1e9, 3) << "e9 parameters, "
              << m_options->GetString("weights") << ") on "
              << FormatCount(m_setting.names.size(), "device", "devices") << ", exchange "
              << m_setting.pattern->GetName() << ", link " << DescribeLink(m_network) << ", "
              << m_network.fidelity << " level\n";
    std::set<std::string> seen;
    for (const auto& device : m_setting.devices)
    {
        if (seen.insert(device.name + device.software).second)
        {
            std::cout << device.name << ": speeds of " << device.software << "\n";
        }
    }
    const auto& requests = m_setting.requests;
    const uint32_t window = m_setting.model.window;
    if (window > 0 && std::any_of(requests.begin(), requests.end(), [window](const auto& one) {
            return static_cast<uint64_t>(one.context) + one.prompt + one.output > window;
        }))
    {
        std::cout << "not modelled: attention's window of " << window
                  << " tokens; more are read and kept here, so longer contexts cost too much\n";
    }
    std::cout << "\n";
    MakeResults().GetShown().Print(std::cout);
    std::cout << (m_setting.draft
                      ? "\ntoken: mean time between tokens; drafts count as computation; "
                      : "\ntoken: mean pass that decodes; what the first device does not "
                        "compute of it, it waits or handles\nmessages; ")
              << "tokens/s: of all answers, prompts included\n";
    for (const auto& one : m_cases)
    {
        if (!one.refusal.empty())
        {
            Note({one.planner + ": refused: " + one.refusal});
        }
    }
    NoteOrder();
    for (const auto& one : m_cases)
    {
        Note(DescribeReading(one));
    }
    Note(DescribeAlone());
    Comparison compared{FormatMs, " ms a token"};
    for (const auto& one : m_cases)
    {
        if (one.refusal.empty() && one.seconds > 0 && !one.isSpeculative)
        {
            const double predicted = GetLanguagePlanCost(one.problem, one.plan).latencySeconds;
            compared.cases.push_back({one.planner, predicted, one.seconds, 0});
        }
    }
    const bool isTensorSplit = !m_cases.empty() && m_cases.front().problem.isTensorSplit;
    Note(compared.DescribeDistance(
        ListUnknown(m_setting.loads,
                    {{isTensorSplit, "messages"}, {true, "passes that wait for others"}})));
}

std::vector<std::string>
LlmInferenceWorkload::DescribeReading(const LanguageCase& one)
{
    std::vector<std::string> reading;
    const auto& parts = one.plan.parts;
    for (std::size_t i = 0; i < parts.size() && one.refusal.empty(); ++i)
    {
        const LanguageNode& node = one.problem.nodes[parts[i].node];
        const bool isHead = i == (one.problem.isHeadLast ? parts.size() - 1 : 0);
        const double bytes =
            GetLanguageBytes(one.problem, parts[i].amount, i == 0, isHead) - node.memoryBytes;
        if (bytes > 0)
        {
            reading.push_back(FormatBytes(bytes) + " by " + node.name);
        }
    }
    return reading.empty()
               ? reading
               : std::vector{one.planner +
                             ": weights read from disk for each pass: " + JoinWords(reading)};
}

std::vector<std::string>
LlmInferenceWorkload::DescribeAlone() const
{
    if (m_setting.names.size() < 2 || m_cases.empty())
    {
        return {};
    }
    const LanguageProblem& problem = m_cases.front().problem;
    const double bytes = GetLanguageBytes(problem, problem.amount, true, true);
    const auto getSeconds = [&](const LanguageNode& node) {
        const double compute = (problem.layers * node.layerSeconds + node.headSeconds) /
                               GetFirstShare(m_setting.loads, node.name, m_setting.load);
        return node.disk.Add(compute, std::max(0., bytes - node.memoryBytes));
    };
    const auto able = Filter(problem.nodes, [&](const LanguageNode& node) {
        return (node.memoryBytes >= bytes || node.disk.bytesPerSecond > 0) &&
               node.layerSeconds > 0 && std::isfinite(getSeconds(node));
    });
    if (able.empty())
    {
        return {"No device could hold the model alone."};
    }
    const auto& fastest = MinBy(able, getSeconds);
    return {fastest.name + " alone would take " + FormatMs(getSeconds(fastest)) +
            " ms a token, without messages."};
}

std::string
LlmInferenceWorkload::Write(ResultsFolder& folder) const
{
    nlohmann::ordered_json run;
    for (const auto& one : m_cases)
    {
        nlohmann::ordered_json entry{{"planner", one.planner}, {"status", one.GetStatus()}};
        if (!one.refusal.empty())
        {
            entry["refusal"] = one.refusal;
        }
        if (!one.diagnosis.empty())
        {
            entry["diagnosis"] = one.diagnosis;
        }
        const LanguagePlanCost cost = GetLanguagePlanCost(one.problem, one.plan);
        entry["predicted"] = {{"latencySeconds", cost.latencySeconds},
                              {"periodSeconds", cost.periodSeconds}};
        entry["simulatedSeconds"] = one.end.GetSeconds();
        entry["events"] = one.events;
        entry["wallClock"] = {{"simulationSeconds", one.simulationSeconds}};
        run["cases"].push_back(entry);
    }
    WriteRun(folder, MakeResults().GetFile(), std::move(run));
    std::vector<Column<LanguageCase, LanguageRequestRecord>> requests;
    for (const auto& column : ListLanguageColumns())
    {
        requests.push_back({column.name, [get = column.get](const LanguageRequestRecord& request) {
                                return get(request);
                            }});
    }
    WriteParts<LanguageRequestRecord>(folder, "requests.csv", &LanguageCase::records, requests);
    using Pass = LanguagePassRecord;
    WriteParts<Pass>(
        folder,
        "passes.csv",
        &LanguageCase::passes,
        {{"pass", &Pass::pass},
         {"stream", &Pass::stream},
         {"kind", [](const Pass& pass) { return pass.isPrefill ? "prompt" : "decode"; }},
         {"tokens", &Pass::tokens},
         {"sequences", &Pass::sequences},
         {"outputTokens", &Pass::output},
         {"contextTokens", &Pass::context},
         {"beginSeconds", &Pass::begin},
         {"endSeconds", &Pass::end}});
    using Row = LanguageUsageRow;
    std::vector<Column<LanguageCase, Row>> columns{
        {"device", &Row::node},
        {"kind", [](const Row& row) { return row.isPrefill ? "prompt" : "decode"; }},
        {"passes", [](const Row& row) { return row.usage.passes; }},
        {"messages", [](const Row& row) { return row.usage.messages; }},
        {"sentBytes", [](const Row& row) { return row.usage.bytes; }},
        {"messageSeconds", [](const Row& row) { return row.usage.messageSeconds; }}};
    for (std::size_t i = 0; i < LANGUAGE_OPERATIONS; ++i)
    {
        const std::string name = GetLanguageOperationNames()[i];
        const auto add = [&](const char* figure, auto get) {
            columns.push_back(
                {name + figure, [i, get](const Row& row) { return get(row.usage.operations[i]); }});
        };
        add("Calls", [](auto& one) { return one.calls; });
        add("Bytes", [](auto& one) { return one.work.bytes; });
        add("Flop", [](auto& one) { return one.work.flop; });
        add("Seconds", [](auto& one) { return one.seconds; });
    }
    WriteParts<Row>(folder, "devices.csv", &LanguageCase::nodes, columns);
    WriteLinks(folder);
    folder.Write("problem.json", FormatProblem(m_cases.front().problem));
    if (m_setting.hasTimeline)
    {
        folder.Write("timeline.json", [this](std::ostream& os) {
            ChromeTraceWriter writer(os);
            for (const auto& one : m_cases)
            {
                writer.AddCase(one.planner, m_setting.names, *one.timeline, LabelLanguageTag);
            }
            writer.Finish();
        });
    }
    return std::string("results.csv (a row per planner), requests.csv, passes.csv, devices.csv\n"
                       "  (what each computed and sent), links.csv, problem.json, ") +
           (m_setting.hasTimeline ? "timeline.json, " : "") + "run.json";
}

} // namespace ns3::edgepipe
