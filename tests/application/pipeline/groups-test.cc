// SPDX-License-Identifier: GPL-2.0-only
//
// Stages that groups of devices share.

#include "links.h"
#include "planner/pipeline/random-pipeline-problem.h"
#include "replan-fixture.h"
#include "runs/network-probe.h"

namespace
{

/// Runs: those asked for by $EDGEPIPE_GROUP_RUNS, or what ctest has a minute for.
const uint64_t GROUP_RUNS = std::getenv("EDGEPIPE_GROUP_RUNS")
                                ? std::strtoull(std::getenv("EDGEPIPE_GROUP_RUNS"), nullptr, 10)
                                : 30;

/// Gives passes of `samples` samples times proportional to them.
void
AddParts(PipelineProblem& problem, uint32_t samples)
{
    problem.microBatchSamples = samples;
    for (auto& [type, costs] : problem.costs)
    {
        for (uint32_t part = 1; part < samples; part *= 2)
        {
            const auto scale = [&](std::vector<double> seconds) {
                for (double& each : seconds)
                {
                    each *= 1.0 * part / samples;
                }
                return seconds;
            };
            costs.parts.push_back(
                {part, scale(costs.forwardSeconds), scale(costs.backwardSeconds)});
        }
    }
}

/// @return two layers on three devices: a group of devices 0 and 1, and device 2, on a 100 Mbit/s
/// LAN
Pipeline
MakeGroup(uint32_t microBatches)
{
    Pipeline pipeline({0.08, 0.03}, {0.16, 0.05}, 400000, microBatches);
    auto& problem = pipeline.problem;
    problem.devices.push_back({"device-2", "some", 1000000000});
    problem.layers[0].parameterBytes = 2000000;
    AddParts(problem, 8);
    pipeline.plan.stages = {{0, 0, 0, {{0, 5}, {1, 3}}}, {2, 1, 1}};
    auto& network = pipeline.options.network;
    SetKind(network, "lan");
    SetRate(network, 1e8);
    network.Set("Delay", TimeValue(MicroSeconds(20)));
    problem.bandwidthBitsPerSecond = MeasureBandwidth(network, {"device-0", "device-1"});
    return pipeline;
}

/** Bytes of a kind of message, by sender and receiver. */
std::map<std::pair<uint32_t, uint32_t>, uint64_t>
SumByPair(const PipelineTrainingResult& result, PipelineTag::Kind kind)
{
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> sums;
    for (const auto& transfer : result.timeline->GetTransfers())
    {
        const uint16_t port = TensorSocket::GetJobPort(transfer.port);
        if (port != DATA_PARALLEL_EXCHANGE_PORT && PipelineTag::Unpack(transfer.tag).kind == kind)
        {
            sums[{transfer.from, transfer.to}] += transfer.bytes;
        }
    }
    return sums;
}

/// @return bytes of gradients that a device sent to sum them in its group
uint64_t
SumExchanged(const PipelineTrainingResult& result, uint32_t device)
{
    uint64_t bytes = 0;
    for (const auto& transfer : result.timeline->GetTransfers())
    {
        const bool isExchange =
            TensorSocket::GetJobPort(transfer.port) == DATA_PARALLEL_EXCHANGE_PORT;
        bytes += isExchange && transfer.from == device &&
                         DataParallelTag::Unpack(transfer.tag).kind == DataParallelTag::GRADIENTS
                     ? transfer.bytes
                     : 0;
    }
    return bytes;
}

/** A run drawn at random. */
Pipeline
DrawRun(uint64_t seed, const std::string& fidelity)
{
    Draws draws(seed);
    const std::size_t layers = draws.Integer(1, 6);
    const std::size_t devices = draws.Integer(2, 6);
    std::vector<double> forward;
    std::vector<double> backward;
    for (std::size_t i = 0; i < layers; ++i)
    {
        forward.push_back(0.001 + 0.1 * draws.Unit());
        backward.push_back(0.001 + 0.2 * draws.Unit());
    }
    Pipeline pipeline(forward, backward, 0, draws.Integer(1, 5));
    auto& problem = pipeline.problem;
    const uint32_t samples = draws.Integer(2, 9);
    for (auto& layer : problem.layers)
    {
        layer.outputBytes = samples * draws.Integer(1, 30000);
        layer.parameterBytes = draws.Integer(0, 1000000);
        layer.activationBytes = samples * draws.Integer(0, 100000);
    }
    AddParts(problem, samples);
    problem.devices.clear();
    for (std::size_t d = 0; d < devices; ++d)
    {
        const std::string type = "t" + std::to_string(d % 3);
        problem.devices.push_back({"device-" + std::to_string(d), type, 1000000000});
        auto& costs = problem.costs[type] = problem.costs.at("some");
        const double factor = 1 + d % 3;
        const auto slow = [factor](std::vector<double>& seconds) {
            for (double& each : seconds)
            {
                each *= factor;
            }
        };
        slow(costs.forwardSeconds);
        slow(costs.backwardSeconds);
        for (auto& part : costs.parts)
        {
            slow(part.forwardSeconds);
            slow(part.backwardSeconds);
        }
    }
    // A plan with groups at random: devices in a random order, each in a stage.
    std::vector<std::size_t> order(devices);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t d = devices; d > 1; --d)
    {
        std::swap(order[d - 1], order[draws.Integer(0, d - 1)]);
    }
    pipeline.plan.stages.clear();
    const std::size_t stages = draws.Integer(1, std::min(layers, devices));
    std::size_t device = 0;
    std::size_t layer = 0;
    for (std::size_t s = 0; s < stages; ++s)
    {
        const std::size_t later = stages - s - 1;
        const std::size_t last = later == 0 ? layers - 1 : draws.Integer(layer, layers - 1 - later);
        const std::size_t count =
            std::min<std::size_t>(samples, draws.Integer(1, devices - device - later));
        PipelineStage stage{order[device], layer, last};
        uint32_t left = samples;
        for (std::size_t i = 0; i < count && count > 1; ++i)
        {
            const std::size_t others = count - i - 1;
            const uint32_t own = others == 0 ? left : draws.Integer(1, left - others);
            stage.group.push_back({order[device + i], own});
            left -= own;
        }
        pipeline.plan.stages.push_back(stage);
        device += count;
        layer = last + 1;
    }
    auto& options = pipeline.options;
    SetKind(options.network, draws.Integer(0, 1) ? "lan" : "p2p");
    options.network.fidelity = fidelity;
    SetRate(options.network, std::pow(10, 7 + 2 * draws.Unit()));
    options.network.Set("Delay", TimeValue(MicroSeconds(draws.Integer(0, 2000))));
    problem.bandwidthBitsPerSecond = GetRate(options.network);
    options.schedule = draws.Integer(0, 1) ? "gpipe" : "1f1b";
    options.Set("PipelineCoordinator::Iterations", 4);
    options.Set("PipelineCoordinator::FeedSamples", draws.Integer(0, 2) == 0);
    if (draws.Integer(0, 1))
    {
        options.replanner = FindByName<PipelinePlanner>("planner", "hybrid");
        options.monitor = "oracle";
        for (std::size_t d = 0; d < devices; d += 2)
        {
            options.loads.push_back(
                MakeStep(problem.devices[d].name, draws.Unit(), 0.1 + 0.8 * draws.Unit()));
        }
    }
    return pipeline;
}

} // namespace

