/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_STAGE_FIT_H
#define EDGEPIPE_STAGE_FIT_H

#include "edgepipe-pipeline-scales.h"

#include "ns3/edgepipe-division-placement.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * What keeps plans that grow stage by stage within the devices' memory.
 *
 * A plan in the making can be completed when giving every free device, the one with the most
 * memory first, as many of the layers left as fit leaves no layer over. Whoever only takes steps
 * after which that still holds always has such a step, the one this rule itself would take, and
 * ends with a plan that fits. The rule is sufficient, not necessary.
 */
class StageFit
{
  public:
    /** @param costModel the cost model of a valid problem; must outlive this object */
    explicit StageFit(const PipelineCostModel& costModel);

    /**
     * @param first first layer of a stage
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
     * @param bytes that the next stage needs
     * @param rest bytes that the stages after it need
     * @param isTaken which devices hold a stage
     * @return by device, whether the next stage may go there and the rest still be placed
     */
    std::vector<bool> FindPlaces(uint64_t bytes,
                                 const std::vector<uint64_t>& rest,
                                 std::vector<bool> isTaken) const;

    /**
     * @param division stages that can be placed
     * @param scales of the problem
     * @return them placed by a rule: the heaviest on the fastest device that lets the rest be
     * placed
     */
    PipelinePlan PlaceByRule(const PipelineDivision& division, const PipelineScales& scales) const;

    /** @return the devices' indices, the one with the most memory first */
    const std::vector<std::size_t>& GetLargestFirst() const;

    /**
     * @param bytes that stages need
     * @param isTaken which devices are not to be had
     * @return whether each stage can have a device of its own
     */
    bool CanPlace(std::vector<uint64_t> bytes, const std::vector<bool>& isTaken) const;

  private:
    const PipelineCostModel& m_costModel;    //!< the cost model
    std::vector<std::size_t> m_largestFirst; //!< devices by memory
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_STAGE_FIT_H */
