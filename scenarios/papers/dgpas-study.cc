/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/dgpas-study.h"

#include "lib/count-list.h"
#include "lib/run-report.h"
#include "lib/traces-option.h"
#include "papers/chosen.h"

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/edgepipe-results-folder.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// The file with the paper's figures, in the traces folder.
const std::string PUBLISHED_FILE = "/published/dgpas.json";

/// The paper's micro-batches of a mini-batch, and their samples.
constexpr uint32_t MICRO_BATCHES = 8;
/// See MICRO_BATCHES.
constexpr uint32_t MICRO_BATCH_SIZE = 32;

/// Share of the work, for the progress, that is planning and simulating case by case.
constexpr double CASES_SHARE = 0.9;

/// Networks there are.
const std::vector<DgpasNetwork> NETWORKS{
    {"lan-1g", "1 Gbit/s LAN", "lan", "1Gbps"},
    {"lan-100m", "100 Mbit/s LAN", "lan", "100Mbps"},
    {"wifi-ac", "802.11ac", "wifi", ""},
    // What the paper's own simulation takes tensors to get: the memory of a Jetson Xavier NX.
    {"memory", "LAN like memory, 51.2 GB/s", "lan", "409.6Gbps"}};

/// Bandwidths of wires over which help is swept, rising.
const std::vector<std::string> BANDWIDTHS{"10Mbps",
                                          "20Mbps",
                                          "50Mbps",
                                          "100Mbps",
                                          "200Mbps",
                                          "500Mbps",
                                          "1Gbps",
                                          "2Gbps",
                                          "5Gbps",
                                          "10Gbps",
                                          "20Gbps",
                                          "50Gbps",
                                          "100Gbps"};
/// Those that do for --quick.
const std::vector<std::string> FEW_BANDWIDTHS{"10Mbps", "1Gbps", "100Gbps"};

/**
 * @param first columns
 * @return a table of these and those of AddOutcomes
 */
Table
MakeOutcomeTable(std::vector<std::string> first)
{
    first.insert(first.end(),
                 {"help",
                  "status",
                  "iterationSeconds",
                  "bubbleRate",
                  "bubbleIndex",
                  "theta",
                  "requests",
                  "grants",
                  "refusals",
                  "helpedSamples",
                  "movedBytes"});
    return Table(std::move(first));
}

/**
 * @param table gets a row per help
 * @param first cells of each row
 * @param outcomes of a plan
 * @param hasPlan whether there was a plan
 */
void
AddOutcomes(Table& table,
            const std::vector<std::string>& first,
            const DgpasOutcomes& outcomes,
            bool hasPlan = true)
{
    for (const auto& [help, name] : DGPAS_HELPS)
    {
        const DgpasOutcome& outcome = outcomes.Get(help);
        const auto known = [&outcome = outcome](double value) {
            return outcome.isFinished ? Table::Exact(value) : "";
        };
        std::vector<std::string> row = first;
        row.insert(row.end(),
                   {name,
                    !hasPlan             ? "no-plan"
                    : outcome.isFinished ? "finished"
                                         : "stalled",
                    known(outcome.iterationSeconds),
                    known(outcome.bubbleRate),
                    known(outcome.index),
                    outcome.theta ? Table::Exact(*outcome.theta) : "",
                    std::to_string(outcome.assistance.requests),
                    std::to_string(outcome.assistance.grants),
                    std::to_string(outcome.assistance.refusals),
                    std::to_string(outcome.assistance.samples),
                    std::to_string(outcome.movedBytes)});
        table.AddRow(std::move(row));
    }
}

} // namespace

void
DgpasStudy::AddOptions(ScenarioOptions& options)
{
    options.Add("quick",
                "little: one model, one network, one seed, unless told otherwise",
                "false");
    options.Add("model",
                "models, of those the paper measured",
                "alexnet,resnext101_32x8d,vgg19,inception_v3,regnet_x_200mf");
    options.Add(
        "networks",
        "lan-1g, lan-100m, wifi-ac, memory (51.2 GB/s, at which the paper's simulation moves "
        "tensors); the first is the one of table 3 and of figures 11 and 12",
        "lan-1g,lan-100m,wifi-ac,memory");
    options.Add("planner",
                "of " + JoinNames<PipelinePlanner>() + ", or all; grdqn is in two variants",
                "all");
    options.Add("seeds", "runs of each random planner over the first network", "10");
    options.Add("other-seeds", "the same over the other networks", "3");
    options.Add("bubbles-of",
                "whose plans figure 11 averages: rows of table 3",
                DGPAS_IMPROVED + ",dp,ga");
    options.Add("mini-batches", "of figure 11, rising", "1,2,4,8,16,32");
    DgpasSetting::AddOptions(options);
}