using Groups = BothFidelities;

INSTANTIATE_BOTH_FIDELITIES(Groups);

TEST_P(Groups, TwoUnequalDevicesTakeWhatIsWorkedOutByHand)
{
    Pipeline pipeline = MakeGroup(4);
    const double rate = pipeline.problem.bandwidthBitsPerSecond;
    pipeline.options.network.fidelity = GetParam();
    const auto result = pipeline.Run();
    ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
    ExpectConserved(pipeline, result);
    // Device 0 has 5 of 8 samples and takes 0.05 and 0.1 s. When it has finished, device 1's part
    // has arrived at device 2, which receives 250 kB more. It sends both parts back at once, 400 kB
    // in all, of which device 0 has its part last. The ring of two sends 1 MB twice, both ways.
    const double part = 8 * 2.5e5 / rate;
    const double whole = 8 * 4e5 / rate;
    const double reduce = 8 * 20e5 / rate;
    const double seconds = 4 * 0.05 + part + 0.03 + 0.05 + whole + 4 * 0.1 + reduce;
    EXPECT_NEAR(result.GetMeanIterationSeconds(), seconds, 0.005 * seconds);
    // The cost model assumes that devices of a group finish together.
    EXPECT_NEAR(PipelineCostModel(pipeline.problem).IterationSeconds(pipeline.plan),
                seconds + whole - part,
                0.001 * seconds);
}

