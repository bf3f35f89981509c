/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-pipeline-usage.h"

#include "ns3/edgepipe-connect.h"
#include "ns3/edgepipe-pipeline-message.h"
#include "ns3/simulator.h"

#include <utility>

namespace ns3
{
namespace edgepipe
{

PipelineUsageMeter::PipelineUsageMeter(JobFilter filter)
    : m_filter(std::move(filter))
{
}

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
    // What ran between two iterations, such as planning, belongs to none.
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

const std::vector<IterationSpan>&
PipelineUsageMeter::GetIterations() const
{
    return m_iterations;
}

const PipelineUsage&
PipelineUsageMeter::GetUsage() const
{
    return m_usage;
}

} // namespace edgepipe
} // namespace ns3
