/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/coknight-study.h"

#include "studies/count-list.h"
#include "lib/traces-option.h"

#include "ns3/double.h"
#include "ns3/edgepipe-cost-provider.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-multi-actor-cost.h"
#include "ns3/edgepipe-multi-actor-cut.h"
#include "ns3/edgepipe-multi-actor-planner.h"
#include "ns3/edgepipe-random-streams.h"
#include "ns3/edgepipe-topology-oracle.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Models and devices of figure 2; the text names neither but the devices of its testbed.
const std::vector<std::string>
    MODELS{"alexnet", "vgg16", "resnet18", "resnet50", "googlenet", "mobilenet_v2", "atari_cnn"};
const std::vector<std::string> DEVICES{"raspberry-pi-4b",
                                       "xeon-e5-2630v4",
                                       "i7-9700k",
                                       "rtx-2080-ti",
                                       "v100"};
/// Algorithm 1 and nothing else.
const char* const AS_PRINTED = "defp-as-printed";
/// Bandwidths of figure 6, bytes/s.
constexpr double AMPLE = 100e6;
constexpr double SCARCE = 2e6;
/// What actors of figure 12 are: FLOP/s and bytes/s, uniform.
constexpr double SLOWEST = 1e9;
constexpr double FASTEST = 3e10;
constexpr double NARROWEST = 1e6;
constexpr double WIDEST = 2e7;
/// Inferences in a batch by which the server of figure 12 is fast: those of so many actors.
constexpr uint32_t SERVED_TOGETHER = 32;
/// Budgets of figure 12, by what the best cuts of the actors there are take, or of 20.
constexpr double BUDGET_SHARE = 0.5;
constexpr double BUDGET_ACTORS = 20;
/// Most seconds of a plan of milp.
constexpr double MOST_SECONDS = 20;

/**
 * @param model the network and the server
 * @param actors how many
 * @param isElastic whether budgets grow with them
 * @param problem which of the problems; more actors of the same begin with the same ones
 * @return it
 */
MultiActorProblem
MakeProblem(const MultiActorModel& model, uint32_t actors, bool isElastic, uint32_t problem)
{
    const auto speed = CreateObject<UniformRandomVariable>();
    speed->SetStream(random_streams::MULTI_ACTOR_PROBLEM.Get(2 * problem));
    const auto link = CreateObject<UniformRandomVariable>();
    link->SetStream(random_streams::MULTI_ACTOR_PROBLEM.Get(2 * problem + 1));
    MultiActorProblem made{model, {}, {0, 0, 1}};
    double flop = 0;
    double bytes = 0;
    const uint32_t counted = isElastic ? actors : BUDGET_ACTORS;
    for (uint32_t i = 0; i < std::max(actors, counted); ++i)
    {
        const MultiActor actor{"actor-" + std::to_string(i),
                               speed->GetValue(SLOWEST, FASTEST),
                               link->GetValue(NARROWEST, WIDEST)};
        if (i < counted)
        {
            const auto best = ListUsefulMultiActorCuts(model, actor).front();
            flop += best.flop;
            bytes += best.bytes;
        }
        if (i < actors)
        {
            made.actors.push_back(actor);
        }
    }
    made.budgets.computeFlop = BUDGET_SHARE * flop;
    made.budgets.bandwidthBytes = BUDGET_SHARE * bytes;
    return made;
}

/// Figures that are made.
const std::vector<std::string> FIGURES{"2", "6", "9", "10", "11", "12"};
/// What the text states of Seed-RL: actors of figures 8 and 9, and the bytes/s they upload.
constexpr uint32_t THEIR_ACTORS = 12;
constexpr double THEIR_BYTES_PER_SECOND = 12e6;
/// The wired network: Ethernet's gigabit, since the text names no rate.
constexpr double WIRE_BITS_PER_SECOND = 1e9;
/// Of what begins a simulation, not counted.
const Time WARM_UP = Seconds(4);
/// Bandwidth limits of figure 10, MB/s; the text states the first and the last.
const std::vector<double> LIMITS{50, 20, 10, 7, 5, 3, 2};
/// Of figure 10: until all actors have their first parameters over the narrowest wire.
const Time LIMITED_WARM_UP = Seconds(20);
/// Actors of figure 10.
constexpr uint32_t LIMITED_ACTORS = 6;
/// Share of the server that figure 11's plans may count on, for what is not inference.
constexpr double HEADROOM = 0.8;

} // namespace

