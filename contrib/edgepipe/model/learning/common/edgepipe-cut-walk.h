/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_CUT_WALK_H
#define EDGEPIPE_CUT_WALK_H

#include "ns3/edgepipe-division-placement.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** Where a walk over the layers is: layers first to layer are in a stage that has not ended. */
struct CutState
{
    std::size_t stage; //!< index of the stage
    std::size_t first; //!< its first layer
    std::size_t layer; //!< decided on; never the model's last
};

/** What was decided in a state. */
struct CutStep
{
    CutState state;   //!< where
    bool maySplit;    //!< whether the stage could end there
    bool mayContinue; //!< whether the next layer could join it
    bool isSplit;     //!< whether it ended there
};

/**
 * A walk over the layers that decides after each but the last whether the stage ends there, as
 * SDQN does (DGPAS, algorithm 1), within what memory and the number of devices allow where stages
 * are cut before any has a device: stage r must fit the device with the r-th most memory, and the
 * layers that are left must fit the devices after it, each given as many as fit. Then the stages
 * can be placed.
 *
 * Setting up takes O(devices * layers) time, every question O(1).
 */
class CutWalk
{
  public:
    /** @param costModel the cost model of a problem for which CanGrowPlans holds */
    explicit CutWalk(const PipelineCostModel& costModel);

    /** @return how many layers there are */
    std::size_t CountLayers() const;

    /** @return how many stages there may be */
    std::size_t CountStages() const;

    /**
     * @param stage index of a stage
     * @param layer not the model's last
     * @return whether the stage may end there
     */
    bool MaySplit(std::size_t stage, std::size_t layer) const;

    /**
     * @param stage index of a stage
     * @param first its first layer
     * @return one past the last layer that memory lets it hold
     */
    std::size_t FindEnd(std::size_t stage, std::size_t first) const;

    /**
     * @param splits says whether a stage ends, asked wherever it may either way
     * @param steps set to what was decided, a step for every layer but the last; may be null
     * @return the stages
     */
    PipelineDivision Walk(const std::function<bool(const CutState&)>& splits,
                          std::vector<CutStep>* steps = nullptr) const;

  private:
    std::size_t m_layers;            //!< how many
    std::vector<std::size_t> m_ends; //!< by stage and first layer
    std::vector<bool>
        m_completes; //!< by stage and first layer: whether memory is enough from it on
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_CUT_WALK_H */