DgpasStudy::DgpasStudy(const ScenarioOptions& options)
    : m_options(options),
      m_paper(FindTracesFolder(options) + PUBLISHED_FILE),
      m_published(ReadPublishedDgpas(m_paper)),
      m_isQuick(options.GetBool("quick")),
      m_seeds(options.GetUint("seeds", 1, 10000)),
      m_otherSeeds(options.GetUint("other-seeds", 1, 10000)),
      m_miniBatches(GetCounts(options, "mini-batches", 100000)),
      m_firstRun(RngSeedManager::GetRun()),
      m_miniPoints(MakeOutcomeTable({"model", "method", "run", "miniBatches"})),
      m_microPoints(MakeOutcomeTable({"model", "method", "run", "microBatches"})),
      m_bandwidths(MakeOutcomeTable({"model", "method", "run", "bitsPerSecond"}))
{
    const auto choose =
        [&](const std::string& option, const std::string& quick, const auto& known, auto name) {
            const bool isQuick = m_isQuick && !options.IsChanged(option);
            const std::vector<std::string> few{quick};
            return Choose(options, option, isQuick ? few : options.GetList(option), known, name);
        };
    m_published.models = choose("model", "alexnet", m_published.models, &PublishedDgpasModel::file);
    m_networks = choose("networks", "lan-1g", NETWORKS, &DgpasNetwork::name);
    m_methods = GetDgpasMethods();
    const auto bubbles =
        Choose(options, "bubbles-of", options.GetList("bubbles-of"), m_methods, &DgpasMethod::name);
    if (options.GetString("planner") != "all")
    {
        const auto planners = options.GetList("planner");
        for (const std::string& planner : planners)
        {
            FindByName<PipelinePlanner>("--planner", planner);
        }
        const auto isLeftOut = [&planners](const DgpasMethod& method) {
            return std::find(planners.begin(), planners.end(), method.planner) == planners.end();
        };
        m_methods.erase(std::remove_if(m_methods.begin(), m_methods.end(), isLeftOut),
                        m_methods.end());
    }
    for (const DgpasMethod& method : bubbles)
    {
        if (FindMethod(method.name) < m_methods.size())
        {
            m_bubbleNames.push_back(method.name);
        }
    }
    if (m_bubbleNames.empty() && options.IsChanged("bubbles-of"))
    {
        options.Refuse("bubbles-of", "one at least whose planner is among --planner");
    }
    if (m_isQuick)
    {
        m_seeds = options.IsChanged("seeds") ? m_seeds : 1;
        m_otherSeeds = options.IsChanged("other-seeds") ? m_otherSeeds : 1;
    }
    ResultsFolder(options.GetString("out")).Check();
}

std::size_t
DgpasStudy::FindMethod(const std::string& name) const
{
    return std::find_if(m_methods.begin(),
                        m_methods.end(),
                        [&name](const DgpasMethod& method) { return method.name == name; }) -
           m_methods.begin();
}

const std::string&
DgpasStudy::GetName(std::size_t model) const
{
    return m_published.models[model].name;
}

DgpasSetting&
DgpasStudy::GetSetting(std::size_t model, std::size_t network)
{
    auto& setting = m_settings[{model, network}];
    if (!setting)
    {
        setting = std::make_unique<DgpasSetting>(m_options,
                                                 DgpasSite{m_published.models[model].file,
                                                           m_networks[network].link,
                                                           m_networks[network].bandwidth,
                                                           MICRO_BATCHES,
                                                           MICRO_BATCH_SIZE});
    }
    return *setting;
}

void
DgpasStudy::Run()
{
    const std::size_t models = m_published.models.size();
    const double total = models * (m_seeds + (m_networks.size() - 1.0) * m_otherSeeds);
    std::size_t done = 0;
    for (std::size_t network = 0; network < m_networks.size(); ++network)
    {
        for (std::size_t model = 0; model < models; ++model)
        {
            for (uint32_t i = 0; i < (network == 0 ? m_seeds : m_otherSeeds); ++i)
            {
                const double share = CASES_SHARE / total;
                RunSeed(model, network, m_firstRun + i, share * done, share);
                ++done;
            }
        }
    }
    m_progress.Update(CASES_SHARE, "figure 11");
    SweepBubbles();
    m_progress.Update((1 + CASES_SHARE) / 2, "help over bandwidth");
    SweepBandwidth();
    RngSeedManager::SetRun(m_firstRun);
}

