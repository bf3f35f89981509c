// SPDX-License-Identifier: GPL-2.0-only

#include "replan-fixture.h"

#include "links.h"

Pipeline
MakePipeline(const std::string& planner)
{
    Pipeline pipeline({}, {}, 0, 4);
    auto& problem = pipeline.problem;
    problem.bandwidthBitsPerSecond = 1e8;
    for (std::size_t i = 0; i < 12; ++i)
    {
        std::vector<std::size_t> inputs;
        if (i > 0)
        {
            inputs.push_back(i - 1);
        }
        problem.layers.push_back({"layer-" + std::to_string(i), inputs, 20000, 100000 + i, 30000});
        problem.costs["some"].forwardSeconds.push_back(0.02);
        problem.costs["some"].backwardSeconds.push_back(0.04);
    }
    for (std::size_t i = 0; i < 5; ++i)
    {
        problem.devices.push_back({"device-" + std::to_string(i), "some", 100000000});
    }
    pipeline.plan.stages = {{0, 0, 2}, {1, 3, 5}, {2, 6, 8}, {3, 9, 11}};
    auto& options = pipeline.options;
    SetKind(options.network, "lan");
    SetRate(options.network, 1e8);
    options.network.Set("Delay", TimeValue(MicroSeconds(20)));
    options.Set("PipelineCoordinator::Iterations", 12);
    options.replanner = FindByName<PipelinePlanner>("planner", planner);
    options.monitor = "oracle";
    return pipeline;
}

DeviceLoad
MakeStep(const std::string& device, double seconds, double share)
{
    return {device, "", {{Time(), 1}, {Seconds(seconds), share}}};
}

uint64_t
SumBytes(const PipelineTrainingResult& result, PipelineTag::Kind kind)
{
    uint64_t bytes = 0;
    for (const auto& transfer : result.timeline->GetTransfers())
    {
        const bool isOurs = transfer.port < 1024 && transfer.from != transfer.to;
        bytes += isOurs && PipelineTag::Unpack(transfer.tag).kind == kind ? transfer.bytes : 0;
    }
    return bytes;
}

double
GetLastIterations(const PipelineTrainingResult& result, std::size_t count)
{
    double seconds = 0;
    for (std::size_t i = result.iterations.size() - count; i < result.iterations.size(); ++i)
    {
        seconds += (result.iterations[i].end - result.iterations[i].start).GetSeconds();
    }
    return seconds / count;
}

void
ExpectConserved(const Pipeline& pipeline, const PipelineTrainingResult& result, bool hasServer)
{
    std::map<std::tuple<uint32_t, uint32_t, uint32_t, PipelineTag::Kind>, int> passes;
    for (const auto& task : result.timeline->GetTasks())
    {
        const auto tag = PipelineTag::Unpack(task.tag);
        if (!tag.IsAssistance())
        {
            ++passes[{tag.iteration, task.device, tag.microBatch, tag.kind}];
        }
    }
    PipelinePlan plan = pipeline.plan;
    auto change = result.planChanges.begin();
    std::size_t expected = 0;
    for (uint32_t iteration = 0; iteration < result.iterations.size(); ++iteration)
    {
        if (change != result.planChanges.end() && change->iteration == iteration)
        {
            plan = change->decision.plan;
            ++change;
        }
        PipelineCostModel(pipeline.problem).CheckPlan(plan);
        for (const auto& stage : plan.stages)
        {
            for (const auto& [device, samples] : stage.GetReplicas(1))
            {
                for (uint32_t batch = 0; batch < pipeline.problem.microBatches; ++batch)
                {
                    for (const auto kind : {PipelineTag::FORWARD, PipelineTag::BACKWARD})
                    {
                        EXPECT_EQ((passes[{iteration, device, batch, kind}]), 1)
                            << "iteration " << iteration << " device " << device;
                        ++expected;
                    }
                }
                if (!hasServer || device == stage.device)
                {
                    EXPECT_EQ((passes[{iteration, device, 0, PipelineTag::UPDATE}]), 1);
                    ++expected;
                }
            }
        }
    }
    EXPECT_EQ(passes.size(), expected);
}
