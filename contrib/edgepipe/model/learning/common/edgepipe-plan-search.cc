/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-plan-search.h"

#include "ns3/edgepipe-group-shares.h"
#include "ns3/edgepipe-random-streams.h"
#include "ns3/random-variable-stream.h"

#include <utility>

namespace ns3::edgepipe
{

namespace
{

/// Least relative gain of an accepted change, above rounding errors.
constexpr double LEAST_GAIN = 1e-12;
/// Most consecutive kicks without an evaluation.
constexpr int IDLE_KICKS = 50;

/** The search of ImprovePlan. */
class PlanSearch
{
  public:
    /**
     * @param costModel the cost model
     * @param evaluations most plans to try
     * @param takesGroups whether stages may be put on groups of devices
     */
    PlanSearch(const PipelineCostModel& costModel, uint64_t evaluations, bool takesGroups)
        : m_costModel(costModel),
          m_takesGroups(takesGroups && costModel.GetProblem().TakesGroups()),
          m_left(evaluations),
          m_random(MakeRandomVariable<UniformRandomVariable>(random_streams::PLAN_SEARCH.first))
    {
    }

    /**
     * @param plan replaced by one that is as fast or faster
     * @param seconds its iteration time, replaced with it
     * @return number of plans that may still be tried
     */
    uint64_t Improve(PipelinePlan& plan, double& seconds)
    {
        m_plan = m_trial = plan;
        m_seconds = seconds;
        uint64_t before = m_left + 1;
        // A round without an evaluation found no plan that fits; after many, give up.
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
        return m_left;
    }

  private:
    /** Improves m_plan until a round brings no gain. */
    void Descend()
    {
        bool isBetter = true;
        while (isBetter && m_left > 0)
        {
            isBetter = MoveCuts();
            isBetter = ChangeDevices() || isBetter;
            isBetter = ChangeCount() || isBetter;
            isBetter = (m_takesGroups && ChangeGroups()) || isBetter;
        }
    }

    /** Replaces m_plan by a random variation, if that fits. */
    void Kick()
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
        if (m_left > 0 && m_costModel.Fits(m_trial))
        {
            --m_left;
            m_plan = m_trial;
        }
        m_trial = m_plan;
        m_seconds = m_costModel.IterationSeconds(m_plan);
    }

    /**
     * Tries m_trial and accepts it if it is faster.
     * @return whether it was accepted
     */
    bool Try()
    {
        for (PipelineStage& stage : m_trial.stages)
        {
            if (!stage.group.empty())
            {
                stage = ShareStage(m_costModel, stage, ListDevices({{stage}}));
            }
        }
        bool isFaster = m_left > 0 && m_costModel.Fits(m_trial);
        if (isFaster)
        {
            --m_left;
            const double seconds = m_costModel.IterationSeconds(m_trial);
            isFaster = seconds < m_seconds * (1 - LEAST_GAIN);
            m_seconds = isFaster ? seconds : m_seconds;
        }
        (isFaster ? m_plan : m_trial) = isFaster ? m_trial : m_plan;
        return isFaster;
    }

    /** @return whether moving cuts made m_plan faster */
    bool MoveCuts()
    {
        bool isBetter = false;
        const std::size_t layers = m_costModel.GetProblem().layers.size();
        const std::size_t cuts = m_plan.stages.size() - 1;
        for (std::size_t first = 0; first < cuts && m_left > 0; ++first)
        {
            for (std::size_t last = first; last < cuts; ++last)
            {
                for (std::size_t step = 1; step < layers; step *= 2)
                {
                    for (const bool isForward : {true, false})
                    {
                        const PipelineStage& gives = m_plan.stages[isForward ? last + 1 : first];
                        if (gives.lastLayer - gives.firstLayer >= step)
                        {
                            for (std::size_t r = first; r <= last; ++r)
                            {
                                std::size_t& cut = m_trial.stages[r].lastLayer;
                                cut = isForward ? cut + step : cut - step;
                                m_trial.stages[r + 1].firstLayer = cut + 1;
                            }
                            isBetter = Try() || isBetter;
                        }
                    }
                }
            }
        }
        return isBetter;
    }

    /** @return whether changing devices made m_plan faster */
    bool ChangeDevices()
    {
        bool isBetter = false;
        for (std::size_t r = 0; r < m_plan.stages.size(); ++r)
        {
            for (std::size_t other = r + 1; other < m_plan.stages.size(); ++other)
            {
                SwapDevices(m_trial.stages[r], m_trial.stages[other]);
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
                m_trial.stages[r].group.clear();
                isBetter = Try() || isBetter;
            }
        }
        return isBetter;
    }

