/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_QDMP_PLANNER_H
#define EDGEPIPE_QDMP_PLANNER_H

#include "edgepipe-two-way-cut-planner.h"

namespace ns3
{
namespace edgepipe
{

/**
 * The partition of least latency, found block by block: the quick deep model partitioning of
 * S. Zhang et al. (see TwoWayCutProblem), section 4.
 *
 * How the blocks are solved is said at FindBestCut. Costs are those in context, and uploading the
 * input is a cost like any other, so the answer is the best closed partition of all. It also plans
 * every bandwidth at once.
 */
class QdmpPlanner : public TwoWayCutPlanner
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string GetName() const override;

  private:
    TwoWayCutPlan DoPlan(const TwoWayCutProblem& problem) override;
    std::unique_ptr<TwoWayCutEnvelope> DoPlanEveryBandwidth(
        const TwoWayCutProblem& problem) override;
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_QDMP_PLANNER_H */
