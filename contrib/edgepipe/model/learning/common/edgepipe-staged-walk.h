/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_STAGED_WALK_H
#define EDGEPIPE_STAGED_WALK_H

#include "edgepipe-pipeline-scales.h"
#include "edgepipe-stage-fit.h"

#include "ns3/edgepipe-pipeline-box-search.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace ns3::edgepipe
{

/** Where a walk over the layers is: layers first to layer are in a stage that has not ended. */
struct CutState
{
    std::size_t stage; //!< index of the stage
    std::size_t first; //!< its first layer
    std::size_t layer; //!< decided on; never the model's last
};

/** A plan in the making that is cut first, then placed. While placing, stage is the next one. */
struct StagedPlan : CutState
{
    PipelineDivision division; //!< stages cut so far
    PipelinePlan plan;         //!< stages placed so far
    std::vector<bool> isTaken; //!< by device
};

/**
 * The decisions that SDQN and GRDQN take (DGPAS, section 3 and algorithm 1): after every layer but
 * the last whether the stage ends there, then for every stage which free device it gets.
 *
 * Stages are cut before any has a device, so stage r must fit the device with the r-th most memory,
 * and the layers that are left must fit the devices after it, each given as many as fit (StageFit).
 * Then the stages can be placed, and only actions that leave the others a device are allowed.
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
     * @return one past the last layer that memory lets it hold
     */
    std::size_t FindEnd(std::size_t stage, std::size_t first) const;

    /**
     * @param state of a walk over the layers
     * @return whether memory leaves both actions
     */
    bool HasChoice(const CutState& state) const;

    /** @return a plan of which nothing is decided */
    StagedPlan Begin() const;

    /**
     * @param state a plan in the making
     * @return whether the next decision is about a cut
     */
    bool IsCutting(const StagedPlan& state) const;

    /**
     * @param state a plan in the making
     * @return whether every stage has a device
     */
    bool IsFinished(const StagedPlan& state) const;

    /**
     * @param state a plan that is not finished
     * @return what is allowed, ascending: CutActions, or devices; never nothing
     */
    std::vector<std::size_t> FindAllowed(const StagedPlan& state) const;

    /**
     * Appends the state as the paper describes it: SDQN's figures of the layer, or every device's
     * figures (PipelineScales) and the stage's W and memory, over the model's and the largest of
     * any device.
     *
     * @param state a plan that is not finished
     * @param figures what they are appended to
     */
    void Describe(const StagedPlan& state, std::vector<float>& figures) const;

    /**
     * @param layer a layer
     * @param figures what SDQN's figures of it are appended to
     */
    void DescribeLayer(std::size_t layer, std::vector<float>& figures) const;

    /**
     * @param state a plan that is not finished; moved on
     * @param action an allowed one
     */
    void Take(StagedPlan& state, std::size_t action) const;

    /**
     * @param splits says whether a stage ends, asked wherever it may either way
     * @return the stages
     */
    PipelineDivision Cut(const std::function<bool(const CutState&)>& splits) const;

    /**
     * @param division stages that Cut may return
     * @return them placed by a rule: the heaviest on the fastest device that lets the rest be
     *         placed
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
    PipelineScales m_scales;              //!< of the problem
    StageFit m_fit;                       //!< of the problem
    std::size_t m_layers;                 //!< how many
    std::vector<float> m_figures;         //!< of the layers
    /// By stage and first layer: whether memory is enough from it on.
    std::vector<std::vector<bool>> m_completes;
};

/**
 * @param division stages that cover every layer
 * @param visit told every decision that led to them, and whether a stage ended there
 */
void ForEachCut(const PipelineDivision& division,
                const std::function<void(const CutState&, bool)>& visit);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_STAGED_WALK_H */
