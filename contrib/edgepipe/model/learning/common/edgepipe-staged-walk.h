/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_STAGED_WALK_H
#define EDGEPIPE_STAGED_WALK_H

#include "edgepipe-pipeline-scales.h"
#include "edgepipe-stage-fit.h"

#include "ns3/edgepipe-pipeline-search.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace ns3::edgepipe
{

/** Position of a walk over the layers: layers first to layer are in the open stage. */
struct CutState
{
    std::size_t stage; //!< index of the stage
    std::size_t first; //!< its first layer
    std::size_t layer; //!< to decide on; never the model's last
};

/** A partial plan, cut first, then placed. While placing, stage is the next to place. */
struct StagedPlan : CutState
{
    PipelineDivision division; //!< stages cut so far
    PipelinePlan plan;         //!< stages placed so far
    std::vector<bool> isTaken; //!< by device
};

/**
 * The decisions of SDQN and GRDQN (DGPAS, section 3 and algorithm 1): after every layer but the
 * last, whether the stage ends there; then, for every stage, which free device it gets.
 *
 * Stages are cut before any has a device, so stage r must fit the device with the r-th most memory,
 * and the remaining layers must fit the devices after it (StageFit). The stages can then be placed;
 * actions that leave another stage without a device are not allowed.
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
     */
    explicit StagedWalk(const PipelineCostModel& costModel);

    /**
     * @param stage index of a stage
     * @param layer not the model's last
     * @return whether the stage may end there
     */
    bool MaySplit(std::size_t stage, std::size_t layer) const;

    /**
     * @param stage index of a stage
     * @param first its first layer
     * @return one past the last layer that fits in memory
     */
    std::size_t FindEnd(std::size_t stage, std::size_t first) const;

    /**
     * @param state of a walk over the layers
     * @return whether memory allows both actions
     */
    bool HasChoice(const CutState& state) const;

    /** @return a plan with nothing decided */
    StagedPlan Begin() const;

    /**
     * @param state a partial plan
     * @return whether the next decision is about a cut
     */
    bool IsCutting(const StagedPlan& state) const;

    /**
     * @param state a partial plan
     * @return whether every stage has a device
     */
    bool IsFinished(const StagedPlan& state) const;

    /**
     * @param state a plan that is not finished
     * @return allowed CutActions or devices, ascending; never empty
     */
    std::vector<std::size_t> FindAllowed(const StagedPlan& state) const;

    /**
     * Appends the state as in the paper: SDQN's figures of the layer, or every device's figures
     * (PipelineScales) with the stage's W and memory, relative to the model's W and the largest
     * device.
     *
     * @param state a plan that is not finished
     * @param figures appended to
     */
    void Describe(const StagedPlan& state, std::vector<float>& figures) const;

    /**
     * @param layer a layer
     * @param figures extended by SDQN's figures of it
     */
    void DescribeLayer(std::size_t layer, std::vector<float>& figures) const;

    /**
     * @param state a plan that is not finished; advanced
     * @param action an allowed one
     */
    void TakeAction(StagedPlan& state, std::size_t action) const;

    /**
     * @param splits decides whether a stage ends, where memory allows both
     * @return the stages
     */
    PipelineDivision Cut(const std::function<bool(const CutState&)>& splits) const;

    /**
     * @param division stages that Cut may return
     * @return the stages placed by a rule: the heaviest first, each on the fastest device that lets
     *         the rest be placed
     */
    PipelinePlan PlaceByRule(const PipelineDivision& division) const;

    /** @return figures of the problem */
    const PipelineScales& GetScales() const
    {
        return m_scales;
    }

    /** @return the largest memory of any device, bytes */
    uint64_t GetLargestMemory() const;

  private:
    const PipelineCostModel& m_costModel; //!< the cost model
    PipelineScales m_scales;              //!< scales of the problem
    StageFit m_fit;                       //!< masks of the problem
    std::size_t m_layers;                 //!< number of layers
    std::vector<float> m_figures;         //!< of the layers
    /// By stage and first layer: whether memory suffices from there on.
    std::vector<std::vector<bool>> m_completes;
};

/**
 * @param division stages that cover every layer
 * @param visit called with every decision that led to them, and whether the stage ended
 */
void ForEachCut(const PipelineDivision& division,
                const std::function<void(const CutState&, bool)>& visit);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_STAGED_WALK_H */
