// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-workload.h"

#include "ns3/edgepipe-pipeline-schedule.h"

uint32_t
PipelineWorkload::GetDevices() const
{
    return pipelines * stages;
}

uint64_t
PipelineWorkload::GetTransfers() const
{
    return uint64_t(2) * pipelines * (stages - 1) * microBatches * iterations;
}

double
PipelineWorkload::GetSpeed(uint32_t device)
{
    // Multiples of the golden ratio, modulo 1, are spread evenly.
    return 1e9 * (1 + 0.1 * std::fmod(device * 0.6180339887498949, 1.0));
}

std::vector<std::vector<bool>>
PipelineWorkload::GetTasks() const
{
    const auto order = FindByName<PipelineSchedule>("schedule", schedule);
    std::vector<std::vector<bool>> tasks(stages);
    for (uint32_t stage = 0; stage < stages; ++stage)
    {
        for (const auto& step : order->GetSteps(stage, stages, microBatches))
        {
            tasks[stage].push_back(step.backward);
        }
    }
    return tasks;
}

StageProgress::StageProgress(const PipelineWorkload& workload,
                             const std::vector<std::vector<bool>>& tasks,
                             uint32_t device)
    : m_device(device),
      m_isFirst(device % workload.stages == 0),
      m_isLast(device % workload.stages == workload.stages - 1),
      m_tasks(tasks[device % workload.stages]),
      m_iterationsLeft(workload.iterations)
{
}

bool
StageProgress::IsDone() const
{
    return m_iterationsLeft == 0;
}

bool
StageProgress::IsBackward() const
{
    return m_tasks[m_next];
}

bool
StageProgress::NeedsInput() const
{
    return IsBackward() ? !m_isLast : !m_isFirst;
}

bool
StageProgress::IsReady() const
{
    return !IsDone() && (!NeedsInput() || m_arrivals[IsBackward()] > 0);
}

void
StageProgress::NoticeArrival(bool isGradient)
{
    ++m_arrivals[isGradient];
}

bool
StageProgress::Finish(uint32_t& receiver)
{
    const bool isBackward = IsBackward();
    if (NeedsInput())
    {
        --m_arrivals[isBackward];
    }
    if (++m_next == m_tasks.size())
    {
        m_next = 0;
        --m_iterationsLeft;
    }
    receiver = isBackward ? m_device - 1 : m_device + 1;
    return isBackward ? !m_isFirst : !m_isLast;
}
