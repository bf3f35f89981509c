/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_NEUROSURGEON_PLANNER_H
#define EDGEPIPE_NEUROSURGEON_PLANNER_H

#include "edgepipe-two-way-cut-planner.h"

#include <string>

namespace ns3
{
namespace edgepipe
{

/**
 * One cut of the layers in their order, as Y. Kang et al., "Neurosurgeon: collaborative
 * intelligence between the cloud and mobile edge", ASPLOS 2017, cut a chain.
 *
 * It tries every place between two neighbours of the topological order, before the first layer
 * and after the last among them, and believes predicted times, or what its attribute
 * Belief says; a problem without such counts with the times of layers run alone, or in context.
 * Of throughput it takes the cut whose longest part is the shortest, which is ours.
 * Every tensor alive across the cut crosses it once. Takes time linear in layers and inputs.
 */
class NeurosurgeonPlanner : public TwoWayCutPlanner
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string GetName() const override;
    bool CanPlanFor(TwoWayCutObjective objective) const override;

  private:
    TwoWayCutPlan DoPlan(const TwoWayCutProblem& problem) override;

    std::string m_belief; //!< see TwoWayCutBeliefs
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_NEUROSURGEON_PLANNER_H */
