/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_EXACT_CUT_PLANNER_H
#define EDGEPIPE_EXACT_CUT_PLANNER_H

#include "edgepipe-two-way-cut-planner.h"

#include <cstdint>

namespace ns3
{
namespace edgepipe
{

/**
 * The best of all closed partitions by either objective: that of least latency as QdmpPlanner finds
 * it, and that of most throughput by PipelinedCut. Costs are those in context. A yardstick of ours.
 */
class ExactCutPlanner : public TwoWayCutPlanner
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

    uint64_t m_mostSteps; //!< of the search
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_EXACT_CUT_PLANNER_H */
