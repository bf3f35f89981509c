/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-pipeline-usage.h"

namespace ns3
{
namespace edgepipe
{

PipelineUsage
MeasurePipelineUsage(const Timeline& timeline,
                     const std::vector<IterationSpan>& iterations,
                     uint32_t stages)
{
    struct Extent
    {
        Time first;
        Time last;
        Time busy;
    };

    PipelineUsage usage;
    auto task = timeline.GetTasks().begin();
    for (const auto& iteration : iterations)
    {
        std::map<uint32_t, Extent> extents;
        for (; task != timeline.GetTasks().end() && task->end <= iteration.end; ++task)
        {
            auto& extent = extents.insert({task->device, {task->start, {}, {}}}).first->second;
            extent.last = task->end;
            extent.busy += task->end - task->start;
        }
        Time idle;
        for (const auto& [device, extent] : extents)
        {
            idle += extent.last - extent.first - extent.busy;
            usage.busySeconds[device] += extent.busy.GetSeconds();
        }
        const double duration = (iteration.end - iteration.start).GetSeconds();
        usage.bubbleRates.push_back(duration > 0 ? idle.GetSeconds() / (stages * duration) : 0);
    }
    return usage;
}

} // namespace edgepipe
} // namespace ns3
