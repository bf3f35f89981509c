/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workloads/language-model/llm-inference-workload.h"

#include "lib/adaptive-inputs.h"
#include "lib/network-inputs.h"
#include "lib/traces-option.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-traces-folder.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <utility>

namespace ns3::edgepipe
{

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

} // namespace ns3::edgepipe