    /** @return whether devices that joined or left stages made m_plan faster */
    bool ChangeGroups()
    {
        bool isBetter = false;
        for (std::size_t r = 0; r < m_plan.stages.size(); ++r)
        {
            for (const std::size_t device : FindFreeDevices(m_costModel.GetProblem(), m_plan))
            {
                auto devices = ListDevices({{m_plan.stages[r]}});
                devices.push_back(device);
                m_trial.stages[r] = ShareStage(m_costModel, m_plan.stages[r], devices);
                isBetter = Try() || isBetter;
            }
            for (const std::size_t device : ListDevices({{m_plan.stages[r]}}))
            {
                auto devices = ListDevices({{m_plan.stages[r]}});
                devices.erase(std::remove(devices.begin(), devices.end(), device), devices.end());
                if (devices.empty())
                {
                    break;
                }
                PipelineStage& stage = m_trial.stages[r];
                stage.device = devices.front();
                stage.group.clear();
                if (devices.size() > 1)
                {
                    stage = ShareStage(m_costModel, stage, devices);
                }
                isBetter = Try() || isBetter;
            }
        }
        return isBetter;
    }

    /** @return seconds of the forward pass of some layers on a device */
    double GetWork(std::size_t device, std::size_t firstLayer, std::size_t lastLayer) const
    {
        return m_costModel.FindStageSeconds(device, firstLayer, lastLayer).forward;
    }

    /**
     * @param one a stage
     * @param other another
     */
    static void SwapDevices(PipelineStage& one, PipelineStage& other)
    {
        std::swap(one.device, other.device);
        std::swap(one.group, other.group);
    }

    /**
     * Swaps the devices of two neighbouring stages in m_trial and moves their cut.
     * @param r index of the first
     */
    void Exchange(std::size_t r)
    {
        PipelineStage& left = m_trial.stages[r];
        PipelineStage& right = m_trial.stages[r + 1];
        const double work = GetWork(0, right.firstLayer, right.lastLayer);
        SwapDevices(left, right);
        left.lastLayer = left.firstLayer;
        while (left.lastLayer + 1 < right.lastLayer &&
               GetWork(0, left.firstLayer, left.lastLayer) < work)
        {
            ++left.lastLayer;
        }
        right.firstLayer = left.lastLayer + 1;
    }

    /** @return whether merging or splitting stages made m_plan faster */
    bool ChangeCount()
    {
        bool isBetter = false;
        for (std::size_t r = 0; r < m_plan.stages.size(); ++r)
        {
            for (bool keepsFirst : {true, false})
            {
                if (r + 1 < m_plan.stages.size())
                {
                    auto& stages = m_trial.stages;
                    if (!keepsFirst)
                    {
                        SwapDevices(stages[r], stages[r + 1]);
                    }
                    stages[r].lastLayer = stages[r + 1].lastLayer;
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
            const double half = GetWork(whole.device, whole.firstLayer, whole.lastLayer) / 2;
            while (middle + 1 < whole.lastLayer &&
                   GetWork(whole.device, whole.firstLayer, middle) < half)
            {
                ++middle;
            }
            for (std::size_t device : FindFreeDevices(m_costModel.GetProblem(), m_plan))
            {
                for (bool isFirst : {true, false})
                {
                    // Unless the stage was just split.
                    if (m_plan.stages[r].lastLayer == whole.lastLayer)
                    {
                        auto& stages = m_trial.stages;
                        stages[r] = {isFirst ? device : whole.device, whole.firstLayer, middle};
                        stages.insert(
                            stages.begin() + r + 1,
                            {isFirst ? whole.device : device, middle + 1, whole.lastLayer});
                        isBetter = Try() || isBetter;
                    }
                }
            }
        }
        return isBetter;
    }

    const PipelineCostModel& m_costModel; //!< the cost model
    bool m_takesGroups;                   //!< whether stages may be put on groups of devices
    uint64_t m_left;                      //!< plans that may still be tried
    PipelinePlan m_plan;                  //!< the current plan
    double m_seconds{0};                  //!< its iteration time
    PipelinePlan m_trial;                 //!< the plan being tried
    Ptr<UniformRandomVariable> m_random;  //!< draws kicks
};

} // namespace

uint64_t
ImprovePlan(const PipelineCostModel& costModel,
            uint64_t evaluations,
            PipelinePlan& plan,
            double& seconds,
            bool takesGroups)
{
    return evaluations - PlanSearch(costModel, evaluations, takesGroups).Improve(plan, seconds);
}

std::vector<std::size_t>
FindFreeDevices(const PipelineProblem& problem, const PipelinePlan& plan)
{
    const auto& devices = problem.devices;
    std::vector<bool> isTaken(devices.size(), false);
    for (const std::size_t device : ListDevices(plan))
    {
        isTaken[device] = true;
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

} // namespace ns3::edgepipe
