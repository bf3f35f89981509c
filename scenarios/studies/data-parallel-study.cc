/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/data-parallel-study.h"

#include "lib/progress.h"

#include <algorithm>
#include <chrono>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param updates finished ones
 * @param first index of the first
 * @param count how many
 * @return means over them
 */
UpdateStretch
Average(const std::vector<WeightUpdateRecord>& updates, std::size_t first, std::size_t count)
{
    UpdateStretch stretch{first, count};
    for (std::size_t i = first; i < first + count; ++i)
    {
        stretch.nodeSeconds += updates[i].nodeSeconds / count;
        stretch.exchangeSeconds += updates[i].exchangeSeconds / count;
        stretch.iterationSeconds += updates[i].GetIterationSeconds() / count;
    }
    return stretch;
}

} // namespace

std::vector<UpdateStretch>
AverageUpdates(const std::vector<WeightUpdateRecord>& updates)
{
    std::vector<UpdateStretch> stretches;
    for (std::size_t first = 0; first < updates.size(); first += UPDATES_PER_STRETCH)
    {
        stretches.push_back(
            Average(updates, first, std::min(UPDATES_PER_STRETCH, updates.size() - first)));
    }
    return stretches;
}

UpdateStretch
AverageAllUpdates(const std::vector<WeightUpdateRecord>& updates)
{
    return Average(updates, 0, updates.size());
}

std::string
ExplainUnchangedShares(const std::string& planner,
                       const DataParallelResult& result,
                       Time updateInterval)
{
    // Equal shares are those that every run begins with.
    if (planner == "equal" || result.updates.empty() || result.updates.back().version > 0)
    {
        return "";
    }
    if (result.shares.size() > 1)
    {
        return "those decided came too late for any update";
    }
    if (result.plans > 0)
    {
        return "";
    }
    return result.end < updateInterval ? "no report was due before the end"
                                       : "not every worker had reported before the end";
}

std::string
DataParallelRun::GetStatus() const
{
    return result.isComplete ? "finished" : "stalled";
}

DataParallelStudy::DataParallelStudy(const ScenarioOptions& options)
    : m_inputs(options)
{
}

void
DataParallelStudy::Run()
{
    using Clock = std::chrono::steady_clock;
    Progress progress;
    for (const auto& planner : m_inputs.planners)
    {
        DataParallelRun one;
        one.planner = planner;
        DataParallelOptions run = m_inputs.run;
        run.planner = planner;
        const auto start = Clock::now();
        one.result = RunDataParallel(m_inputs.nodes, run, [&](double done) {
            progress.Update((m_runs.size() + done) / m_inputs.planners.size(),
                            planner + ": simulating");
        });
        one.simulationSeconds = std::chrono::duration<double>(Clock::now() - start).count();
        m_runs.push_back(std::move(one));
    }
}

int
DataParallelStudy::GetStatus() const
{
    const bool isAnyStalled = std::any_of(m_runs.begin(), m_runs.end(), [](const auto& one) {
        return one.GetStatus() == "stalled";
    });
    return isAnyStalled ? 3 : 0;
}

} // namespace edgepipe
} // namespace ns3