TEST_P(Groups, DevicesExchangeTheSamplesThatBothCompute)
{
    Pipeline pipeline = MakeGroup(3);
    pipeline.problem.devices.push_back({"device-3", "some", 1000000000});
    pipeline.plan.stages[1] = {2, 1, 1, {{2, 2}, {3, 6}}};
    const auto result = pipeline.Run();
    ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
    ExpectConserved(pipeline, result);
    // Samples 0 to 4 on device 0, 5 to 7 on device 1; 0 and 1 on device 2, 2 to 7 on device 3.
    const std::map<std::pair<uint32_t, uint32_t>, uint64_t> forward{{{0, 2}, 3 * 100000},
                                                                    {{0, 3}, 3 * 150000},
                                                                    {{1, 3}, 3 * 150000}};
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> backward;
    for (const auto& [pair, bytes] : forward)
    {
        backward[{pair.second, pair.first}] = bytes;
    }
    EXPECT_EQ(SumByPair(result, PipelineTag::ACTIVATIONS), forward);
    EXPECT_EQ(SumByPair(result, PipelineTag::GRADIENTS), backward);
    for (const uint32_t device : {0, 1})
    {
        EXPECT_EQ(SumExchanged(result, device), 2000000U);
    }
    EXPECT_EQ(SumExchanged(result, 2), 1000U);
}

TEST_P(Groups, SumTiedWeightsWithTheDevicesOfOtherStages)
{
    Pipeline pipeline = MakeGroup(3);
    pipeline.problem.layers[1].tied = {{0, 600000}};
    const auto result = pipeline.Run();
    ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
    std::map<uint32_t, uint64_t> tied;
    for (const auto& transfer : result.timeline->GetTransfers())
    {
        if (IsTiedPort(TensorSocket::GetJobPort(transfer.port)) &&
            DataParallelTag::Unpack(transfer.tag).kind == DataParallelTag::GRADIENTS)
        {
            tied[transfer.from] += transfer.bytes;
        }
    }
    // A ring of three for those, and one of two for the others.
    const std::map<uint32_t, uint64_t> each{{0, 800000}, {1, 800000}, {2, 800000}};
    EXPECT_EQ(tied, each);
    EXPECT_EQ(SumExchanged(result, 0), 1400000U);
    const double predicted = PipelineCostModel(pipeline.problem).IterationSeconds(pipeline.plan);
    EXPECT_NEAR(result.GetMeanIterationSeconds(), predicted, 0.05 * predicted);
    pipeline.options.Set("PipelineWorker::Exchange", "parameter-server");
    ExpectError([&] { pipeline.Run(); },
                "PipelineWorker: Exchange: found parameter-server, expected ring, since other "
                "stages hold weights of the group, too");
}

