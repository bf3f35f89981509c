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
#include "ns3/edgepipe-table.h"
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
    CoknightFigure figure{"time of an inference",
                          {"model", "device", "origin"},
                          {"seconds", "gigaFlopPerSecond"},
                          {},
                          {}};
    const std::string traces = FindTracesFolder(m_options);
    std::vector<DeviceSpec> specs;
    for (const auto& device : DEVICES)
    {
        specs.push_back(ReadDeviceSpec(traces + "/devices/" + device + ".json"));
    }
    std::vector<double> gaps;
    for (const auto& name : MODELS)
    {
        const DnnGraph graph = ReadDnnGraph(traces + "/models/" + name + ".json");
        const auto costs = FindLayerCosts(traces, graph, specs, 1, PassKind::INFERENCE);
        std::map<std::string, double> seconds;
        for (const auto& device : DEVICES)
        {
            const auto& cost = costs.at(device);
            seconds[device] =
                std::accumulate(cost.forwardSeconds.begin(), cost.forwardSeconds.end(), 0.0);
            figure.Add({name, device, cost.origin},
                       {seconds[device], GetModelSpeed(cost, graph) / 1e9});
        }
        gaps.push_back(seconds["xeon-e5-2630v4"] / seconds["v100"]);
    }
    const auto [least, most] = std::minmax_element(gaps.begin(), gaps.end());
    m_comparison.push_back(
        {2,
         "a CPU's time over a GPU's",
         "an order of magnitude",
         Table::Rounded(*least, 3) + " to " + Table::Rounded(*most, 3) + "; atari_cnn " +
             Table::Rounded(gaps.back(), 3),
         "one Xeon core to V100, batch 1: starting its layers takes the GPU longer "
         "than computing a small network"});
    m_figures[2] = figure;
}

void
CoknightStudy::RunFigure6()
{
    CoknightFigure figure{"parts of a response by cut (eq. 6)",
                          {"bandwidth", "device"},
                          {"cut",
                           "actorSeconds",
                           "transferSeconds",
                           "serverSeconds",
                           "responseSeconds",
                           "bandwidthMBps"},
                          {},
                          {}};
    const std::string& type = m_files.actorTypes.front().name;
    for (const double bytesPerSecond : {AMPLE, SCARCE})
    {
        const MultiActor actor{type, m_files.speeds.at(type), bytesPerSecond};
        const auto cuts = ListMultiActorCuts(m_files.model, actor);
        for (const auto& cut : cuts)
        {
            const double server = cut.flop / m_files.model.serverFlopPerSecond;
            const double device = (cuts.front().flop - cut.flop) / actor.flopPerSecond;
            figure.Add({bytesPerSecond == AMPLE ? "ample" : "scarce", type},
                       {static_cast<double>(cut.cut),
                        device,
                        cut.responseSeconds - device - server,
                        server,
                        cut.responseSeconds,
                        bytesPerSecond / 1e6});
        }
        const auto best = ListUsefulMultiActorCuts(m_files.model, actor).front();
        const bool isAmple = bytesPerSecond == AMPLE;
        m_comparison.push_back(
            {6,
             isAmple ? "best cut at ample bandwidth" : "best cut at scarce bandwidth",
             isAmple ? "as fast as all layers on the server"
                     : "a partition beats all on the server",
             "after layer " + std::to_string(best.cut) + " of " + std::to_string(cuts.size() - 1) +
                 ", " + Table::Rounded(1e3 * best.responseSeconds) + " ms; server " +
                 Table::Rounded(1e3 * cuts.front().responseSeconds) + " ms, actor " +
                 Table::Rounded(1e3 * cuts.back().responseSeconds) + " ms",
             type + " at " + Table::Rounded(bytesPerSecond / 1e6) + " MB/s"});
    }
    m_figures[6] = figure;
}

void
CoknightStudy::RunFigure12()
{
    CoknightFigure figure{"planners' indicators over the actors, means over the problems",
                          {"server", "planner"},
                          {"actors",
                           "totalReductionSeconds",
                           "cutVariance",
                           "reductionVariance",
                           "shareOfMilp",
                           "leastShareOfMilp"},
                          {},
                          {}};
    const auto cost = FindLayerCosts(FindTracesFolder(m_options),
                                     m_files.graph,
                                     {m_files.server},
                                     SERVED_TOGETHER,
                                     PassKind::INFERENCE)
                          .at(m_files.server.name);
    MultiActorModel model = m_files.model;
    model.serverFlopPerSecond = GetModelSpeed(cost, m_files.graph);
    const std::vector<std::string> planners{"milp", "defp", "igreedy", "ogreedy"};
    for (const bool isElastic : {true, false})
    {
        std::map<std::string, std::vector<std::vector<double>>> rows;
        for (const uint32_t actors : m_planned)
        {
            std::map<std::string, std::vector<double>> sums;
            for (const auto& planner : planners)
            {
                sums[planner] = {static_cast<double>(actors), 0, 0, 0, 0, 1};
            }
            for (uint32_t i = 0; i < m_problems; ++i)
            {
                const auto problem = MakeProblem(model, actors, isElastic, i);
                double best = 0;
                for (const auto& planner : planners)
                {
                    const auto found = FindByName<MultiActorPlanner>("planner", planner);
                    found->SetAttributeFailSafe("TimeLimit", DoubleValue(MOST_SECONDS));
                    const auto cost = EvaluateMultiActor(problem, found->Plan(problem));
                    best = planner == "milp" ? cost.totalReductionSeconds : best;
                    auto& sum = sums[planner];
                    const double share = best > 0 ? cost.totalReductionSeconds / best : 1;
                    sum[1] += cost.totalReductionSeconds / m_problems;
                    sum[2] += cost.cutVariance / m_problems;
                    sum[3] += cost.reductionVariance / m_problems;
                    sum[4] += share / m_problems;
                    sum[5] = std::min(sum[5], share);
                }
            }
            for (const auto& planner : planners)
            {
                rows[planner].push_back(sums[planner]);
            }
            Advance("planning for " + std::to_string(actors) + " actors");
        }
        const std::string server = isElastic ? "elastic" : "non-elastic";
        for (const auto& planner : planners)
        {
            for (const auto& row : rows[planner])
            {
                figure.Add({server, planner}, row);
            }
            if (planner != "milp")
            {
                const auto shares = figure.Get("shareOfMilp", {server, planner});
                m_comparison.push_back(
                    {12,
                     planner + " over milp, " + server + ", fewest and most actors",
                     planner == "defp"
                         ? (isElastic ? "about the same" : "comes to the same as actors grow")
                         : "much lower",
                     Table::Rounded(shares.front(), 3) + " and " + Table::Rounded(shares.back(), 3),
                     ""});
            }
        }
    }
    m_figures[12] = figure;
}

} // namespace edgepipe
} // namespace ns3
