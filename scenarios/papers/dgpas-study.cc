/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/dgpas-study.h"

#include "studies/count-list.h"
#include "lib/outside-planners.h"
#include "lib/traces-option.h"
#include "papers/chosen.h"

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>

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
 * @tparam Row what outcomes belong to
 * @param columns of that
 * @return a table of these and what came of every help
 */
template <typename Row>
Sheet<Row, DgpasOutcome>
MakeOutcomeSheet(std::vector<Column<Row, DgpasOutcome>> columns)
{
    using Outcome = const DgpasOutcome;
    const auto known = [](double DgpasOutcome::*figure) {
        return [=](Outcome& o) { return When(o.IsFinished(), o.*figure); };
    };
    const std::vector<Column<Row, DgpasOutcome>> figures{
        {"help", &DgpasOutcome::help},
        {"status", &DgpasOutcome::status},
        {"iterationSeconds", known(&DgpasOutcome::iterationSeconds)},
        {"bubbleRate", known(&DgpasOutcome::bubbleRate)},
        {"bubbleIndex", known(&DgpasOutcome::index)},
        {"theta", &DgpasOutcome::theta},
        {"theoremBubbleSeconds", &DgpasOutcome::theorem},
        {"requests", [](Outcome& o) { return o.assistance.requests; }},
        {"grants", [](Outcome& o) { return o.assistance.grants; }},
        {"refusals", [](Outcome& o) { return o.assistance.refusals; }},
        {"helpedSamples", [](Outcome& o) { return o.assistance.samples; }},
        {"movedBytes", &DgpasOutcome::movedBytes},
    };
    columns.insert(columns.end(), figures.begin(), figures.end());
    return columns;
}

/**
 * @param one a case
 * @return whether there is a plan
 */
bool
HasPlan(const DgpasCase& one)
{
    return one.made.problemWithPlan.empty();
}

} // namespace

DgpasStudy::DgpasStudy(ScenarioOptions& o)
    : Experiment(o)
{
    o.Bind("quick=false", m_isQuick)
        .Help("little: one model, one network, one seed, unless told otherwise");
    o.Bind("model=alexnet,resnext101_32x8d,vgg19,inception_v3,regnet_x_200mf", m_models)
        .Help("models, of those the paper measured");
    o.Bind("networks=lan-1g,lan-100m,wifi-ac,memory", m_networkNames)
        .Help("lan-1g, lan-100m, wifi-ac, memory (51.2 GB/s, at which the paper's simulation moves "
              "tensors); the first is the one of table 3 and of figures 11 and 12");
    o.BindNames<PipelinePlanner>("planner=all", m_planners)
        .Help("of " + JoinNames<PipelinePlanner>() + ", or all; some are in several settings");
    o.Bind("methods=all", m_methodNames)
        .Help("rows of the tables, such as grdqn-faithful, of those that the planners have, or "
              "all");
    o.Bind("seeds=10", m_seeds, 1, 10000)
        .Help("runs of each random planner over the first network");
    o.Bind("jobs=2", m_jobs, 1, 1024).Help("seeds planned at once, each in a process of its own");
    o.Bind("other-seeds=3", m_otherSeeds, 1, 10000).Help("the same over the other networks");
    o.Bind("state-nodes=20000", m_stateNodes, 1, 1000000000)
        .Help(
            "problems solved, per model, to find the best plan that SDQN's state can say; what is "
            "found then is a bound");
    o.Bind("bubbles-of=" + DGPAS_IMPROVED + ",dp,ga", m_bubbleNames)
        .Help("whose plans figure 11 averages: rows of table 3");
    BindCounts(o, "mini-batches=1,2,4,8,16,32", m_miniBatches, 100000).Help("of figure 11, rising");
    o.Bind("cluster=dgpas-testbed").Help("devices: a name in traces/clusters or a file");
    o.Bind("fidelity=flow")
        .Help("flow (transfers share links' rates) or packet (every packet of ns-3's TCP)");
    o.Bind("checkpoints=" + std::to_string(AdjacentOptions().checkpoints))
        .Help("inside every micro-batch, at which busy devices look for requests");
    o.Bind("lambda=", m_lambda, 0, 1e9)
        .Help("device heterogeneity of equation 11, 0 or more; empty: coefficient of variation of "
              "the speeds of the stages' devices");
    o.AddOut();
    AddTracesOption(o);
}