CoknightStudy::CoknightStudy(ScenarioOptions& o)
    : Experiment(o),
      m_files(o, m_run)
{
    o.SetDefault("execution", "eq5"); // as the paper's simulations
    o.Bind("actor=raspberry-pi-4b,xeon-e5-2630v4").Help("types of actors, in turn");
    o.Bind("server=v100").Help("type of the server");
    o.Bind("figures=" + JoinWords(FIGURES, ","), m_wanted, FIGURES)
        .Help("which of " + JoinWords(FIGURES) + ", separated by commas");
    BindCounts(o, "actors=4,12,20,28,36,44,52,60,68", m_actors, 2000)
        .Help("numbers of actors of figure 11");
    BindCounts(o, "planned-actors=10,20,30,40,50,60", m_planned, 2000)
        .Help("numbers of actors of figure 12");
    o.Bind("problems=5", m_problems, 1, 1000).Help("random problems per point of figure 12");
    o.Bind("bandwidth-budget=0", m_budgetMBps, 0, 1e6)
        .Help("MB/s of cut tensors that Coknight's actors share in figures 10 and 11, however many "
              "they are; 0: as much as the wires carry in figure 10, 80 % of the server's in 11");
    o.Bind("fidelity=flow", m_run.network.fidelity, "flow", "packet")
        .Help("of the simulations: flow or packet");
    o.Bind("duration=20s", m_duration, Seconds(2))
        .Help("of every simulation after its warm-up, simulated");
    AddTracesOption(o);
    o.AddOut();
}

void
CoknightStudy::Read()
{
    m_files.Read();
    const double input = m_run.model.outputBytes.front();
    m_requestsPerSecond = THEIR_BYTES_PER_SECOND / THEIR_ACTORS / input;
    const auto run = MakeOptions(THEIR_ACTORS, WIRE_BITS_PER_SECOND);
    double response = 0;
    for (const auto& actor : run.actors)
    {
        const double bytesPerSecond = GetWireGoodput(run.network, Time()) / 8;
        response += ListMultiActorCuts(run.model, {"", actor.flopPerSecond, bytesPerSecond})
                        .front()
                        .responseSeconds /
                    run.actors.size();
    }
    m_run.environmentSeconds = 1 / m_requestsPerSecond - response;
    if (m_run.environmentSeconds <= 0)
    {
        throw InputError("--model: found one whose inference takes longer than the step of " +
                         Table::Rounded(1e3 / m_requestsPerSecond) +
                         " ms that 12 MB/s of 12 actors leave, expected a faster one");
    }
}

void
CoknightStudy::Simulate()
{
    m_all = 6 + 4 * LIMITS.size() + 3 * m_actors.size() + 2.0 * m_planned.size();
    const std::vector<void (CoknightStudy::*)()> all{&CoknightStudy::RunFigure2,
                                                     &CoknightStudy::RunFigure6,
                                                     &CoknightStudy::RunFigure9,
                                                     &CoknightStudy::RunFigure10,
                                                     &CoknightStudy::RunFigure11,
                                                     &CoknightStudy::RunFigure12};
    for (std::size_t i = 0; i < all.size(); ++i)
    {
        if (std::count(m_wanted.begin(), m_wanted.end(), FIGURES[i]))
        {
            (this->*all[i])();
        }
    }
}

void
CoknightStudy::Advance(const std::string& what)
{
    m_done += 1;
    Follow(std::min(m_done, m_all), m_all, what);
}

