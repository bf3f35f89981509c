// SPDX-License-Identifier: GPL-2.0-only
//
// Planner grdqn against ga and pso where exact is out of reach: 1,000 layers on 64 devices of 8
// types, ga and pso being given ten times as many plans to look at as grdqn's decision, so that the
// machine's speed plays no part. Fails if grdqn's plans are slower, by the mean over the problems
// that these find a plan for, than those of the better of the two.
//
//   large-pipeline-benchmark                10 problems
//   large-pipeline-benchmark --problems=2 --episodes=5

#include "lib/scenario-options.h"
#include "planner/pipeline/random-pipeline-problem.h"
#include "runs/progress.h"

#include "ns3/edgepipe-grdqn-planner.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/integer.h"

namespace
{

/// Layers of a problem, its devices and their types.
constexpr std::size_t LAYERS = 1000;
constexpr std::size_t DEVICES = 64;
constexpr std::size_t TYPES = 8;
/// Times grdqn's plans that the others may look at.
constexpr uint64_t ADVANTAGE = 10;
/// Plans up to which a planner is asked again that found none that fits.
constexpr uint64_t MOST_PLANS = 200000;
/// Largest count that an option may say.
constexpr uint32_t MANY = 10000000;

/// A chain of uneven layers whose tensors shrink in five stretches, as in image networks, with some
/// skip connections; devices of types up to 20 times apart in speed and 8 in memory, in random
/// order, which together hold 3 to 60 times the model.
/// @return the problem
PipelineProblem
MakeLargeProblem(uint64_t seed)
{
    Draws draws(seed);
    PipelineProblem problem;
    problem.microBatches = 8;
    problem.bandwidthBitsPerSecond = 1e9;
    uint64_t needed = 0;
    std::vector<std::vector<double>> affinity(TYPES, std::vector<double>(2));
    for (auto& each : affinity)
    {
        const double speed = std::pow(20, -draws.Unit());
        each = {speed, speed * (0.7 + 0.6 * draws.Unit())};
    }
    for (std::size_t i = 0; i < LAYERS; ++i)
    {
        const double stretch = std::pow(2, -std::floor(5.0 * i / LAYERS));
        PipelineLayer layer{"l" + std::to_string(i),
                            {},
                            static_cast<uint64_t>(stretch * draws.Integer(500000, 6000000)),
                            draws.Integer(10000, 2000000),
                            static_cast<uint64_t>(stretch * draws.Integer(500000, 6000000))};
        if (i > 0)
        {
            layer.inputs.push_back(i - 1);
        }
        if (i > 3 && draws.Unit() < 0.2)
        {
            layer.inputs.push_back(i - 3);
        }
        needed += 2 * layer.parameterBytes + problem.microBatches * layer.activationBytes;
        const double seconds = 0.001 + 0.02 * draws.Unit();
        const std::size_t kind = draws.Integer(0, 1);
        for (std::size_t t = 0; t < TYPES; ++t)
        {
            LayerSeconds& costs = problem.costs["t" + std::to_string(t)];
            costs.forwardSeconds.push_back(seconds / affinity[t][kind]);
            costs.backwardSeconds.push_back(2 * seconds / affinity[t][kind]);
        }
        problem.layers.push_back(layer);
    }
    std::vector<double> memories;
    for (std::size_t t = 0; t < TYPES; ++t)
    {
        memories.push_back(std::pow(8, draws.Unit()));
    }
    std::vector<std::size_t> types;
    double sum = 0;
    for (std::size_t d = 0; d < DEVICES; ++d)
    {
        types.push_back(draws.Integer(0, TYPES - 1));
        sum += memories[types.back()];
    }
    const double ampleness = 3 * std::pow(20, draws.Unit());
    for (std::size_t d = 0; d < DEVICES; ++d)
    {
        const double share = ampleness * memories[types[d]] / sum;
        problem.devices.push_back({"d" + std::to_string(d),
                                   "t" + std::to_string(types[d]),
                                   static_cast<uint64_t>(share * static_cast<double>(needed))});
    }
    return problem;
}

/** What a planner decided. */
struct Decision
{
    double seconds{0}; //!< of an iteration; infinite when it found no plan
    double spent{0};   //!< wall-clock seconds of the decision
    uint64_t plans{0}; //!< looked at
};

/// @return what it decides
Decision
Decide(const PipelineProblem& problem, const Ptr<PipelinePlanner>& planner)
{
    Decision decision;
    try
    {
        const PipelinePlan plan = planner->Plan(problem);
        decision.seconds = PipelineCostModel(problem).IterationSeconds(plan);
    }
    catch (const InputError&)
    {
        decision.seconds = std::numeric_limits<double>::infinity();
    }
    decision.spent = planner->GetDecisionSeconds();
    decision.plans = planner->GetEvaluations();
    return decision;
}

/// @return what the planner decides by so many plans, or by the first double at which it finds one
Decision
DecideBy(const std::string& name, const PipelineProblem& problem, uint64_t plans, int64_t stream)
{
    const auto planner = FindByName<PipelinePlanner>("planner", name);
    planner->SetAttribute("Evaluations", UintegerValue(plans));
    planner->AssignStreams(stream);
    const Decision decision = Decide(problem, planner);
    return std::isinf(decision.seconds) && 2 * plans <= MOST_PLANS
               ? DecideBy(name, problem, 2 * plans, stream)
               : decision;
}

/// @return the exit status
int
Run(uint32_t problems, uint32_t episodes)
{
    Table table({"problem",
                 "grdqn s",
                 "ga s",
                 "pso s",
                 "decision ms",
                 "ga ms",
                 "pso ms",
                 "grdqn plans",
                 "ga plans",
                 "pso plans",
                 "training s"});
    double sum = 0;
    uint32_t lost = 0;
    uint32_t compared = 0;
    Progress progress;
    for (uint32_t seed = 1; seed <= problems; ++seed)
    {
        const auto problem = MakeLargeProblem(seed);
        auto grdqn = CreateObject<ImprovedGrdqnPlanner>();
        grdqn->SetAttribute("Cache", BooleanValue(false));
        grdqn->SetAttribute("Stream", IntegerValue(seed));
        grdqn->SetAttribute("ImprovedEpisodes", UintegerValue(episodes));
        grdqn->Train(problem, [&](const GrdqnEpisode&, double done) {
            progress.Update((seed - 1 + done) / problems, "training");
        });
        const Decision ours = Decide(problem, grdqn);
        const auto ga = DecideBy("ga", problem, ADVANTAGE * ours.plans, 10 * seed);
        const auto pso = DecideBy("pso", problem, ADVANTAGE * ours.plans, 10 * seed + 5);
        const double best = std::min(ga.seconds, pso.seconds);
        // Where neither finds a plan that fits there is nothing to compare with.
        compared += std::isinf(best) ? 0 : 1;
        sum += std::isinf(best) ? 0 : std::log(ours.seconds / best);
        lost += ours.seconds > best ? 1 : 0;
        const auto round = [](double value) { return Table::Rounded(value, 4); };
        table.AddRow({std::to_string(seed),
                      round(ours.seconds),
                      round(ga.seconds),
                      round(pso.seconds),
                      round(1000 * ours.spent),
                      round(1000 * ga.spent),
                      round(1000 * pso.spent),
                      std::to_string(ours.plans),
                      std::to_string(ga.plans),
                      std::to_string(pso.plans),
                      round(grdqn->GetTrainingSeconds())});
    }
    table.Print(std::cout);
    const double ratio = std::exp(sum / std::max(1U, compared));
    std::cout << "grdqn over the better of ga and pso: " << Table::Rounded(ratio, 4)
              << " (geometric mean); slower on " << lost << " of the " << compared
              << " problems that ga or pso found a plan for, of " << problems << std::endl;
    return ratio > 1 ? 1 : 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunScenario("large-pipeline-benchmark", argc, argv, [](int argc, char* argv[]) {
        ScenarioOptions options("large-pipeline-benchmark",
                                "Compare grdqn with ga and pso, given ten times its plans, on "
                                "problems too large for exact.");
        uint32_t problems = 0;
        uint32_t episodes = 0;
        options.Bind("problems=10", problems, 1, 10000).Help("how many");
        options.Bind("episodes=30", episodes, 0, MANY).Help("of training");
        options.Parse(argc, argv);
        return Run(problems, episodes);
    });
}
