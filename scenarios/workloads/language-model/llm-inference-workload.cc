/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/adaptive-inputs.h"
#include "lib/network-inputs.h"
#include "lib/traces-option.h"
#include "workloads/language-model/llm-inference-run.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-language-table.h"
#include "ns3/edgepipe-problem-json.h"
#include "ns3/edgepipe-traces-folder.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

namespace ns3::edgepipe
{

namespace
{

/** A run under one planner. */
struct LanguageCase : LanguageResult
{
    std::string planner; //!< its name
};

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

/**
 * @ingroup edgepipe
 *
 * A language model that is spread over devices and answers requests.
 */
class LlmInferenceWorkload
    : public CasesWorkload<LlmInferenceWorkload, LanguageCase, LanguageSetting>
{
  public:
    static constexpr char NAME[] = "llm-inference"; //!< to select it by
    static constexpr char USAGE[] =
        "Spread a language model over devices, as programs for edge clusters do, and answer "
        "requests: time to the first token, per token, and tokens/s.";
    static constexpr char SCRIPT[] = "analysis/timeline.py"; //!< draws the results

    void Declare(ScenarioOptions& options) override;

    std::size_t CountDevices() const override
    {
        return m_setting.names.size();
    }

    WorkloadSweep GetSweep() const override
    {
        return {
            "devices",
            "uniform",
            "",
            {"token (s)", "tokens/s"},
            GetNames<LanguagePlanner>(),
            "model=llama-3.2-1b|llama-3.2-3b|tinyllama-1.1b|llama-3-8b|llama-2-7b "
            "exchange=distributed-llama-0.1|distributed-llama-0.3|distributed-llama-0.4|"
            "distributed-llama-0.7|distributed-llama-0.12|edgeshard|edgeshard-bubbles|exo|"
            "llama.cpp-rpc|petals|petals-push|pipeline|pipeline-logits|prima-ring|speculation "
            "device=raspberry-pi-5@distributed-llama-0.16|raspberry-pi-4b@distributed-llama-0.1|"
            "c3d-highcpu-30@distributed-llama-0.1|rtx-4090@vllm-0.19 devices=2..8 "
            "prompt=1..8&output=2..6 requests=1..4 users=1..4/rate=0.1~10 "
            "sequences=1..4/draft=||tinyllama-1.1b"};
    }

    void Print() const override;
    std::string Write(ResultsFolder& folder) const override;

  private:
    void Read() override;
    void Run(LanguageSetting& setting,
             LanguageCase& one,
             const std::function<void(double)>& progress) override;
    /** Read --requests-file, or make the requests of the options. */
    void ReadRequests();
    /** Read --draft and how it fares. */
    void ReadDraft();
    /** Read --exchange-values. */
    void ReadValues();
    void Fill(const LanguageCase& one, CellTable& row) const override;
    CasePlan PlanOf(const LanguageCase& one) const override;

    /**
     * @param one a case
     * @return a sentence on each device that reads weights from its disk
     */
    static std::vector<std::string> DescribeReading(const LanguageCase& one);

    /** @return a sentence on the fastest device that can hold the whole model */
    std::vector<std::string> DescribeAlone() const;

    uint32_t m_count{0};   //!< of devices
    uint32_t m_many{0};    //!< requests
    uint32_t m_prompt{0};  //!< tokens
    uint32_t m_output{0};  //!< tokens
    uint32_t m_context{0}; //!< tokens
    double m_rate{0};      //!< requests/s; 0: users wait
    Time m_firstGoal;      //!< for the first token; 0: none
    Time m_tokenGoal;      //!< for later tokens; 0: none
};

NS_OBJECT_ENSURE_REGISTERED(LlmInferenceWorkload);

void
LlmInferenceWorkload::Declare(ScenarioOptions& o)
{
    m_options = &o;
    o.Bind("model=llama-2-7b")
        .Help("language model: a name in traces/language-models, a file, or a config.json of "
              "Hugging Face");
    o.Bind("exchange=distributed-llama-0.12")
        .Help("what is sent when: a name in traces/exchanges, or a file");
    o.Bind("exchange-values=").Help("values of the exchange's parameters, such as rounds=2");
    o.Bind("device=raspberry-pi-5@distributed-llama-0.16")
        .Help("speeds of the devices: names in traces/language-devices or files, separated by "
              "commas; the last one is repeated");
    o.Bind("devices=4", m_count, 1, 1024).Help("number of devices");
    o.Bind("weights=q40").Help("format of weights: f32, f16, q80, q40, q4k, int8, int4");
    o.Bind("cache=f16").Help("format of keys and values");
    o.Bind("messages=").Help("format of activations between devices; empty: the exchange's");
    DeclarePlanners<LanguagePlanner>("uniform");
    o.Bind("draft=").Help("language model with which the first device drafts tokens, which the "
                          "others verify; empty: none");
    o.BindAttribute("draft-tokens", {"LanguageModelServer::DraftTokens"});
    o.BindAttribute("draft-depth", {"LanguageModelServer::DraftDepth"});
    o.BindAttribute("acceptance", {"LanguageModelServer::Acceptance"});
    o.Bind("acceptance-file=")
        .Help("text file that tells of each token of the answers but the first whether its draft "
              "is right: 0 or 1, separated by spaces or lines, again from the begin after its end; "
              "instead of --acceptance");
    o.Bind("requests=1", m_many, 1, 1000000).Help("requests to answer");
    o.Bind("prompt=16", m_prompt, 1, 10000000).Help("tokens of a prompt");
    o.Bind("output=16", m_output, 1, 10000000).Help("tokens of an answer");
    o.Bind("context=0", m_context, 0, 10000000)
        .Help("tokens whose keys and values are there before a request");
    o.BindAttribute("users", {"LanguageModelServer::Users"});
    o.Bind("rate=0", m_rate, 0.0, 1e6)
        .Help("requests/s on average, with exponential times between them; 0: --users wait for "
              "answers");
    o.Bind("requests-file=")
        .Help("CSV file with a line per request: arrival (s), prompt and output (tokens); instead "
              "of --requests, --prompt, --output and --rate");
    o.BindAttribute("sequences", {"LanguageModelServer::Sequences"});
    o.BindAttribute("token-budget", {"LanguageModelServer::TokenBudget"});
    o.BindAttribute("cache-blocks", {"LanguageModelServer::CacheBlocks"});
    o.BindAttribute("memory-margin", {"LanguageModelServer::MemoryMargin"});
    o.Bind("first-token-goal=0s", m_firstGoal).Help("longest time to the first token; 0: none");
    o.Bind("token-goal=0s", m_tokenGoal).Help("longest mean time between later tokens; 0: none");
    o.Bind("timeline=true", m_setting.hasTimeline)
        .Help("whether to record timeline.json, so every message is simulated");
    o.BindAttribute("stall-timeout", {"StallMonitor::Timeout"});
    AddLoadOptions(o, m_setting.load, "DEVICE is a device; without DEVICE: all devices");
    AddNetworkOptions(o, m_network);
}

void
LlmInferenceWorkload::Read()
{
    const std::string traces = FindTracesFolder(*m_options);
    m_setting.model = ReadLanguageModel(FindTracesFile(*m_options, "model", "language-models"));
    m_setting.pattern.emplace(FindTracesFile(*m_options, "exchange", "exchanges"));
    ReadValues();
    const auto getBytes = [this](const std::string& option, const std::string& otherwise) {
        const std::string& name = m_options->GetString(option);
        return GetValueBytes("--" + option, name.empty() ? otherwise : name);
    };
    m_setting.formats.weights = getBytes("weights", "");
    m_setting.formats.cache = getBytes("cache", "");
    m_setting.formats.messages = getBytes("messages", m_setting.pattern->GetMessageFormat());
    std::istringstream words(m_options->GetString("device"));
    std::vector<LanguageDevice> types;
    for (std::string word; std::getline(words, word, ',');)
    {
        types.push_back(
            ReadLanguageDevice(FindTracesFile("--device", word, "language-devices", traces)));
    }
    m_options->Expect("device",
                      !types.empty() && types.size() <= m_count,
                      "one to " + std::to_string(m_count) + " names, one for each of --devices");
    m_options->Expect("devices",
                      m_count > m_setting.pattern->GetClients(),
                      "two or more, since the first device of this exchange holds no layers");
    m_setting.names.clear();
    m_setting.devices.clear();
    Cluster cluster{"", {}, {}, {"lan", ""}};
    std::map<std::string, uint32_t> seen;
    for (uint32_t i = 0; i < m_count; ++i)
    {
        m_setting.devices.push_back(types[std::min<std::size_t>(i, types.size() - 1)]);
        const std::string& type = m_setting.devices.back().name;
        m_setting.names.push_back(type + "-" + std::to_string(++seen[type]));
        cluster.devices.push_back(
            {m_setting.names.back(), type, 0, m_setting.devices.back().memoryBytes});
    }
    ReadNetworkOptions(*m_options, cluster, m_network);
    CheckNetwork(*m_options, m_network, m_setting.names, "network: ");
    m_setting.loads =
        ReadLoads(*m_options, m_setting.load, m_setting.names, m_setting.names.size());
    ReadRequests();
    ReadDraft();
}

void
LlmInferenceWorkload::ReadDraft()
{
    const std::string& file = m_options->GetString("acceptance-file");
    m_setting.draft.reset();
    m_setting.acceptances.clear();
    if (m_options->GetString("draft").empty())
    {
        for (const char* option : {"draft-tokens", "draft-depth", "acceptance", "acceptance-file"})
        {
            m_options->Expect(option, !m_options->IsChanged(option), "no value without --draft");
        }
        return;
    }
    m_setting.draft = ReadLanguageModel(FindTracesFile(*m_options, "draft", "language-models"));
    m_options->Expect("sequences",
                      m_options->GetString("sequences") == "1",
                      "1, since --draft decodes one request at a time");
    m_options->Expect("exchange",
                      m_setting.pattern->CountStreams(m_setting.model, m_count) == 1,
                      "an exchange of one stream, since --draft has windows in flight instead");
    if (file.empty())
    {
        return;
    }
    m_options->Expect("acceptance-file", std::ifstream(file).good(), "a file that can be read");
    m_options->Expect("acceptance",
                      !m_options->IsChanged("acceptance"),
                      "no value, since --acceptance-file tells");
    std::istringstream words(ReadTextFile(file));
    for (std::string word; words >> word;)
    {
        Require(word == "0" || word == "1",
                file + ", entry " + std::to_string(m_setting.acceptances.size() + 1) + ": found " +
                    QuoteForMessage(word) + ", expected 0 or 1");
        m_setting.acceptances.push_back(word == "1");
    }
    Require(!m_setting.acceptances.empty(), file + ": found nothing, expected 0 or 1");
}

void
LlmInferenceWorkload::ReadValues()
{
    if (m_options->GetString("exchange-values").empty())
    {
        return;
    }
    auto& parameters = m_setting.pattern->GetParameters();
    for (const auto& word : m_options->GetList("exchange-values"))
    {
        const auto equals = word.find('=');
        const auto found = parameters.find(word.substr(0, equals));
        m_options->Expect("exchange-values",
                          equals != std::string::npos && found != parameters.end() &&
                              ParseNumber(word.substr(equals + 1), found->second) &&
                              found->second >= 0,
                          "NAME=NUMBER with NAME one of: " +
                              JoinWords(Map(parameters, [](auto& one) { return one.first; })));
    }
}

void
LlmInferenceWorkload::ReadRequests()
{
    m_setting.requests.clear();
    const std::string& file = m_options->GetString("requests-file");
    m_setting.isOpen = m_rate > 0 || !file.empty();
    if (file.empty())
    {
        const auto gap =
            MakeRandomVariable<ExponentialRandomVariable>(random_streams::LANGUAGE_REQUESTS.first);
        gap->SetAttribute("Mean", DoubleValue(m_rate > 0 ? 1 / m_rate : 1));
        Time arrival;
        for (uint32_t i = 0; i < m_many; ++i)
        {
            arrival += Seconds(m_rate > 0 ? gap->GetValue() : 0);
            m_setting.requests.push_back({arrival, m_prompt, m_output, m_context});
        }
        return;
    }
    m_options->Expect("requests-file", std::ifstream(file).good(), "a file that can be read");
    for (const char* option : {"requests", "prompt", "output", "rate", "context"})
    {
        m_options->Expect(option,
                          !m_options->IsChanged(option),
                          "no value, since --requests-file has the requests");
    }
    std::istringstream lines(ReadTextFile(file));
    uint32_t number = 0;
    for (std::string line; std::getline(lines, line);)
    {
        ++number;
        std::istringstream cells(line);
        std::vector<double> values;
        bool isGood = true;
        for (std::string cell; std::getline(cells, cell, ',');)
        {
            values.push_back(0);
            isGood &= ParseNumber(cell, values.back());
        }
        if (number == 1 && !isGood)
        {
            continue; // headings
        }
        isGood &= values.size() == 3 && values[0] >= 0 && values[0] <= 1e8;
        for (std::size_t i = 1; isGood && i < 3; ++i)
        {
            isGood &= values[i] >= 1 && values[i] <= 1e7 && values[i] == std::floor(values[i]);
        }
        Require(isGood,
                file + ", line " + std::to_string(number) + ": found " + QuoteForMessage(line) +
                    ", expected seconds of arrival, tokens of the prompt and of the answer");
        m_setting.requests.push_back({Seconds(values[0]),
                                      static_cast<uint32_t>(values[1]),
                                      static_cast<uint32_t>(values[2]),
                                      0});
    }
    Require(!m_setting.requests.empty(), file + ": found no request, expected one or more");
    std::stable_sort(m_setting.requests.begin(), m_setting.requests.end(), [](auto& a, auto& b) {
        return a.arrival < b.arrival;
    });
}

void
LlmInferenceWorkload::Run(LanguageSetting& setting,
                          LanguageCase& one,
                          const std::function<void(double)>& progress)
{
    static_cast<LanguageResult&>(one) = RunLanguageModel(setting, progress);
    Require(&one - m_cases.data() + 1 < std::ptrdiff_t(m_planners.size()) ||
                AnyOf(m_cases, [](const LanguageCase& made) { return made.refusal.empty(); }),
            m_cases.front().planner + ": " + m_cases.front().refusal);
}

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

} // namespace

} // namespace ns3::edgepipe