ActorLearnerOptions
CoknightStudy::MakeOptions(uint32_t actors, double bitsPerSecond) const
{
    ActorLearnerOptions run = m_run;
    run.network.link = "lan";
    run.network.bandwidthBitsPerSecond = bitsPerSecond;
    run.duration = m_duration;
    run.changes = JoinAll(actors);
    for (uint32_t i = 0; i < actors; ++i)
    {
        const std::string& type = m_files.actorTypes[i % m_files.actorTypes.size()].name;
        run.actors.push_back({type + "-" + std::to_string(i), m_files.speeds.at(type)});
        if (m_files.layerSeconds.count(type))
        {
            run.actors.back().layerSeconds = m_files.layerSeconds.at(type);
        }
    }
    return run;
}

std::pair<ActorLearnerResult, ActorLearnerSummary>
CoknightStudy::SimulateCase(const std::string& planner,
                            uint32_t actors,
                            double bitsPerSecond,
                            const ActorBudgets& budgets,
                            const Time& warmUp)
{
    ActorLearnerOptions run = MakeOptions(actors, bitsPerSecond);
    run.planner = planner;
    run.budgets = budgets;
    run.duration = warmUp + m_duration;
    Advance(planner + ": simulating " + std::to_string(actors) + " actors");
    ActorLearnerResult result = RunActorLearner(run, {});
    ActorLearnerSummary summary = Summarise(run, result, warmUp);
    return {std::move(result), std::move(summary)};
}

void
CoknightStudy::RunFigure9()
{
    Table& figure = AddFigure("figure-9.csv",
                              {"case",
                               "planner",
                               "computeBudgetShare",
                               "bandwidthBudgetShare",
                               "serverUse",
                               "inferenceUse",
                               "trainingUse",
                               "impliedInferenceUse",
                               "uplinkMBps",
                               "tensorMBps",
                               "downlinkMBps",
                               "requestsPerSecond",
                               "leastSpanUse",
                               "medianSpanUse",
                               "mostSpanUse"});
    const double limit = 10e6 / THEIR_BYTES_PER_SECOND;
    const ActorBudgets all{1, 1, true, 1};
    const ActorBudgets narrow{1, limit, true, 1};
    const ActorBudgets both{2.0 / 3, limit, true, 1};
    const std::vector<std::tuple<std::string, std::string, ActorBudgets>> cases{
        {"Seed-RL", "all-server", all},
        {"Coknight, 10 MB/s", "defp", narrow},
        {"Coknight, 10 MB/s and 2/3 of the FLOP", "defp", both},
        {"IMPALA", "all-local", all},
        {"Coknight as printed, 10 MB/s", AS_PRINTED, narrow},
        {"Coknight as printed, 10 MB/s and 2/3 of the FLOP", AS_PRINTED, both}};
    ActorLearnerSummary seed;
    for (const auto& [name, planner, budgets] : cases)
    {
        const auto [result, s] =
            SimulateCase(planner, THEIR_ACTORS, WIRE_BITS_PER_SECOND, budgets, WARM_UP);
        seed = planner == "all-server" ? s : seed;
        std::vector<double> spans;
        for (std::size_t at = 4; at < 4 + static_cast<std::size_t>(m_duration.GetSeconds()); ++at)
        {
            // Spans end with the last use.
            const ServerUsage use = at < result.spans.size() ? result.spans[at] : ServerUsage();
            spans.push_back(use.inferenceSeconds + use.trainingSeconds);
        }
        std::sort(spans.begin(), spans.end());
        const double flop =
            std::accumulate(m_run.model.layerFlop.begin(), m_run.model.layerFlop.end(), 0.0);
        const double usedShare = result.changes.back().used.flop / (THEIR_ACTORS * flop);
        const double seconds = m_duration.GetSeconds();
        AddRow(figure,
               {name, planner},
               {budgets.computeShare,
                budgets.bandwidthShare,
                s.inferenceShare + s.trainingShare,
                s.inferenceShare,
                s.trainingShare,
                seed.inferenceShare * usedShare * s.requestsPerSecond / seed.requestsPerSecond,
                s.uplinkBytesPerSecond / 1e6,
                s.usage.tensorBytes / seconds / 1e6,
                s.downlinkBytesPerSecond / 1e6,
                s.requestsPerSecond,
                spans.front(),
                spans[spans.size() / 2],
                spans.back()});
    }
}

