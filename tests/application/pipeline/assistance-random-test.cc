// SPDX-License-Identifier: GPL-2.0-only

#include "links.h"
#include "pipeline-fixture.h"
#include "planner/pipeline/random-pipeline-problem.h"

namespace
{

/// Runs: those asked for by $EDGEPIPE_ASSISTANCE_RUNS, or what ctest has a minute for.
const uint64_t RUNS = std::getenv("EDGEPIPE_ASSISTANCE_RUNS")
                          ? std::strtoull(std::getenv("EDGEPIPE_ASSISTANCE_RUNS"), nullptr, 10)
                          : 50;

/** What an observer has seen, with no help from the workers' own accounts. */
struct Seen
{
    /// Samples computed, by iteration, stage, pass and micro-batch.
    std::map<std::tuple<uint32_t, uint32_t, bool, uint32_t>, uint32_t> samples;
    /// Whose gradients have to be merged before a stage's update, by iteration and stage.
    std::map<std::pair<uint32_t, uint32_t>, std::set<uint32_t>> helpers;
    /// Whose gradients have been merged, and the last time, likewise.
    std::map<std::pair<uint32_t, uint32_t>, std::set<uint32_t>> merged;
    /// When the last gradient of a stage was computed or merged, likewise.
    std::map<std::pair<uint32_t, uint32_t>, Time> last;
    double assistSeconds{0}; //!< that the helpers' samples take on their devices
};

/** A run drawn at random. */
struct RandomRun
{
    Pipeline pipeline{{}, {}, 0, 1}; //!< the run
    bool isStatic{true};             //!< whether the devices' shares stay what they are
    /// Attributes of every AdjacentScheduler.
    std::map<std::string, std::string> rule;
};

/// @return 2 to 12 stages on devices whose speeds differ by up to 10, with help
RandomRun
Draw(uint64_t seed)
{
    Draws draws(seed);
    const auto spread = [&draws](double least, double most) {
        return least * std::pow(most / least, draws.Unit());
    };
    const std::size_t stages = draws.Integer(2, 12);
    const uint32_t microBatches = draws.Integer(1, 10);
    const auto tensorBytes = static_cast<uint64_t>(spread(1e3, 3e6));
    RandomRun run;
    run.pipeline = Pipeline(std::vector<double>(stages, 0),
                            std::vector<double>(stages, 0),
                            tensorBytes,
                            microBatches);
    auto& problem = run.pipeline.problem;
    auto& options = run.pipeline.options;
    LayerSeconds layers;
    const bool isBalanced = draws.Unit() < 0.3;
    for (std::size_t i = 0; i < stages; ++i)
    {
        const double seconds = isBalanced ? 0.05 : spread(0.01, 0.1);
        layers.forwardSeconds.push_back(seconds);
        layers.backwardSeconds.push_back(seconds * spread(0.5, 3));
        auto& layer = problem.layers[i];
        layer.outputBytes = spread(0.3, 3) * tensorBytes;
        layer.parameterBytes = spread(1e3, 1e7);
        layer.activationBytes = spread(1e3, 1e7);
    }
    problem.costs.clear();
    for (std::size_t i = 0; i < stages; ++i)
    {
        const double factor = spread(1, 10);
        LayerSeconds costs = layers;
        for (auto* pass : {&costs.forwardSeconds, &costs.backwardSeconds})
        {
            for (double& seconds : *pass)
            {
                seconds *= factor;
            }
        }
        auto& device = problem.devices[i];
        device.type = "type-" + std::to_string(i);
        problem.costs[device.type] = costs;
        options.memoryBandwidthBytesPerSecond[device.type] = 1e10;
        device.memoryBytes = draws.Unit() < 0.3 ? 0 : spread(1e5, 1e8);
    }
    const PipelineCostModel memory(problem);
    for (std::size_t i = 0; i < stages; ++i)
    {
        // Parts of micro-batches are rounded up.
        problem.devices[i].memoryBytes += memory.StageMemoryBytes(i, i) + 8 * (microBatches + 1);
    }
    const char* schedules[] = {"gpipe", "gpipe", "1f1b", "seq1f1b"};
    options.schedule = schedules[draws.Integer(0, 3)];
    options.Set("PipelineCoordinator::Iterations", draws.Integer(1, 3));
    options.microBatchSamples = draws.Integer(1, 64);
    run.rule["AdjacentScheduling"] = "true";
    run.rule["Checkpoints"] = std::to_string(draws.Integer(1, 16));
    run.rule["AdjacentCosts"] = draws.Unit() < 0.5 ? "ideal" : "full";
    options.network.fidelity = draws.Unit() < 0.8 ? "flow" : "packet";
    SetRate(options.network, spread(1e9, 1e11));
    problem.bandwidthBitsPerSecond = 0.94 * GetRate(options.network);
    run.isStatic = draws.Unit() < 0.5;
    for (std::size_t i = 0; i < stages && !run.isStatic; ++i)
    {
        DeviceLoad load{problem.devices[i].name, "", {}};
        Time time;
        do
        {
            // A device may also stand still for a while.
            load.steps.push_back({time, draws.Unit() < 0.1 ? 0 : 0.1 + 0.9 * draws.Unit()});
            time += Seconds(spread(0.01, 2));
        } while (load.steps.size() < 20);
        load.steps.push_back({time, 1});
        options.loads.push_back(load);
    }
    const char* eligibilities[] = {"awaited", "waiting", "idle"};
    const auto flip = [&draws] { return std::to_string(draws.Integer(0, 1)); };
    run.rule["Eligibility"] = eligibilities[draws.Integer(0, 2)];
    run.rule["WaitMultiple"] = std::to_string(spread(0.25, 16));
    run.rule["PartsPayFixed"] = flip();
    run.rule["BoundByMemory"] = flip();
    run.rule["ControlConnection"] = flip();
    for (auto& [type, costs] : problem.costs)
    {
        for (const double seconds : costs.forwardSeconds)
        {
            costs.fixedSeconds.push_back(draws.Unit() * seconds);
        }
    }
    return run;
}

/// Sets attributes of every AdjacentScheduler.
void
SetRule(const std::map<std::string, std::string>& attributes)
{
    Config::Reset();
    for (const auto& [name, value] : attributes)
    {
        Config::SetDefault("ns3::edgepipe::AdjacentScheduler::" + name, StringValue(value));
    }
}

/// @return what came of it
PipelineTrainingResult
Observe(const RandomRun& run, Seen& seen)
{
    Pipeline pipeline = run.pipeline;
    const auto& stages = pipeline.plan.stages;
    pipeline.options.observeAssistance = [&](Ptr<AdjacentScheduler> scheduler) {
        Connect(scheduler, "Computed", [&](const AssistanceEvent& e) {
            seen.samples[{e.iteration, e.stage, e.backward, e.microBatch}] += e.samples;
            const bool isHelp = e.device != stages[e.stage].device;
            if (e.backward)
            {
                seen.last[{e.iteration, e.stage}] = Simulator::Now();
                if (isHelp)
                {
                    seen.helpers[{e.iteration, e.stage}].insert(e.device);
                }
            }
        });
        Connect(scheduler, "Merge", [&](const AssistanceEvent& e) {
            seen.merged[{e.iteration, e.stage}].insert(e.peer);
            seen.last[{e.iteration, e.stage}] = Simulator::Now();
        });
    };
    return pipeline.Run();
}

} // namespace