void
DgpasStudy::RunSeed(std::size_t model,
                    std::size_t network,
                    uint64_t seed,
                    double done,
                    double share)
{
    DgpasSetting& setting = GetSetting(model, network);
    std::map<std::string, DgpasPlan> plans; // schedules share them
    for (std::size_t method = 0; method < m_methods.size(); ++method)
    {
        const DgpasMethod& one = m_methods[method];
        if (!one.isRandom && seed != m_firstRun)
        {
            continue;
        }
        m_progress.Update(done + share * method / m_methods.size(),
                          GetName(model) + ", " + m_networks[network].label + ", " + one.name +
                              ", seed " + std::to_string(seed));
        const auto [made, isNew] = plans.try_emplace(one.planner + one.variant);
        if (isNew)
        {
            made->second = MakeDgpasPlan(one, setting.GetProblem(), seed);
            m_trainings += made->second.isTrained;
            m_preparationSeconds += made->second.preparationSeconds;
            m_decisionSeconds += made->second.decisionSeconds;
        }
        DgpasOutcomes outcomes;
        if (made->second.problemWithPlan.empty())
        {
            outcomes = setting.Simulate(made->second.plan, one.schedule, 1);
        }
        m_cases.push_back({model, network, method, seed, made->second, outcomes});
    }
}

void
DgpasStudy::SweepBubbles()
{
    for (std::size_t model = 0; model < m_published.models.size(); ++model)
    {
        std::map<uint32_t, std::unique_ptr<DgpasSetting>> cuts;
        for (const uint32_t count : {2, 4, 8, 16, 32})
        {
            const auto& network = m_networks.front();
            cuts[count] =
                std::make_unique<DgpasSetting>(m_options,
                                               DgpasSite{m_published.models[model].file,
                                                         network.link,
                                                         network.bandwidth,
                                                         count,
                                                         MICRO_BATCHES * MICRO_BATCH_SIZE / count});
        }
        for (const DgpasCase& one : m_cases)
        {
            const DgpasMethod& method = m_methods[one.method];
            if (one.model != model || one.network != 0 || !one.outcomes.IsFinished() ||
                std::find(m_bubbleNames.begin(), m_bubbleNames.end(), method.name) ==
                    m_bubbleNames.end())
            {
                continue;
            }
            const auto add = [&](Table& table, uint32_t count, DgpasSetting& setting, uint32_t n) {
                AddOutcomes(
                    table,
                    {GetName(model), method.name, std::to_string(one.seed), std::to_string(count)},
                    setting.Simulate(one.made.plan, method.schedule, n));
            };
            for (const uint32_t count : m_miniBatches)
            {
                add(m_miniPoints, count, GetSetting(model, 0), count);
            }
            for (const auto& [count, setting] : cuts)
            {
                add(m_microPoints, count, *setting, 1);
            }
        }
    }
}

void
DgpasStudy::SweepBandwidth()
{
    const std::size_t exact = FindMethod("exact");
    for (std::size_t model = 0; model < m_published.models.size(); ++model)
    {
        const std::size_t improved = FindMethod(DGPAS_IMPROVED);
        const auto fixed = std::find_if(m_cases.begin(), m_cases.end(), [&](const auto& one) {
            return one.model == model && one.network == 0 && one.method == improved;
        });
        for (const std::string& text : m_isQuick ? FEW_BANDWIDTHS : BANDWIDTHS)
        {
            double bandwidth;
            ParseBitsPerSecond(text, bandwidth);
            DgpasSetting setting(
                m_options,
                {m_published.models[model].file, "lan", text, MICRO_BATCHES, MICRO_BATCH_SIZE});
            const auto add = [&](const std::string& method, const PipelinePlan& plan) {
                AddOutcomes(
                    m_bandwidths,
                    {GetName(model), method, std::to_string(m_firstRun), Table::Exact(bandwidth)},
                    setting.Simulate(plan, "gpipe", 1));
            };
            if (fixed != m_cases.end() && fixed->outcomes.IsFinished())
            {
                add(DGPAS_IMPROVED, fixed->made.plan);
            }
            if (exact < m_methods.size())
            {
                const auto made = MakeDgpasPlan(m_methods[exact], setting.GetProblem(), m_firstRun);
                if (made.problemWithPlan.empty())
                {
                    add("exact", made.plan);
                }
            }
        }
    }
}

