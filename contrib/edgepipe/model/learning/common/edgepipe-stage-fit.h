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
 * A plan in the making can be completed when giving every free device, the one with the most
 * memory first, as many of the layers left as fit leaves no layer over. A planner that only takes
 * steps after which that still holds always has such a step, the one this rule itself would take,
 * and ends with a plan that fits. The rule is sufficient, not necessary.
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
     * @param device that is to hold it
     * @return one past the last layer that still fits; first when none does
     */
    std::size_t FindEnd(std::size_t first, std::size_t device) const;

    /**
     * @param first first layer that no stage holds yet; may be one past the last
     * @param isTaken which devices hold a stage
     * @return whether the rule leaves no layer over
     */
    bool CanComplete(std::size_t first, const std::vector<bool>& isTaken) const;

    /**
     * @param first first layer of a stage
     * @param device that is to hold it, and is free
     * @param isTaken which devices hold a stage
     * @return the least and the largest one-past-the-last layer that fits the device and lets the
     *         plan be completed; two times first when there is none
     */
    std::pair<std::size_t, std::size_t> FindEnds(std::size_t first,
                                                 std::size_t device,
                                                 std::vector<bool> isTaken) const;

    /**
     * @param device that is to hold a stage
     * @param bytes that the stage needs
     * @param rest bytes of the stages that are placed after it
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
 * What planners that learn fall back on where they cannot grow a plan.
 *
 * @param costModel the cost model of a problem
 * @return a plan that fits
 * @throws InputError when there is none, or finding one takes too long
 */
PipelinePlan FindAnyPlan(const PipelineCostModel& costModel);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_STAGE_FIT_H */
