/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_STAGE_FIT_H
#define EDGEPIPE_STAGE_FIT_H

#include "ns3/edgepipe-pipeline-cost-model.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/**
 * The masks that keep growing plans within the devices' memory.
 *
 * A partial plan can be completed if the free devices, in order of decreasing memory and each
 * filled with as many of the remaining layers as fit, hold all layers. A planner that takes only
 * steps after which this still holds always has such a step, the rule's own, and ends with a plan
 * that fits. The rule is sufficient, not necessary.
 *
 * Setting up takes O(devices * layers) time.
 */
class StageFit
{
  public:
    /** @param costModel the cost model of a valid problem; must outlive this object */
    explicit StageFit(const PipelineCostModel& costModel);

    /**
     * @param first first layer of a stage; may be one past the model's last
     * @param device device for it
     * @return one past the last layer that still fits; first when none does
     */
    std::size_t FindEnd(std::size_t first, std::size_t device) const;

    /**
     * @param first first layer that no stage holds yet; may be one past the last
     * @param isTaken which devices hold a stage
     * @return whether the rule places all layers
     */
    bool CanComplete(std::size_t first, const std::vector<bool>& isTaken) const;

    /**
     * @param first first layer of a stage
     * @param device free device for it
     * @param isTaken which devices hold a stage
     * @return the least and the largest end, one past the last layer, that fits the device and lets
     *         the plan be completed; first twice if there is none
     */
    std::pair<std::size_t, std::size_t> FindEnds(std::size_t first,
                                                 std::size_t device,
                                                 std::vector<bool> isTaken) const;

    /**
     * @param device device for a stage
     * @param bytes memory that the stage needs
     * @param rest bytes of the stages placed after it
     * @param isTaken which devices hold a stage
     * @return whether the device is free, holds the stage, and leaves a device for each of the rest
     */
    bool MayPlace(std::size_t device,
                  uint64_t bytes,
                  std::vector<uint64_t> rest,
                  const std::vector<bool>& isTaken) const;

    /** @return the devices' indices, the one with the most memory first */
    const std::vector<std::size_t>& GetLargestFirst() const
    {
        return m_largestFirst;
    }

  private:
    const PipelineCostModel& m_costModel;    //!< the cost model
    std::vector<std::size_t> m_largestFirst; //!< devices by memory
    std::vector<std::size_t> m_ends;         //!< by device and first layer, see FindEnd
};

/**
 * @param costModel the cost model of a problem
 * @return whether plans can be grown within the masks of StageFit
 */
bool CanGrowPlans(const PipelineCostModel& costModel);

/**
 * Fallback of learning planners if they cannot grow a plan.
 *
 * @param costModel the cost model of a problem
 * @return a plan that fits
 * @throws InputError when there is none, or the search would take too long
 */
PipelinePlan FindAnyPlan(const PipelineCostModel& costModel);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_STAGE_FIT_H */