void
DgpasStudy::Print() const
{
    const TrainingInputs& inputs = m_settings.begin()->second->GetInputs();
    std::cout << "The DGPAS paper beside ours: "
              << FormatCount(m_published.models.size(), "model", "models") << ", "
              << FormatCount(m_methods.size(), "method", "methods") << ", "
              << FormatCount(m_networks.size(), "network", "networks") << ", "
              << inputs.cluster.name << " ("
              << FormatCount(inputs.cluster.devices.size(), "device", "devices") << "), "
              << inputs.microBatches << " micro-batches of " << inputs.microBatchSize
              << " samples, " << m_options.GetString("fidelity") << " level\n";
    PrintLayerCosts(inputs.costs);
    std::size_t simulations = 0;
    for (const auto& [site, setting] : m_settings)
    {
        simulations += setting->GetSimulations();
    }
    std::cout << FormatCount(m_cases.size(), "plan", "plans") << ", "
              << FormatCount(simulations, "simulation", "simulations")
              << " (equal plans are simulated once); weights of grdqn trained anew for "
              << FormatCount(m_trainings, "plan", "plans")
              << ", the others come from its cache; training and loading took "
              << Table::Rounded(m_preparationSeconds, 3) << " s, decisions "
              << Table::Rounded(m_decisionSeconds, 3) << " s\n";
    for (const DgpasCase& one : m_cases)
    {
        const auto name = m_methods[one.method].name + ", " + GetName(one.model) + ", " +
                          m_networks[one.network].label + ", seed " + std::to_string(one.seed);
        if (!one.made.problemWithPlan.empty())
        {
            std::cout << "No plan: " << name << ": " << one.made.problemWithPlan << "\n";
            continue;
        }
        for (const auto& [help, label] : DGPAS_HELPS)
        {
            const DgpasOutcome& outcome = one.outcomes.Get(help);
            if (!outcome.isFinished)
            {
                std::cerr << m_options.GetName() << ": not finished, help " << label << ": " << name
                          << ": " << outcome.reason << "\n";
            }
        }
    }
}

Table
DgpasStudy::MakeCaseRows() const
{
    Table table = MakeOutcomeTable(
        {"model", "network", "method", "run", "stages", "predictedIterationSeconds"});
    for (const DgpasCase& one : m_cases)
    {
        const bool hasPlan = one.made.problemWithPlan.empty();
        AddOutcomes(table,
                    {GetName(one.model),
                     m_networks[one.network].name,
                     m_methods[one.method].name,
                     std::to_string(one.seed),
                     std::to_string(one.made.plan.stages.size()),
                     hasPlan ? Table::Exact(one.made.predictedSeconds) : ""},
                    one.outcomes,
                    hasPlan);
    }
    return table;
}

Table
DgpasStudy::MakeCostRows() const
{
    Table table({"model",
                 "network",
                 "method",
                 "run",
                 "evaluations",
                 "isTrained",
                 "preparationSeconds",
                 "decisionSeconds"});
    for (const DgpasCase& one : m_cases)
    {
        table.AddRow({GetName(one.model),
                      m_networks[one.network].name,
                      m_methods[one.method].name,
                      std::to_string(one.seed),
                      std::to_string(one.made.evaluations),
                      one.made.isTrained ? "yes" : "no",
                      Table::Exact(one.made.preparationSeconds),
                      Table::Exact(one.made.decisionSeconds)});
    }
    return table;
}

std::string
DgpasStudy::MakeJson() const
{
    using Json = nlohmann::ordered_json;
    Json run{{"published", m_published.source}, {"bubblesOf", m_bubbleNames}};
    for (const auto& model : m_published.models)
    {
        run["models"].push_back(model.name);
    }
    for (const auto& network : m_networks)
    {
        run["networks"].push_back({{"name", network.name}, {"label", network.label}});
    }
    for (const auto& method : m_methods)
    {
        run["methods"].push_back(
            {{"name", method.name}, {"schedule", method.schedule}, {"theirs", method.theirs}});
    }
    std::ifstream paper(m_paper);
    run["paper"] = Json::parse(paper);
    return FormatRunFile(m_options,
                         m_settings.begin()->second->GetInputs().costs,
                         run.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void
DgpasStudy::Write() const
{
    ResultsFolder folder(m_options.GetString("out"));
    const auto csv = [&folder](const std::string& name, const Table& table) {
        folder.Write(name, [&table](std::ostream& os) { table.WriteCsv(os); });
    };
    csv("results.csv", MakeCaseRows());
    csv("figure11.csv", m_miniPoints);
    csv("micro_batches.csv", m_microPoints);
    csv("bandwidth.csv", m_bandwidths);
    csv("costs.csv", MakeCostRows());
    folder.Write("run.json", [this](std::ostream& os) { os << MakeJson(); });
    folder.Commit();
    std::cout << "\nResults: " << m_options.GetString("out")
              << "/  results.csv (a row per plan and help), figure11.csv, micro_batches.csv, "
                 "bandwidth.csv,\n  costs.csv, run.json\n"
                 "Tables: analysis/papers/dgpas_testbed.py "
              << m_options.GetString("out") << "\n";
}

int
DgpasStudy::GetStatus() const
{
    return std::any_of(m_cases.begin(),
                       m_cases.end(),
                       [](const DgpasCase& one) {
                           return one.made.problemWithPlan.empty() && !one.outcomes.IsFinished();
                       })
               ? 3
               : 0;
}

} // namespace edgepipe
} // namespace ns3