void
CoknightStudy::RunFigure10()
{
    Table& figure = AddFigure(
        "figure-10.csv",
        {"planner", "bandwidthMBps", "requestsPerSecond", "meanResponseSeconds", "cutMean"});
    for (const std::string planner : {"all-local", "all-server", "defp", AS_PRINTED})
    {
        for (const double limit : LIMITS)
        {
            const double budget = m_budgetMBps > 0 ? m_budgetMBps : limit;
            const double wanted =
                LIMITED_ACTORS * m_requestsPerSecond * m_run.model.outputBytes.front();
            const auto s = SimulateCase(planner,
                                        LIMITED_ACTORS,
                                        8e6 * limit,
                                        {1, std::min(1.0, 1e6 * budget / wanted), true, 1},
                                        LIMITED_WARM_UP)
                               .second;
            double cut = 0;
            for (const auto& [at, share] : s.cuts)
            {
                cut += at * share;
            }
            AddRow(figure, {planner}, {limit, s.requestsPerSecond, s.meanSeconds, cut});
        }
    }
}

void
CoknightStudy::RunFigure11()
{
    Table& figure = AddFigure("figure-11.csv",
                              {"planner",
                               "actors",
                               "requestsPerSecond",
                               "requestsPerSecondOfAnActor",
                               "meanResponseSeconds",
                               "queueSeconds",
                               "serverUse",
                               "actorsWithLayers"});
    const double flop =
        std::accumulate(m_run.model.layerFlop.begin(), m_run.model.layerFlop.end(), 0.0);
    const auto wire = MakeOptions(1, WIRE_BITS_PER_SECOND).network;
    // In actors with all layers on the server, whose requests the server and its wire can take.
    const ActorBudgets budgets{
        HEADROOM * m_run.model.serverFlopPerSecond / flop / m_requestsPerSecond,
        (m_budgetMBps > 0 ? 1e6 * m_budgetMBps : HEADROOM * GetWireGoodput(wire, Time()) / 8) /
            THEIR_BYTES_PER_SECOND * THEIR_ACTORS,
        false,
        1};
    for (const std::string planner : {"all-server", "defp", AS_PRINTED})
    {
        for (const uint32_t actors : m_actors)
        {
            const auto [result, s] =
                SimulateCase(planner, actors, WIRE_BITS_PER_SECOND, budgets, WARM_UP);
            double withLayers = 0;
            for (const auto& [cut, share] : s.cuts)
            {
                withLayers += cut > 0 ? share : 0;
            }
            AddRow(figure,
                   {planner},
                   {static_cast<double>(actors),
                    s.requestsPerSecond,
                    s.requestsPerSecond / actors,
                    s.meanSeconds,
                    s.queueSeconds,
                    s.inferenceShare + s.trainingShare,
                    withLayers});
        }
    }
}

Table&
CoknightStudy::AddFigure(const std::string& file, std::vector<std::string> columns)
{
    return m_figures.emplace(file, Table(std::move(columns))).first->second;
}

void
CoknightStudy::AddRow(Table& figure,
                      std::vector<std::string> labels,
                      const std::vector<double>& values)
{
    for (const double value : values)
    {
        labels.push_back(Table::Exact(value));
    }
    figure.AddRow(std::move(labels));
}

void
CoknightStudy::Print() const
{
    std::cout << m_files.graph.name << ", server " << m_files.server.name << " ("
              << Table::Rounded(m_run.model.serverFlopPerSecond / 1e9)
              << " GFLOP/s); a step of the environment takes "
              << Table::Rounded(1e3 * m_run.environmentSeconds)
              << " ms, fitted so that 12 actors upload 12 MB/s\n";
    PrintLayerCosts(m_files.costs);
}

std::string
CoknightStudy::Write(ResultsFolder& folder) const
{
    for (const auto& [name, figure] : m_figures)
    {
        folder.Write(name, figure);
    }
    folder.Write("run.json",
                 FormatRunFile(m_options,
                               m_files.costs,
                               {{"environmentSeconds", m_run.environmentSeconds},
                                {"requestsPerSecondOfAnActor", m_requestsPerSecond},
                                {"serverFlopPerSecond", m_run.model.serverFlopPerSecond}}));
    return "figure-*.csv, run.json\nTables: analysis/papers/coknight_figures.py " +
           m_options.GetString("out");
}

