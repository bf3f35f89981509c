/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_EVEN_PIPELINE_PLANNER_H
#define EDGEPIPE_EVEN_PIPELINE_PLANNER_H

#include "edgepipe-pipeline-planner.h"

namespace ns3
{
namespace edgepipe
{

/**
 * Gives every device the same number of layers, devices in their order.
 *
 * There are as many stages as devices, or as layers where those are fewer. Where the layers do
 * not divide evenly the first stages hold one more. Costs and memory are not looked at: a plan
 * that does not fit is refused. Takes O(devices) time.
 */
class EvenPipelinePlanner : public PipelinePlanner
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string GetName() const override;

  private:
    PipelinePlan DoPlan(const PipelineProblem& problem,
                        const PipelineCostModel& costModel) override;
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_EVEN_PIPELINE_PLANNER_H */