void
DgpasStudy::Read()
{
    m_paper = FindTracesFolder(m_options) + PUBLISHED_FILE;
    m_published = ReadPublishedDgpas(m_paper);
    m_firstRun = RngSeedManager::GetRun();
    if (m_isQuick)
    {
        const auto limit = [this](const char* option, auto& target, auto quick) {
            target = m_options.IsChanged(option) ? target : quick;
        };
        limit("model", m_models, std::vector<std::string>{"alexnet"});
        limit("networks", m_networkNames, std::vector<std::string>{"lan-1g"});
        limit("seeds", m_seeds, 1U);
        limit("other-seeds", m_otherSeeds, 1U);
    }
    const auto choose = [&](const char* option, const auto& asked, const auto& known, auto name) {
        return Choose(m_options, option, asked, known, name);
    };
    m_published.models = choose("model", m_models, m_published.models, &PublishedDgpasModel::file);
    m_networks = choose("networks", m_networkNames, NETWORKS, &DgpasNetwork::name);
    if (std::any_of(m_planners.begin(), m_planners.end(), IsOutsidePlanner))
    {
        m_options.Refuse("planner", "planners of ours, whose rows the tables have");
    }
    m_methods = GetDgpasMethods(FindTracesFolder(m_options));
    const auto bubbles = choose("bubbles-of", m_bubbleNames, m_methods, &DgpasMethod::name);
    const auto isLeftOut = [this](const DgpasMethod& method) {
        return !std::count(m_planners.begin(), m_planners.end(), method.GetOption());
    };
    m_methods.erase(std::remove_if(m_methods.begin(), m_methods.end(), isLeftOut), m_methods.end());
    if (m_methodNames != std::vector<std::string>{"all"})
    {
        m_methods = choose("methods", m_methodNames, m_methods, &DgpasMethod::name);
    }
    m_bubbleNames.clear();
    for (const DgpasMethod& method : bubbles)
    {
        if (FindMethod(method.name) < m_methods.size())
        {
            m_bubbleNames.push_back(method.name);
        }
    }
    if (m_bubbleNames.empty() && m_options.IsChanged("bubbles-of"))
    {
        m_options.Refuse("bubbles-of", "one at least whose planner is among --planner");
    }
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
                                                           MICRO_BATCH_SIZE},
                                                 m_lambda);
    }
    return *setting;
}

void
DgpasStudy::Simulate()
{
    const std::size_t models = m_published.models.size();
    const double total = models * (m_seeds + (m_networks.size() - 1.0) * m_otherSeeds);
    std::size_t done = 0;
    for (std::size_t network = 0; network < m_networks.size(); ++network)
    {
        for (std::size_t model = 0; model < models; ++model)
        {
            const uint32_t seeds = network == 0 ? m_seeds : m_otherSeeds;
            for (uint32_t first = 0; first < seeds; first += m_jobs)
            {
                Follow(CASES_SHARE * done / total,
                       1,
                       GetName(model) + ", " + m_networks[network].label + ", plans");
                const uint32_t count = std::min(m_jobs, seeds - first);
                RunSeeds(model, network, m_firstRun + first, count);
                done += count;
            }
        }
    }
    DecomposeMisses();
    Follow(CASES_SHARE, 1, "figure 11");
    SweepBubbles();
    const auto& network = m_networks.front();
    SweepMicroBatches(m_microPoints, [&](std::size_t model, uint32_t count) {
        return DgpasSite{m_published.models[model].file,
                         network.link,
                         network.bandwidth,
                         count,
                         MICRO_BATCHES * MICRO_BATCH_SIZE / count};
    });
    // The paper's scripts count items of one size in one pass, and no memory.
    SweepMicroBatches(m_itemPoints, [&](std::size_t model, uint32_t count) {
        return DgpasSite{m_published.models[model].file,
                         network.link,
                         network.bandwidth,
                         count,
                         MICRO_BATCH_SIZE,
                         false};
    });
    Follow((1 + CASES_SHARE) / 2, 1, "help over bandwidth");
    SweepBandwidth();
    RngSeedManager::SetRun(m_firstRun);
}

bool
DgpasStudy::IsRun(const DgpasMethod& method, std::size_t model, std::size_t network) const
{
    return (network == 0 || !method.isOfFirstNetwork) &&
           (method.model.empty() || method.model == m_published.models[model].file);
}

