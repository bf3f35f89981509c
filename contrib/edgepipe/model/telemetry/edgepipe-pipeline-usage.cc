/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-pipeline-usage.h"

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
    coordinator->TraceConnectWithoutContext(
        "IterationStart",
        Callback<void, uint32_t>([this](uint32_t) { BeginIteration(); }));
    coordinator->TraceConnectWithoutContext(
        "IterationEnd",
        Callback<void, uint32_t>([this](uint32_t) { EndIteration(); }));
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
    m_extents.push_back({device, false, {}, {}, {}, {}, {}, {}});
    compute->TraceConnectWithoutContext(
        "TaskStart",
        Callback<void, uint64_t, uint32_t>([this, place, isOwn](uint64_t tag, uint32_t job) {
            Extent& extent = m_extents[place];
            if (!m_filter.Has(job))
            {
                return;
            }
            extent.present = Simulator::Now();
            if (!extent.isUsed && (!isOwn || isOwn(tag)))
            {
                extent.first = extent.present;
                extent.before = extent.busy;
                extent.isUsed = true;
            }
        }));
    compute->TraceConnectWithoutContext(
        "TaskEnd",
        Callback<void, uint64_t, uint32_t>([this, place, isOwn](uint64_t tag, uint32_t job) {
            Extent& extent = m_extents[place];
            if (!m_filter.Has(job))
            {
                return;
            }
            extent.busy += Simulator::Now() - Max(extent.present, m_start);
            if (!isOwn || isOwn(tag))
            {
                extent.last = Simulator::Now();
                extent.until = extent.busy;
            }
        }));
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