TEST_P(Groups, HeadsGatherAndScatterWhereAsked)
{
    Pipeline pipeline = MakeGroup(3);
    pipeline.problem.devices.push_back({"device-3", "some", 1000000000});
    pipeline.plan.stages[1] = {2, 1, 1, {{2, 2}, {3, 6}}};
    const double direct = pipeline.Run().GetMeanIterationSeconds();
    pipeline.options.Set("PipelineCoordinator::RouteThroughHeads", true);
    const auto result = pipeline.Run();
    ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
    ExpectConserved(pipeline, result);
    using Bytes = std::map<std::pair<uint32_t, uint32_t>, uint64_t>;
    EXPECT_EQ(SumByPair(result, PipelineTag::ACTIVATION_PARTS), (Bytes{{{1, 0}, 3 * 150000}}));
    EXPECT_EQ(SumByPair(result, PipelineTag::ACTIVATIONS),
              (Bytes{{{0, 2}, 3 * 400000}, {{2, 3}, 3 * 300000}}));
    EXPECT_EQ(SumByPair(result, PipelineTag::GRADIENT_PARTS), (Bytes{{{3, 2}, 3 * 300000}}));
    EXPECT_EQ(SumByPair(result, PipelineTag::GRADIENTS),
              (Bytes{{{2, 0}, 3 * 400000}, {{0, 1}, 3 * 150000}}));
    EXPECT_GT(result.GetMeanIterationSeconds(), 1.05 * direct);
}

TEST_P(Groups, TheFirstDeviceFeedsTheOthersTheirSamples)
{
    Pipeline pipeline = MakeGroup(3);
    pipeline.plan.stages[0].group = {{0, 3}, {1, 5}};
    pipeline.options.Set("PipelineCoordinator::FeedSamples", true);
    const auto fed = pipeline.Run();
    ASSERT_TRUE(fed.finished) << ShowDiagnosis(fed);
    ExpectConserved(pipeline, fed);
    const auto sums = SumByPair(fed, PipelineTag::ACTIVATIONS);
    EXPECT_EQ(sums.at({0, 1}), 3U * 250000);
    EXPECT_EQ(sums.size(), 3U);
    pipeline.options.Set("PipelineCoordinator::FeedSamples", false);
    const auto getFirst = [](const PipelineTrainingResult& result) {
        const auto& transfers = result.timeline->GetTransfers();
        const auto first = FindIf(transfers, [](const auto& transfer) {
            return transfer.from == 1 && transfer.to == 2 && transfer.bytes == 250000;
        });
        return first ? first->start.GetSeconds() : std::nan("");
    };
    // Device 1 starts when it has the samples of the first micro-batch.
    EXPECT_NEAR(getFirst(fed) - getFirst(pipeline.Run()),
                8 * 2.5e5 / pipeline.problem.bandwidthBitsPerSecond,
                5e-4);
}

TEST_P(Groups, MemoryIsThatOfTheSamplesAndAllWeights)
{
    Pipeline pipeline = MakeGroup(4);
    const auto result = pipeline.Run();
    // Weights and their gradients, two tensors at work and the activations of four micro-batches.
    const auto count = [](uint64_t samples) {
        return 2 * 2000000 + 2 * 400000 * samples / 8 + 4 * (50000 * samples + 7) / 8;
    };
    EXPECT_NEAR(result.devices[0].peakMemoryBytes, count(5), 8);
    EXPECT_NEAR(result.devices[1].peakMemoryBytes, count(3), 8);
    pipeline.problem.devices[1].memoryBytes = result.devices[1].peakMemoryBytes - 1;
    EXPECT_FALSE(PipelineCostModel(pipeline.problem).Fits(pipeline.plan));
}

TEST_P(Groups, AreLeftWhenADeviceIsLoadedAndTheirWeightsMove)
{
    Pipeline pipeline = MakeGroup(4);
    pipeline.problem.layers[0].parameterBytes = 40000;
    pipeline.options.Set("PipelineCoordinator::Iterations", 12);
    pipeline.options.replanner = FindByName<PipelinePlanner>("planner", "hybrid");
    pipeline.options.monitor = "oracle";
    pipeline.options.loads = {MakeStep("device-0", 2, 0.2)};
    const auto result = pipeline.Run();
    ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
    ExpectConserved(pipeline, result);
    ASSERT_GE(result.planChanges.size(), 1U);
    uint64_t moved = 0;
    for (const auto& change : result.planChanges)
    {
        moved += change.decision.moveBytes;
    }
    EXPECT_EQ(SumBytes(result, PipelineTag::LAYER_WEIGHTS), moved);
    pipeline.options.replanner = nullptr;
    EXPECT_GT(GetLastIterations(pipeline.Run(), 3), 1.2 * GetLastIterations(result, 3));
}

