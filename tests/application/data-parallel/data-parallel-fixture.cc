// SPDX-License-Identifier: GPL-2.0-only

#include "data-parallel-fixture.h"

#include "links.h"

namespace
{
NS_OBJECT_ENSURE_REGISTERED(GivenSharesPlanner);
} // namespace

std::function<std::vector<uint64_t>(const BatchSharesProblem&)> GivenSharesPlanner::decide;

PlannerState<BatchSharesPlan> GivenSharesPlanner::state;

BatchSharesPlan
GivenSharesPlanner::DoPlan(const BatchSharesProblem& problem)
{
    if (GetState())
    {
        state = *GetState();
    }
    return {decide(problem)};
}

DataParallelCase::DataParallelCase(uint32_t workers, uint64_t parameterBytes, double sampleSeconds)
{
    for (uint32_t i = 0; i < workers; ++i)
    {
        DataParallelNode node;
        node.name = "worker-" + std::to_string(i);
        node.memoryBytes = 8000000000;
        node.cost = {1e9, parameterBytes, 1000000, sampleSeconds, 0, 1e-3};
        nodes.push_back(node);
    }
    SetRate(network, 1e9);
    network.Set("Delay", TimeValue(MicroSeconds(10)));
    planner = "equal";
    Set("DataParallelHelper::BaseBatch", 8 * workers);
}

void
DataParallelCase::SetUpdateInterval(Time interval)
{
    Set("DataParallelReporter::UpdateInterval", interval);
    Set("DataParallelFirstNode::UpdateInterval", interval);
}

DataParallelResult
DataParallelCase::Run(const std::function<void(double)>& progress) const
{
    AttributeDefaults defaults;
    Apply(defaults);
    return RunDataParallel(*this, progress);
}

std::string
ShowDataParallel(const DataParallelResult& result)
{
    std::ostringstream text;
    text << result.isFinished << ' ' << result.end << ' ' << result.events << '\n';
    for (const auto& update : result.updates)
    {
        text << update.version << ' ' << update.samples << ' ' << update.start << ' '
             << update.firstComputed << ' ' << update.lastComputed << ' ' << update.end << ' '
             << update.nodeSeconds << '\n';
    }
    for (const auto& shares : result.shares)
    {
        text << shares.decided << ' ' << shares.isInForce << ' ' << shares.iteration;
        for (const uint64_t samples : shares.samples)
        {
            text << ' ' << samples;
        }
        text << '\n';
    }
    for (const auto& link : result.links)
    {
        text << link.name << ' ' << link.bytes << '\n';
    }
    return text.str() + ShowDiagnosis(result);
}
