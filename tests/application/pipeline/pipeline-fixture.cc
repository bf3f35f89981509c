// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-fixture.h"

#include "links.h"

#include <cstring>

Pipeline::Pipeline(std::vector<double> forwardSeconds,
                   std::vector<double> backwardSeconds,
                   uint64_t tensorBytes,
                   uint32_t microBatches)
{
    problem.microBatches = microBatches;
    problem.bandwidthBitsPerSecond = 1e9;
    for (std::size_t i = 0; i < forwardSeconds.size(); ++i)
    {
        const std::string number = std::to_string(i);
        std::vector<std::size_t> inputs;
        if (i > 0)
        {
            inputs.push_back(i - 1);
        }
        problem.layers.push_back({"layer-" + number, inputs, tensorBytes, 1000, 50000});
        problem.devices.push_back({"device-" + number, "some", 1000000000});
        plan.stages.push_back({i, i, i});
    }
    problem.costs["some"] = {forwardSeconds, backwardSeconds};
    options.network = FastChain();
}

PipelineTrainingResult
Pipeline::Run() const
{
    return RunPipelineTraining(problem, plan, options);
}

PipelineTrainingResult
RunPipelineTraining(const PipelineProblem& problem,
                    const PipelinePlan& plan,
                    const PipelineOptions& options)
{
    std::vector<std::string> names;
    for (const auto& device : problem.devices)
    {
        names.push_back(device.name);
    }
    auto all = RunSideBySide({{&problem, &plan, 0}}, names, options);
    return {std::move(all.pipelines.front()), std::move(all)};
}

SideBySideResult
RunSideBySide(const std::vector<PipelineOnNetwork>& pipelines,
              const std::vector<std::string>& names,
              const PipelineOptions& options)
{
    AttributeDefaults defaults;
    options.Apply(defaults);
    const PipelineSetting& setting = options;
    return RunSideBySide(pipelines, names, setting);
}

NetworkOptions
FastChain()
{
    NetworkOptions options;
    const char* test = testing::UnitTest::GetInstance()->current_test_info()->value_param();
    options.fidelity = test && std::strstr(test, "\"flow\"") ? "flow" : "packet";
    options.SetLink("p2p");
    SetRate(options, 1e11);
    options.Set("Delay", TimeValue(MicroSeconds(1)));
    return options;
}

uint64_t
Count(const PipelineTrainingResult& result, PipelineTag::Kind kind)
{
    const auto& tasks = result.timeline->GetTasks();
    const auto& transfers = result.timeline->GetTransfers();
    return std::count_if(tasks.begin(),
                         tasks.end(),
                         [kind](const TaskSpan& task) {
                             return PipelineTag::Unpack(task.tag).kind == kind;
                         }) +
           std::count_if(transfers.begin(), transfers.end(), [kind](const TransferSpan& transfer) {
               return PipelineTag::Unpack(transfer.tag).kind == kind &&
                      transfer.from != transfer.to;
           });
}