void
DgpasStudy::RunSeeds(std::size_t model, std::size_t network, uint64_t first, uint32_t count)
{
    std::vector<DgpasMethod> methods;
    std::copy_if(m_methods.begin(),
                 m_methods.end(),
                 std::back_inserter(methods),
                 [&](const DgpasMethod& method) { return IsRun(method, model, network); });
    std::vector<uint64_t> seeds(count);
    std::iota(seeds.begin(), seeds.end(), first);
    DgpasSetting& setting = GetSetting(model, network);
    const auto plans = MakeDgpasPlans(methods, setting.GetProblem(), seeds);
    for (uint32_t i = 0; i < count; ++i)
    {
        for (const auto& [key, made] : plans[i])
        {
            m_trainings += made.isTrained;
            m_preparationSeconds += made.preparationSeconds;
            m_decisionSeconds += made.decisionSeconds;
        }
        RngSeedManager::SetRun(seeds[i]);
        RunSeed(model, network, seeds[i], plans[i]);
    }
}

void
DgpasStudy::RunSeed(std::size_t model, std::size_t network, uint64_t seed, const DgpasPlans& plans)
{
    for (std::size_t method = 0; method < m_methods.size(); ++method)
    {
        const DgpasMethod& one = m_methods[method];
        if (!IsRun(one, model, network) || (!one.isRandom && seed != m_firstRun))
        {
            continue;
        }
        const DgpasPlan& made = plans.at(one.GetKey());
        m_cases.push_back({model, network, method, seed, made, {}});
        DgpasOutcomes& outcomes = m_cases.back().outcomes;
        if (HasPlan(m_cases.back()))
        {
            outcomes = GetSetting(model, network).Simulate(made.plan, one.schedule, 1);
            m_isStalled |= !IsFinished(outcomes);
            continue;
        }
        for (const char* help : DGPAS_HELPS)
        {
            outcomes.emplace_back();
            outcomes.back().help = help;
        }
    }
}

std::vector<const DgpasCase*>
DgpasStudy::FindBubbleCases(std::size_t model) const
{
    std::vector<const DgpasCase*> cases;
    for (const DgpasCase& one : m_cases)
    {
        if (one.model == model && one.network == 0 && IsFinished(one.outcomes) &&
            std::count(m_bubbleNames.begin(), m_bubbleNames.end(), m_methods[one.method].name))
        {
            cases.push_back(&one);
        }
    }
    return cases;
}

void
DgpasStudy::DecomposeMisses()
{
    for (std::size_t model = 0; model < m_published.models.size(); ++model)
    {
        std::unique_ptr<DgpasDecomposition> decomposition;
        for (const DgpasCase& one : m_cases)
        {
            const std::string& method = m_methods[one.method].name;
            if (one.model != model || one.network != 0 || !HasPlan(one) ||
                (method != DGPAS_FAITHFUL && method != DGPAS_STAGE_AWARE))
            {
                continue;
            }
            if (!decomposition)
            {
                Follow(CASES_SHARE, 1, GetName(model) + ", what the state can say");
                decomposition =
                    std::make_unique<DgpasDecomposition>(GetSetting(model, 0).GetProblem(),
                                                         m_stateNodes);
            }
            m_misses.push_back(
                decomposition->Decompose(GetName(model), method, one.seed, one.made.plan));
        }
    }
}

void
DgpasStudy::SweepBubbles()
{
    for (std::size_t model = 0; model < m_published.models.size(); ++model)
    {
        for (const DgpasCase* one : FindBubbleCases(model))
        {
            const DgpasMethod& method = m_methods[one->method];
            for (const uint32_t count : m_miniBatches)
            {
                m_miniPoints.push_back(
                    {GetName(model),
                     method.name,
                     one->seed,
                     count,
                     GetSetting(model, 0).Simulate(one->made.plan, method.schedule, count)});
            }
        }
    }
}

