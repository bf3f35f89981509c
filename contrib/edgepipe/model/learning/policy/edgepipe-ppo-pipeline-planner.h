/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PPO_PIPELINE_PLANNER_H
#define EDGEPIPE_PPO_PIPELINE_PLANNER_H

#include "ns3/edgepipe-policy-pipeline-planner.h"

namespace ns3
{
namespace edgepipe
{

/**
 * Proximal policy optimisation (J. Schulman et al., "Proximal policy optimization algorithms",
 * arXiv:1707.06347, 2017), one of the planners that DGPAS compares itself with: several gradient
 * steps per batch of plans, with the loss clipped so that the policy does not move far from the one
 * that drew them. Decisions and reward are PolicyPipelinePlanner's.
 */
class PpoPipelinePlanner : public PolicyPipelinePlanner
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

    double m_clip;     //!< furthest that a ratio may move from 1
    uint32_t m_epochs; //!< gradient steps per batch
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PPO_PIPELINE_PLANNER_H */