void
CoknightStudy::RunFigure2()
{
    Table& figure =
        AddFigure("figure-2.csv", {"model", "device", "origin", "seconds", "gigaFlopPerSecond"});
    const std::string traces = FindTracesFolder(m_options);
    std::vector<DeviceSpec> specs;
    for (const auto& device : DEVICES)
    {
        specs.push_back(ReadDeviceSpec(traces + "/devices/" + device + ".json"));
    }
    for (const auto& name : MODELS)
    {
        const DnnGraph graph = ReadDnnGraph(traces + "/models/" + name + ".json");
        const auto costs = FindLayerCosts(traces, graph, specs, 1, PassKind::INFERENCE);
        for (const auto& device : DEVICES)
        {
            const auto& cost = costs.at(device);
            AddRow(figure,
                   {name, device, cost.origin},
                   {std::accumulate(cost.forwardSeconds.begin(), cost.forwardSeconds.end(), 0.0),
                    GetModelSpeed(cost, graph) / 1e9});
        }
    }
}

void
CoknightStudy::RunFigure6()
{
    Table& figure = AddFigure("figure-6.csv",
                              {"bandwidth",
                               "device",
                               "cut",
                               "actorSeconds",
                               "transferSeconds",
                               "serverSeconds",
                               "responseSeconds",
                               "bandwidthMBps"});
    const std::string& type = m_files.actorTypes.front().name;
    for (const double bytesPerSecond : {AMPLE, SCARCE})
    {
        const MultiActor actor{type, m_files.speeds.at(type), bytesPerSecond};
        const auto cuts = ListMultiActorCuts(m_run.model, actor);
        for (const auto& cut : cuts)
        {
            const double server = cut.flop / m_run.model.serverFlopPerSecond;
            const double device = (cuts.front().flop - cut.flop) / actor.flopPerSecond;
            AddRow(figure,
                   {bytesPerSecond == AMPLE ? "ample" : "scarce", type},
                   {static_cast<double>(cut.cut),
                    device,
                    cut.responseSeconds - device - server,
                    server,
                    cut.responseSeconds,
                    bytesPerSecond / 1e6});
        }
    }
}

void
CoknightStudy::RunFigure12()
{
    Table& figure = AddFigure("figure-12-problems.csv",
                              {"server",
                               "planner",
                               "actors",
                               "problem",
                               "totalReductionSeconds",
                               "cutVariance",
                               "reductionVariance"});
    const auto cost = FindLayerCosts(FindTracesFolder(m_options),
                                     m_files.graph,
                                     {m_files.server},
                                     SERVED_TOGETHER,
                                     PassKind::INFERENCE)
                          .at(m_files.server.name);
    MultiActorModel model = m_run.model;
    model.serverFlopPerSecond = GetModelSpeed(cost, m_files.graph);
    model.serverLayerSeconds.clear(); // actors of these problems are known by their speeds alone
    for (const bool isElastic : {true, false})
    {
        for (const uint32_t actors : m_planned)
        {
            for (uint32_t i = 0; i < m_problems; ++i)
            {
                const auto problem = MakeProblem(model, actors, isElastic, i);
                for (const std::string planner : {"milp", "defp", AS_PRINTED, "igreedy", "ogreedy"})
                {
                    const auto found = FindByName<MultiActorPlanner>("planner", planner);
                    found->SetAttributeFailSafe("TimeLimit", DoubleValue(MOST_SECONDS));
                    const auto cost = EvaluateMultiActor(problem, found->Plan(problem));
                    AddRow(figure,
                           {isElastic ? "elastic" : "non-elastic",
                            planner,
                            std::to_string(actors),
                            std::to_string(i)},
                           {cost.totalReductionSeconds, cost.cutVariance, cost.reductionVariance});
                }
            }
            Advance("planning for " + std::to_string(actors) + " actors");
        }
    }
}

} // namespace edgepipe
} // namespace ns3
