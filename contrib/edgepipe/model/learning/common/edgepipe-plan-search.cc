/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-plan-search.h"

#include "ns3/edgepipe-random-streams.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// What a change must gain to be taken, relative: rounding must not count as a gain.
constexpr double LEAST_GAIN = 1e-12;
/// Kicks in a row that may lead nowhere.
constexpr int IDLE_KICKS = 50;

} // namespace

PlanSearch::PlanSearch(const PipelineCostModel& costModel, uint64_t evaluations)
    : m_costModel(costModel),
      m_left(evaluations),
      m_random(MakeRandomVariable<UniformRandomVariable>(random_streams::PLAN_SEARCH.first))
{
}

void
PlanSearch::Improve(PipelinePlan& plan, double& seconds)
{
    m_plan = m_trial = plan;
    m_seconds = seconds;
    uint64_t before = m_left + 1;
    // A kick that leads nowhere new costs no evaluation; then there is nothing left to find.
    for (int idle = 0; m_left > 0 && idle < IDLE_KICKS; idle = m_left < before ? 0 : idle + 1)
    {
        before = m_left;
        Descend();
        if (m_seconds < seconds)
        {
            plan = m_plan;
            seconds = m_seconds;
        }
        m_plan = m_trial = plan;
        Kick();
    }
}

void
PlanSearch::Descend()
{
    bool isBetter = true;
    while (isBetter && m_left > 0)
    {
        isBetter = MoveCuts();
        isBetter = ChangeDevices() || isBetter;
        isBetter = ChangeCount() || isBetter;
    }
}

void
PlanSearch::Kick()
{
    const std::size_t stages = m_plan.stages.size();
    if (stages > 1)
    {
        std::size_t r = m_random->GetInteger(0, stages - 2);
        for (std::size_t count = m_random->GetInteger(1, 3); count > 0; --count)
        {
            Exchange(r);
            r = std::min(r + 1, stages - 2);
        }
    }
    if (m_left > 0 && Fits())
    {
        --m_left;
        ++m_tried;
        m_plan = m_trial;
    }
    m_trial = m_plan;
    m_seconds = m_costModel.IterationSeconds(m_plan);
}

uint64_t
PlanSearch::GetEvaluations() const
{
    return m_tried;
}

bool
PlanSearch::Fits() const
{
    return std::all_of(m_trial.stages.begin(), m_trial.stages.end(), [this](const auto& stage) {
        return m_costModel.StageMemoryBytes(stage.firstLayer, stage.lastLayer) <=
               m_costModel.GetProblem().devices[stage.device].memoryBytes;
    });
}

bool
PlanSearch::Try()
{
    bool isFaster = m_left > 0 && Fits();
    if (isFaster)
    {
        --m_left;
        ++m_tried;
        const double seconds = m_costModel.IterationSeconds(m_trial);
        isFaster = seconds < m_seconds * (1 - LEAST_GAIN);
        m_seconds = isFaster ? seconds : m_seconds;
    }
    (isFaster ? m_plan : m_trial) = isFaster ? m_trial : m_plan;
    return isFaster;
}

bool
PlanSearch::MoveCuts()
{
    bool isBetter = false;
    const std::size_t cuts = m_plan.stages.size() - 1;
    for (std::size_t first = 0; first < cuts && m_left > 0; ++first)
    {
        for (std::size_t last = first; last < cuts; ++last)
        {
            for (std::size_t step = 1; step < m_costModel.GetProblem().layers.size(); step *= 2)
            {
                const PipelineStage& after = m_plan.stages[last + 1];
                if (after.lastLayer - after.firstLayer >= step)
                {
                    for (std::size_t r = first; r <= last; ++r)
                    {
                        m_trial.stages[r].lastLayer += step;
                        m_trial.stages[r + 1].firstLayer += step;
                    }
                    isBetter = Try() || isBetter;
                }
                const PipelineStage& before = m_plan.stages[first];
                if (before.lastLayer - before.firstLayer >= step)
                {
                    for (std::size_t r = first; r <= last; ++r)
                    {
                        m_trial.stages[r].lastLayer -= step;
                        m_trial.stages[r + 1].firstLayer -= step;
                    }
                    isBetter = Try() || isBetter;
                }
            }
        }
    }
    return isBetter;
}

