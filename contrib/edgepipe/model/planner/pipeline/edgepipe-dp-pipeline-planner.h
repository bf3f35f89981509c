/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DP_PIPELINE_PLANNER_H
#define EDGEPIPE_DP_PIPELINE_PLANNER_H

#include "edgepipe-pipeline-planner.h"

namespace ns3
{
namespace edgepipe
{

/**
 * Balances the stages on a device of mean speed, then gives them to the devices in order.
 *
 * This is the "DP" that pipeline training papers compare with. Let t(l, d) be the forward and
 * backward seconds of layer l on device d and t(d) their sum over the layers. Device d runs the
 * model at speed 1 / t(d), so a layer weighs w(l) = sum over d of t(l, d) / t(d), up to a factor
 * that does not change the balance. With W(i, j) the weight of layers i to j - 1 and r counting
 * stages,
 *
 *     best(0, 0) = 0,   best(r + 1, j) = min over i < j of max(best(r, i), W(i, j)),
 *
 * where layers i to j - 1 must fit the memory of device r, which stage r gets. The answer is the
 * least best(r, L) over r up to the number of devices; ties go to fewer stages, then to the
 * later cut. Transfers are not looked at, nor how devices differ: those are what the baseline
 * lacks. Takes O(devices * layers^2) time and O(devices * layers) memory.
 *
 * With Variant "transfer-aware", which is ours, it knows both: devices stand by speed, the fastest
 * first, W(i, j) is the forward and backward seconds of the layers on device r, and a stage counts
 * as no shorter than the transfer of what it is sent, forward and backward, at the rates of device
 * r and the one before it.
 */
class DpPipelinePlanner : public PipelinePlanner
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

    std::string m_variant; //!< as-read or transfer-aware
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_DP_PIPELINE_PLANNER_H */
