// SPDX-License-Identifier: GPL-2.0-only

#include "links.h"
#include "pipeline-fixture.h"

#include "ns3/edgepipe-cost-provider.h"
#include "ns3/edgepipe-pipeline-problem-builder.h"

namespace
{

/// Iterations in all, and of them before the change.
constexpr uint32_t ITERATIONS = 7;
constexpr double CHANGED_AFTER = 2.5;

/// Of the present test.
std::string g_fidelity;

/** A change of the conditions in mid-run. */
struct Change
{
    const char* model;
    const char* cluster;
    uint32_t microBatchSize;
    double before;   //!< bandwidth, bit/s
    double after;    //!< bandwidth, bit/s
    double share;    //!< of the device of the slowest stage that is left
    bool isAssisted; //!< whether idle devices help as well
};

/** @return the problem of training a model on a cluster of the traces folder */
PipelineProblem
MakeProblem(const Change& change, double bandwidthBitsPerSecond)
{
    const std::string traces = std::string(EDGEPIPE_ROOT) + "/traces";
    const auto graph = ReadDnnGraph(traces + "/models/" + change.model + ".json");
    const auto cluster = ReadCluster(traces + "/clusters/" + change.cluster + ".json", traces);
    const auto costs =
        FindLayerCosts(traces, graph, cluster.specs, change.microBatchSize, PassKind::TRAINING);
    return BuildPipelineProblem(graph,
                                cluster,
                                costs,
                                change.microBatchSize,
                                8,
                                bandwidthBitsPerSecond);
}

/** @return index of the device whose stage computes longest */
std::size_t
FindSlowest(const PipelineProblem& problem, const PipelinePlan& plan)
{
    const PipelineCostModel costs(problem);
    return std::max_element(
               plan.stages.begin(),
               plan.stages.end(),
               [&costs](const auto& a, const auto& b) {
                   const auto seconds = [&costs](const auto& s) {
                       return costs.FindStageSeconds(s.device, s.firstLayer, s.lastLayer).forward;
                   };
                   return seconds(a) < seconds(b);
               })
        ->device;
}

/** @return how to run it */
PipelineOptions
MakeOptions(double bandwidthBitsPerSecond, uint32_t iterations)
{
    PipelineOptions options;
    options.network.fidelity = g_fidelity;
    SetKind(options.network, "lan");
    options.network.Set("Delay", TimeValue(MicroSeconds(20)));
    SetRate(options.network, bandwidthBitsPerSecond);
    options.Set("PipelineCoordinator::Iterations", iterations);
    options.details = false;
    options.Set("StallMonitor::Timeout", Seconds(600));
    return options;
}

/** @return seconds of an iteration */
double
GetSeconds(const PipelineTrainingResult& result, std::size_t iteration)
{
    return (result.iterations[iteration].end - result.iterations[iteration].start).GetSeconds();
}

/// Change the conditions in mid-run, and see what replanning makes of it.
/// @return gain in the third iteration after the change over that of running the plan that exact
///        makes for the new conditions from the start; both against the plan staying
double
FindRecovery(const Change& change)
{
    // TCP and IP leave 94 % of an Ethernet's rate for payload.
    const PipelineProblem before = MakeProblem(change, 0.94 * change.before);
    const auto exact = FindByName<PipelinePlanner>("planner", "exact");
    const PipelinePlan first = exact->Plan(before);
    const std::size_t slow = FindSlowest(before, first);
    PipelineState now{std::vector<double>(before.devices.size(), 1), 0.94 * change.after};
    now.shares[slow] = change.share;
    const PipelinePlan best = exact->Plan(ChangeProblem(before, now));

    const double calm =
        RunPipelineTraining(before, first, MakeOptions(change.before, 1)).GetMeanIterationSeconds();
    const Time when = Seconds(CHANGED_AFTER * calm);
    auto options = MakeOptions(change.before, ITERATIONS);
    SetLaterRates(options.network, {{when, change.after}});
    options.loads = {{before.devices[slow].name, "", {{Time(), 1}, {when, change.share}}}};
    const auto still = RunPipelineTraining(before, first, options);
    options.Set("AdjacentScheduler::AdjacentScheduling", change.isAssisted);
    options.replanner = FindByName<PipelinePlanner>("planner", "exact");
    const auto adapted = RunPipelineTraining(before, first, options);

    auto then = MakeOptions(change.after, 2);
    then.loads = {{before.devices[slow].name, "", {{Time(), change.share}}}};
    const auto ideal = RunPipelineTraining(before, best, then);
    EXPECT_TRUE(still.finished && adapted.finished && ideal.finished) << ShowDiagnosis(adapted);
    EXPECT_EQ(adapted.assistance.samples > 0, change.isAssisted);
    if (adapted.iterations.size() < ITERATIONS || ideal.iterations.size() < 2)
    {
        return 0;
    }
    // The first iteration that ends after the change is the last under the old plan at best.
    std::size_t hit = 0;
    while (adapted.iterations[hit].end < when)
    {
        ++hit;
    }
    const double lost = GetSeconds(still, ITERATIONS - 1);
    const double reached = GetSeconds(adapted, std::min<std::size_t>(hit + 3, ITERATIONS - 1));
    const double possible = GetSeconds(ideal, 1);
    std::cout << change.model << ", " << change.cluster << ": stays " << lost << " s, adapted "
              << reached << " s, exact " << possible << " s\n";
    return (lost - reached) / (lost - possible);
}

} // namespace

/** Show 6 at both fidelities. */
class PipelineRecovery : public BothFidelities
{
  protected:
    void SetUp() override
    {
        g_fidelity = GetParam();
    }
};

INSTANTIATE_PACKETS_LONG(PipelineRecovery);

TEST_P(PipelineRecovery, AStepIsRecoveredWithinThreeIterations)
{
    // In load, then in bandwidth; packet by packet, gigabytes take minutes of wall-clock time.
    const std::vector<Change> all{{"resnet50", "dgpas-testbed", 32, 1e9, 1e9, 0.4, false},
                                  {"alexnet", "dgpas-testbed", 32, 1e9, 1e9, 0.25, false},
                                  {"vgg19", "pi-lab", 4, 1e9, 1e9, 0.3, false},
                                  {"mobilenet_v2", "pi-lab", 8, 1e8, 1e8, 0.4, false},
                                  {"mobilenet_v2", "pi-lab", 2, 1e8, 1e8, 0.4, true},
                                  {"alexnet", "dgpas-testbed", 64, 1e9, 1e8, 1, false},
                                  {"resnet50", "pi-lab", 4, 1e8, 1e7, 1, false},
                                  {"mobilenet_v2", "pi-lab", 4, 1e7, 1e8, 1, false},
                                  {"resnet18", "pi-lab", 2, 1e8, 1e7, 1, false},
                                  {"mobilenet_v2", "pi-lab", 2, 1e7, 1e8, 1, true},
                                  {"mobilenet_v2", "pi-lab", 1, 1e8, 1e8, 0.4, true},
                                  {"mobilenet_v2", "pi-lab", 1, 1e7, 1e8, 1, true}};
    for (std::size_t i = g_fidelity == "flow" ? 0 : 10; i < all.size(); ++i)
    {
        EXPECT_GE(FindRecovery(all[i]), 0.8) << i;
    }
}