TEST_P(Groups, AreRefusedWhereTheirSamplesAreNoMicroBatch)
{
    Pipeline pipeline = MakeGroup(2);
    pipeline.plan.stages[0].group = {{0, 4}, {1, 3}};
    ExpectError([&] { pipeline.Run(); },
                "stage 0: found 7 samples on a group of 2, expected 8, those of a micro-batch, on "
                "two devices or more");
    pipeline.plan.stages[0].group = {{0, 5}, {1, 3}};
    for (auto& [type, costs] : pipeline.problem.costs)
    {
        costs.parts.clear();
    }
    pipeline.problem.microBatchSamples = 0;
    ExpectError([&] { pipeline.Run(); },
                "stage 0 has 5 samples on device-0, expected a micro-batch: the problem has no "
                "costs of parts of one");
}

TEST_P(Groups, AreRefusedWithAWordWhereNeighboursHelp)
{
    Pipeline pipeline = MakeGroup(2);
    pipeline.options.Set("AdjacentScheduler::AdjacentScheduling", true);
    ExpectError([&] { pipeline.Run(); },
                "plan: found stage 0 on a group of 2, expected one device a stage with "
                "AdjacentScheduling");
}

TEST_P(Groups, EverySampleIsComputedOnceInRandomRuns)
{
    // Packets take longer.
    const uint64_t runs =
        std::string(GetParam()) == "flow" || GROUP_RUNS > 30 ? GROUP_RUNS : GROUP_RUNS / 3;
    uint32_t changes = 0;
    for (uint64_t seed = 1; seed <= runs; ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Pipeline pipeline = DrawRun(seed, GetParam());
        const bool hasServer = seed % 4 == 0;
        pipeline.options.Set("PipelineWorker::Exchange", hasServer ? "parameter-server" : "ring");
        const bool isRouted = seed % 3 == 0;
        pipeline.options.Set("PipelineCoordinator::RouteThroughHeads", isRouted);
        const auto result = pipeline.Run();
        ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
        ExpectConserved(pipeline, result, hasServer);
        changes += result.planChanges.size();
        for (const auto& device : result.devices)
        {
            EXPECT_LE(device.peakMemoryBytes, device.memoryBytes);
        }
        if (!result.planChanges.empty() || isRouted)
        {
            continue;
        }
        // Every cut is crossed by all samples of every micro-batch, both ways.
        const PipelineCostModel costs(pipeline.problem);
        uint64_t bytes = 0;
        for (std::size_t s = 0; s + 1 < pipeline.plan.stages.size(); ++s)
        {
            bytes += costs.CutBytes(pipeline.plan.stages[s].lastLayer);
        }
        bytes *= pipeline.problem.microBatches * result.iterations.size();
        EXPECT_EQ(SumBytes(result, PipelineTag::GRADIENTS), bytes);
        for (const auto& stage : pipeline.plan.stages)
        {
            const uint64_t parameters =
                costs.GetTensors(stage.firstLayer, stage.lastLayer).parameterBytes;
            uint64_t sent = 0;
            for (const auto& replica : stage.group)
            {
                sent += SumExchanged(result, replica.device);
            }
            // A server sends the new weights under another tag.
            const uint64_t all = stage.group.empty() ? 0 : (stage.group.size() - 1) * parameters;
            EXPECT_EQ(sent, (hasServer ? 1 : 2) * all * result.iterations.size());
        }
    }
    EXPECT_GT(changes, runs / 6);
}