void
DgpasStudy::SweepMicroBatches(std::vector<DgpasPoint>& points,
                              const std::function<DgpasSite(std::size_t, uint32_t)>& describe)
{
    for (std::size_t model = 0; model < m_published.models.size(); ++model)
    {
        std::map<uint32_t, std::unique_ptr<DgpasSetting>> settings;
        for (const uint32_t count : {2, 4, 8, 16, 32})
        {
            settings[count] =
                std::make_unique<DgpasSetting>(m_options, describe(model, count), m_lambda);
        }
        for (const DgpasCase* one : FindBubbleCases(model))
        {
            const DgpasMethod& method = m_methods[one->method];
            for (const auto& [count, setting] : settings)
            {
                points.push_back({GetName(model),
                                  method.name,
                                  one->seed,
                                  count,
                                  setting->Simulate(one->made.plan, method.schedule, 1)});
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
                {m_published.models[model].file, "lan", text, MICRO_BATCHES, MICRO_BATCH_SIZE},
                m_lambda);
            const auto add = [&](const std::string& method, const PipelinePlan& plan) {
                m_bandwidths.push_back({GetName(model),
                                        method,
                                        m_firstRun,
                                        bandwidth,
                                        setting.Simulate(plan, "gpipe", 1)});
            };
            if (fixed != m_cases.end() && IsFinished(fixed->outcomes))
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
        if (!HasPlan(one))
        {
            std::cout << "No plan: " << name << ": " << one.made.problemWithPlan << "\n";
            continue;
        }
        for (const auto& outcome : one.outcomes)
        {
            if (!outcome.IsFinished())
            {
                std::cerr << m_options.GetName() << ": not finished, help " << outcome.help << ": "
                          << name << ": " << outcome.reason << "\n";
            }
        }
    }
}

nlohmann::ordered_json
DgpasStudy::MakeJson() const
{
    nlohmann::ordered_json run{{"published", m_published.source}, {"bubblesOf", m_bubbleNames}};
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
    run["paper"] = nlohmann::ordered_json::parse(paper);
    return run;
}

std::string
DgpasStudy::Write(ResultsFolder& folder) const
{
    using Case = const DgpasCase;
    const auto getModel = [this](Case& c) { return GetName(c.model); };
    const auto getNetwork = [this](Case& c) { return m_networks[c.network].name; };
    const auto getMethod = [this](Case& c) { return m_methods[c.method].name; };
    auto results = MakeOutcomeSheet<DgpasCase>({
        {"model", getModel},
        {"network", getNetwork},
        {"method", getMethod},
        {"run", &DgpasCase::seed},
        {"stages", [](Case& c) { return c.made.plan.stages.size(); }},
        {"predictedIterationSeconds",
         [](Case& c) { return When(HasPlan(c), c.made.predictedSeconds); }},
    });
    for (const auto& one : m_cases)
    {
        results.AddEach(one, one.outcomes);
    }
    folder.Write("results.csv", AddRunColumns(results.GetFile()));
    const auto writePoints = [&](const char* file, const char* x, const auto& points) {
        auto sheet = MakeOutcomeSheet<DgpasPoint>({
            {"model", &DgpasPoint::model},
            {"method", &DgpasPoint::method},
            {"run", &DgpasPoint::run},
            {x, &DgpasPoint::x},
        });
        for (const auto& point : points)
        {
            sheet.AddEach(point, point.outcomes);
        }
        folder.Write(file, sheet.GetFile());
    };
    folder.Write("decomposition.csv", MakeMissSheet(m_misses).GetFile());
    writePoints("figure11.csv", "miniBatches", m_miniPoints);
    writePoints("micro_batches.csv", "microBatches", m_microPoints);
    writePoints("items.csv", "items", m_itemPoints);
    writePoints("bandwidth.csv", "bitsPerSecond", m_bandwidths);
    // Decisions, which differ from run to run.
    const auto costs = MakeSheet<DgpasCase>(
        {
            {"model", getModel},
            {"network", getNetwork},
            {"method", getMethod},
            {"run", &DgpasCase::seed},
            {"evaluations", [](Case& c) { return c.made.evaluations; }},
            {"isTrained", [](Case& c) { return c.made.isTrained ? "yes" : "no"; }},
            {"preparationSeconds", [](Case& c) { return c.made.preparationSeconds; }},
            {"decisionSeconds", [](Case& c) { return c.made.decisionSeconds; }},
        },
        m_cases);
    folder.Write("costs.csv", costs.GetFile());
    folder.Write(
        "run.json",
        FormatRunFile(m_options, m_settings.begin()->second->GetInputs().costs, MakeJson()));
    return "results.csv (a row per plan and help), decomposition.csv, figure11.csv,\n  "
           "micro_batches.csv, items.csv, bandwidth.csv, costs.csv, run.json\n"
           "Tables: analysis/papers/dgpas_testbed.py " +
           m_options.GetString("out");
}

} // namespace edgepipe
} // namespace ns3
