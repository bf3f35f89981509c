/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PG_MPSS_PIPELINE_PLANNER_H
#define EDGEPIPE_PG_MPSS_PIPELINE_PLANNER_H

#include "ns3/edgepipe-policy-pipeline-planner.h"

namespace ns3
{
namespace edgepipe
{

/**
 * Policy gradient for model partitioning and scheduling of synchronous pipelines, one of the
 * planners that DGPAS compares itself with (Huang et al., Computer Communications 215, 2024, as
 * DGPAS, section 5.2.2, describes it): the layers' figures are encoded by a GRU that carries what
 * it has read from layer to layer, a policy is learned from that by REINFORCE with a baseline
 * (R. Williams, Machine Learning 8, 1992), and the slowest stage is relieved while devices remain.
 *
 * The original *replicates* the slowest stage, so that two devices run the same layers on
 * different samples. A PipelinePlan cannot say so, as it gives a stage one device. In its place
 * the slowest stage is *split* over a remaining device, wherever the cut and the device that help
 * most make the plan faster. That is the nearest plan that can be said, not the same: a stage of
 * one layer cannot be relieved, and a split sends the tensors of its cut, but no gradients of
 * replicated weights.
 *
 * Gradients pass through the GRU's step, not back through the steps before (as GRDQN's).
 */
class PgMpssPipelinePlanner : public PolicyPipelinePlanner
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string GetName() const override;

  private:
    Method GetMethod() const override;
    void Refine(const PipelineCostModel& costModel,
                const PipelinePlan& plan,
                PlanBudget& budget) const override;

    uint32_t m_encoderUnits; //!< of the GRU
    bool m_splitsSlowest;    //!< whether the slowest stage is split
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PG_MPSS_PIPELINE_PLANNER_H */
