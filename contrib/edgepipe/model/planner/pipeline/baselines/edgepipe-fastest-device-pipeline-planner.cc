/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/edgepipe-ranges.h"

#include <limits>

namespace ns3::edgepipe
{

/**
 * Gives the whole model to one device, of those whose memory holds it the fastest: what a pipeline
 * must beat. Ties go to the first. Takes O(devices) time.
 */
class FastestDevicePipelinePlanner : public Named<FastestDevicePipelinePlanner, PipelinePlanner>
{
  public:
    static constexpr const char* NAME = "fastest-device"; //!< for users

  private:
    PipelinePlan DoPlan(const PipelineProblem& problem, const PipelineCostModel& costModel) override
    {
        PipelinePlan best;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t d = 0; d < problem.devices.size(); ++d)
        {
            const PipelinePlan plan{{{d, 0, problem.layers.size() - 1}}};
            const double seconds = costModel.Fits(plan.stages.front())
                                       ? costModel.IterationSeconds(plan)
                                       : std::numeric_limits<double>::infinity();
            if (seconds < least)
            {
                least = seconds;
                best = plan;
            }
        }
        if (best.stages.empty())
        {
            const auto& largest = MaxBy(problem.devices, &PipelineDevice::memoryBytes);
            const std::size_t device = &largest - problem.devices.data();
            try
            {
                costModel.CheckPlan({{{device, 0, problem.layers.size() - 1}}});
            }
            catch (const InputError& error)
            {
                throw InputError("no plan fits: no device's memory holds the whole model; " +
                                 std::string(error.what()));
            }
        }
        return best;
    }
};

NS_OBJECT_ENSURE_REGISTERED(FastestDevicePipelinePlanner);

} // namespace ns3::edgepipe
