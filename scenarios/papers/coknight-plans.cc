/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/traces-option.h"
#include "papers/coknight-study.h"

#include "ns3/double.h"
#include "ns3/edgepipe-cost-provider.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-multi-actor-cost.h"
#include "ns3/edgepipe-multi-actor-cut.h"
#include "ns3/edgepipe-multi-actor-planner.h"
#include "ns3/edgepipe-random-streams.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <numeric>

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

} // namespace

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
        const auto cuts = ListMultiActorCuts(m_files.model, actor);
        for (const auto& cut : cuts)
        {
            const double server = cut.flop / m_files.model.serverFlopPerSecond;
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
    MultiActorModel model = m_files.model;
    model.serverFlopPerSecond = GetModelSpeed(cost, m_files.graph);
    for (const bool isElastic : {true, false})
    {
        for (const uint32_t actors : m_planned)
        {
            for (uint32_t i = 0; i < m_problems; ++i)
            {
                const auto problem = MakeProblem(model, actors, isElastic, i);
                for (const std::string planner : {"milp", "defp", "igreedy", "ogreedy"})
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