bool
PlanSearch::ChangeDevices()
{
    bool isBetter = false;
    for (std::size_t r = 0; r < m_plan.stages.size(); ++r)
    {
        for (std::size_t other = r + 1; other < m_plan.stages.size(); ++other)
        {
            std::swap(m_trial.stages[r].device, m_trial.stages[other].device);
            isBetter = Try() || isBetter;
        }
        if (r + 1 < m_plan.stages.size())
        {
            Exchange(r);
            isBetter = Try() || isBetter;
        }
        for (std::size_t device : FindFreeDevices(m_costModel.GetProblem(), m_plan))
        {
            m_trial.stages[r].device = device;
            isBetter = Try() || isBetter;
        }
    }
    return isBetter;
}

void
PlanSearch::Exchange(std::size_t r)
{
    PipelineStage& left = m_trial.stages[r];
    PipelineStage& right = m_trial.stages[r + 1];
    const double work = m_costModel.StageForwardSeconds(0, right.firstLayer, right.lastLayer);
    std::swap(left.device, right.device);
    left.lastLayer = left.firstLayer;
    while (left.lastLayer + 1 < right.lastLayer &&
           m_costModel.StageForwardSeconds(0, left.firstLayer, left.lastLayer) < work)
    {
        ++left.lastLayer;
    }
    right.firstLayer = left.lastLayer + 1;
}

bool
PlanSearch::ChangeCount()
{
    bool isBetter = false;
    for (std::size_t r = 0; r < m_plan.stages.size(); ++r)
    {
        if (r + 1 < m_plan.stages.size())
        {
            for (bool keepsFirst : {true, false})
            {
                if (r + 1 >= m_plan.stages.size())
                {
                    break;
                }
                auto& stages = m_trial.stages;
                stages[r].lastLayer = stages[r + 1].lastLayer;
                stages[r].device = keepsFirst ? stages[r].device : stages[r + 1].device;
                stages.erase(stages.begin() + r + 1);
                isBetter = Try() || isBetter;
            }
        }
        const PipelineStage whole = m_plan.stages[r];
        if (whole.firstLayer == whole.lastLayer)
        {
            continue;
        }
        std::size_t middle = whole.firstLayer;
        const double half =
            m_costModel.StageForwardSeconds(whole.device, whole.firstLayer, whole.lastLayer) / 2;
        while (middle + 1 < whole.lastLayer &&
               m_costModel.StageForwardSeconds(whole.device, whole.firstLayer, middle) < half)
        {
            ++middle;
        }
        for (std::size_t device : FindFreeDevices(m_costModel.GetProblem(), m_plan))
        {
            for (bool isFirst : {true, false})
            {
                if (m_plan.stages[r].lastLayer != whole.lastLayer)
                {
                    break;
                }
                auto& stages = m_trial.stages;
                stages[r].lastLayer = middle;
                stages.insert(stages.begin() + r + 1,
                              {isFirst ? whole.device : device, middle + 1, whole.lastLayer});
                stages[r].device = isFirst ? device : whole.device;
                isBetter = Try() || isBetter;
            }
        }
    }
    return isBetter;
}

std::vector<std::size_t>
FindFreeDevices(const PipelineProblem& problem, const PipelinePlan& plan)
{
    const auto& devices = problem.devices;
    std::vector<bool> isTaken(devices.size(), false);
    for (const PipelineStage& stage : plan.stages)
    {
        isTaken[stage.device] = true;
    }
    std::set<std::pair<std::string, uint64_t>> seen;
    std::vector<std::size_t> free;
    for (std::size_t d = 0; d < devices.size(); ++d)
    {
        if (!isTaken[d] && seen.emplace(devices[d].type, devices[d].memoryBytes).second)
        {
            free.push_back(d);
        }
    }
    return free;
}

} // namespace edgepipe
} // namespace ns3
