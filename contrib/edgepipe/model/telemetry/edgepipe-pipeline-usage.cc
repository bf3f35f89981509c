/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-pipeline-usage.h"

#include "ns3/edgepipe-connect.h"
#include "ns3/edgepipe-ranges.h"

namespace ns3::edgepipe
{

void
PipelineUsageMeter::Observe(Ptr<PipelineCoordinator> coordinator)
{
    Connect(coordinator, "IterationStart", [this](uint32_t) { BeginIteration(); });
    Connect(coordinator, "IterationEnd", [this](uint32_t) { EndIteration(); });
}

void
PipelineUsageMeter::Observe(Ptr<PipelineWorker> worker)
{
    const auto node = worker->GetNode();
    Observe(node->GetId(), node->GetObject<ComputeDevice>(), [](uint64_t tag) {
        return !PipelineTag::Unpack(tag).IsAssistance();
    });
}

void
PipelineUsageMeter::Observe(uint32_t device, Ptr<ComputeDevice> compute, bool (*isOwn)(uint64_t))
{
    const std::size_t place = m_extents.size();
    m_extents.push_back({device, false, {}, {}, {}, {}, {}});
    m_filter.WatchTasks(device, compute, [this, place, isOwn](const TaskSpan& task) {
        Extent& extent = m_extents[place];
        const bool isOfStage = !isOwn || isOwn(task.tag);
        if (!extent.isUsed && isOfStage && task.start >= m_start)
        {
            extent.first = task.start;
            extent.before = extent.busy;
            extent.isUsed = true;
        }
        extent.busy += task.end - Max(task.start, m_start);
        if (isOfStage)
        {
            extent.last = task.end;
            extent.until = extent.busy;
        }
    });
}

void
PipelineUsageMeter::BeginIteration()
{
    m_start = Simulator::Now();
    // Tasks between two iterations, such as planning, belong to none.
    for (Extent& extent : m_extents)
    {
        extent.isUsed = false;
        extent.busy = Time();
    }
}

void
PipelineUsageMeter::EndIteration()
{
    const Time end = Simulator::Now();
    Time idle;
    Time bubbles;
    std::size_t used = 0;
    for (Extent& extent : m_extents)
    {
        if (extent.isUsed)
        {
            ++used;
            idle += end - m_start - extent.busy;
            bubbles += extent.last - extent.first - (extent.until - extent.before);
            m_usage.busySeconds[extent.device] += extent.busy.GetSeconds();
        }
    }
    const double area = used * (end - m_start).GetSeconds();
    m_iterations.push_back({m_start, end});
    m_usage.idleRates.push_back(area > 0 ? idle.GetSeconds() / area : 0);
    m_usage.bubbleRates.push_back(area > 0 ? bubbles.GetSeconds() / area : 0);
}

std::vector<PassSeconds>
GetStagePasses(const PipelineProblem& problem, const PipelinePlan& plan)
{
    const PipelineCostModel costs(problem);
    return Map(plan.stages, [&](const auto& stage) { return costs.FindStageSeconds(stage); });
}

double
GetHeterogeneity(const PipelineProblem& problem, const PipelinePlan& plan)
{
    const PipelineCostModel costs(problem);
    const auto speeds = Map(ListDevices(plan), [&](std::size_t device) {
        return 1 / costs.StageSeconds(device, 0, problem.layers.size() - 1);
    });
    const double mean = Mean(speeds);
    return std::sqrt(Mean(
        Map(speeds, [mean](double speed) { return (speed / mean - 1) * (speed / mean - 1); })));
}

double
GetBubbleArea(double bubbleSeconds, const std::vector<PassSeconds>& passes, double lambda)
{
    double area = bubbleSeconds;
    for (std::size_t r = 1; r <= passes.size(); ++r)
    {
        const auto& [forward, backward] = passes[r - 1];
        const double delay = lambda > 0 ? -std::expm1(-lambda * forward) / lambda : forward;
        area += (passes.size() - r) * (delay + std::log1p(backward));
    }
    return area;
}

double
GetBubbleIndex(const PipelineProblem& problem,
               const PipelinePlan& plan,
               double bubbleRate,
               double seconds,
               std::optional<double> lambda)
{
    const double stageSeconds = ListDevices(plan).size() * seconds;
    return stageSeconds > 0 ? GetBubbleArea(bubbleRate * stageSeconds,
                                            GetStagePasses(problem, plan),
                                            lambda ? *lambda : GetHeterogeneity(problem, plan)) /
                                  stageSeconds
                            : 0;
}

} // namespace ns3::edgepipe
