/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_STAGED_WALK_H
#define EDGEPIPE_STAGED_WALK_H

#include "ns3/edgepipe-cut-walk.h"
#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-scales.h"
#include "ns3/edgepipe-stage-fit.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** A plan that is made step by step: cut first, then placed. */
struct StagedState
{
    PipelineDivision division; //!< stages
    std::size_t first{0};      //!< first layer of the next stage
    std::size_t layer{0};      //!< decided on while cutting
    PipelinePlan plan;         //!< stages placed so far
    std::vector<bool> isTaken; //!< by device
};

/**
 * The decisions that SDQN and GRDQN take (DGPAS, section 3), for learners of other kinds: after
 * every layer but the last whether the stage ends there, then for every stage which free device it
 * gets. Actions that would leave memory or devices short are not allowed (StageFit).
 *
 * States hold more than the paper's, so that a policy that looks at one state at a time can tell
 * how far it has come: how large the stage is already, how much is left, and for whom. With
 * isPapers they are the paper's: SDQN's eight figures, and GRDQN's.
 */
class StagedWalk
{
  public:
    /// Actions while cutting.
    enum CutAction
    {
        SPLIT,   //!< the stage ends after this layer
        CONTINUE //!< the next layer joins it
    };

    /**
     * @param costModel the cost model of a problem for which CanGrowPlans holds; must outlive
     *        this object
     * @param isPapers whether states are described as the paper does
     */
    explicit StagedWalk(const PipelineCostModel& costModel, bool isPapers = false);

    /** @return figures of a state while cutting */
    std::size_t CountCutFigures() const;

    /** @return figures of a state while placing */
    std::size_t CountPlaceFigures() const;

    /** @return a plan of which nothing is decided */
    StagedState Begin() const;

    /**
     * @param state a plan in the making
     * @return whether the next decision is about a cut
     */
    bool IsCutting(const StagedState& state) const;

    /**
     * @param state a plan in the making
     * @return whether every stage has a device
     */
    bool IsFinished(const StagedState& state) const;

    /**
     * @param state a plan that is not finished
     * @return what is allowed: by CutAction, or by device; never nothing
     */
    std::vector<bool> FindAllowed(const StagedState& state) const;

    /**
     * @param state a plan that is not finished
     * @param figures what they are appended to
     */
    void Describe(const StagedState& state, std::vector<float>& figures) const;

    /**
     * @param state a plan that is not finished; moved on
     * @param action an allowed one
     */
    void Take(StagedState& state, std::size_t action) const;

    /** @return figures of the problem */
    const PipelineScales& GetScales() const;

    /** @return how many devices there are */
    std::size_t CountDevices() const;

    /** @return how many layers there are */
    std::size_t CountLayers() const;

  private:
    /**
     * @param stage of a division
     * @return bytes that it needs
     */
    uint64_t GetBytes(const std::pair<std::size_t, std::size_t>& stage) const;

    const PipelineCostModel& m_costModel; //!< the cost model
    bool m_isPapers;                      //!< whether states are the paper's
    PipelineScales m_scales;              //!< of the problem
    StageFit m_fit;                       //!< of the problem
    CutWalk m_cuts;                       //!< what may be cut where
    std::vector<float> m_layers;          //!< figures of the layers
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_STAGED_WALK_H */
