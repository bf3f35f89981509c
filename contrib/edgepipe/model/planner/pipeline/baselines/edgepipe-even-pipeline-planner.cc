/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-pipeline-planner.h"

#include <algorithm>

namespace ns3::edgepipe
{

/**
 * Gives every device the same number of layers, devices in their order.
 *
 * There are as many stages as devices, or as layers if those are fewer. If the layers do not divide
 * evenly, the first stages hold one more. Costs and memory are ignored: a plan that does not fit is
 * refused. Takes O(devices) time.
 */
class EvenPipelinePlanner : public Named<EvenPipelinePlanner, PipelinePlanner>
{
  public:
    static constexpr const char* NAME = "even"; //!< for users

    bool UsesSharedMedium() const override
    {
        return false;
    }

  private:
    PipelinePlan DoPlan(const PipelineProblem& problem,
                        [[maybe_unused]] const PipelineCostModel& costModel) override
    {
        std::size_t layers = problem.layers.size();
        std::size_t stages = std::min(problem.devices.size(), layers);
        PipelinePlan plan;
        std::size_t first = 0;
        for (std::size_t i = 0; i < stages; ++i)
        {
            std::size_t size = layers / stages + (i < layers % stages ? 1 : 0);
            plan.stages.push_back({i, first, first + size - 1});
            first += size;
        }
        return plan;
    }
};

NS_OBJECT_ENSURE_REGISTERED(EvenPipelinePlanner);

} // namespace ns3::edgepipe