TEST(AssistanceRandom, EverySampleOnceNoDeadlockNoEarlyUpdateNeverTooMuchMemory)
{
    uint64_t grants = 0;
    uint64_t merges = 0;
    for (uint64_t seed = 1; seed <= RUNS; ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const RandomRun run = Draw(seed);
        SetRule(run.rule);
        const auto& options = run.pipeline.options;
        Seen seen;
        const auto result = Observe(run, seen);
        ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
        const uint32_t parts = options.schedule == "seq1f1b" ? 4 : 1;
        const uint32_t microBatches = run.pipeline.problem.microBatches * parts;
        const std::size_t stages = run.pipeline.plan.stages.size();
        EXPECT_EQ(seen.samples.size(), result.iterations.size() * stages * 2 * microBatches);
        for (const auto& [key, samples] : seen.samples)
        {
            ASSERT_EQ(samples, (options.microBatchSamples + parts - 1) / parts)
                << "iteration " << std::get<0>(key) << ", stage " << std::get<1>(key)
                << (std::get<2>(key) ? ", backward" : ", forward") << ", micro-batch "
                << std::get<3>(key);
        }
        if (run.rule.at("AdjacentCosts") == "full")
        {
            EXPECT_EQ(seen.merged, seen.helpers);
        }
        uint32_t updates = 0;
        for (const auto& task : result.timeline->GetTasks())
        {
            const auto tag = PipelineTag::Unpack(task.tag);
            if (tag.kind == PipelineTag::UPDATE)
            {
                // Stage i is on device i.
                EXPECT_GE(task.start, (seen.last[{tag.iteration, task.device}]));
                ++updates;
            }
        }
        EXPECT_EQ(updates, result.iterations.size() * stages);
        for (const auto& sample : result.timeline->GetMemory())
        {
            ASSERT_LE(sample.bytes, run.pipeline.problem.devices[sample.device].memoryBytes);
        }
        grants += result.assistance.grants;
        merges += result.assistance.merges;
    }
    EXPECT_GT(grants, RUNS);
    EXPECT_GT(merges, RUNS / 50);
}

/** What help is charged for. */
using AssistanceRandomRun = testing::TestWithParam<const char*>;

INSTANTIATE_TEST_SUITE_P(Costs,
                         AssistanceRandomRun,
                         testing::Values("ideal", "full"),
                         [](const auto& info) { return info.param; });

TEST_P(AssistanceRandomRun, IsNeverSlowerThanNoHelpByMoreThanARequestPerMicroBatch)
{
    double sum = 0;
    for (uint64_t seed = 1; seed <= RUNS; ++seed)
    {
        RandomRun run = Draw(seed);
        if (!run.isStatic)
        {
            continue;
        }
        run.rule["AdjacentCosts"] = GetParam();
        SetRule(run.rule);
        Pipeline& pipeline = run.pipeline;
        pipeline.options.details = false;
        const auto with = pipeline.Run();
        pipeline.options.Set("AdjacentScheduler::AdjacentScheduling", false);
        const auto without = pipeline.Run();
        ASSERT_TRUE(with.finished && without.finished);
        const double before = without.GetMeanIterationSeconds();
        const double change = with.GetMeanIterationSeconds() / before - 1;
        // A request of some hundred bytes, over two wires of a chain.
        const double request = 2e-6 + 8 * 1000.0 / GetRate(pipeline.options.network);
        EXPECT_LE(change * before, request * 4 * pipeline.problem.microBatches) << "seed " << seed;
        sum += change;
    }
    EXPECT_LT(sum, 0);
}
