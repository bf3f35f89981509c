/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PARTIAL_PLAN_H
#define EDGEPIPE_PARTIAL_PLAN_H

#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-scales.h"
#include "ns3/edgepipe-stage-fit.h"

#include <cstddef>
#include <vector>

namespace ns3::edgepipe
{

/** A plan whose last stages are still missing. */
struct PartialPlan
{
    PipelinePlan plan;         //!< the stages so far
    std::vector<bool> isTaken; //!< by device
    std::size_t next{0};       //!< first layer that no stage holds
    double sum{0};             //!< of f + b + c + c' + 2 d over the stages, seconds
    PassSeconds slowest{};     //!< max(f, c) and max(b, c')
    double reduce{0};          //!< to sum the gradients of the first stage, seconds
    double promise{0};         //!< estimated iteration time of the finished plan, seconds
};

/**
 * Grows plans stage by stage and estimates the iteration time a partial plan will lead to.
 *
 * This estimate, the promise, is equation (1) of PipelineCostModel with the remaining layers as one
 * mass whose seconds and bytes are spread evenly. In the sum, the fastest free devices run as much
 * of it as their memory holds. In the two maxima, all free devices share it in proportion to their
 * speed, up to their memory. Future transfers are left out; that after the last stage so far takes
 * its least time, as if the next device's links were no bottleneck. The promise of a finished plan
 * is its iteration time.
 *
 * With groups, a stage may also take devices beside the one chosen for it: 1, 2, 4, 7, 11, ...
 * further ones or all that are free, those of its class first and then those nearest in speed, with
 * shares by ShareStage. Of sums of gradients only that of the first stage counts. The masks then
 * also accept rests that all free devices together hold as one stage.
 */
class PartialPlanner
{
  public:
    /** Number of features of a partial plan, see Describe. */
    static constexpr std::size_t FEATURES = 26;

    /**
     * @param costModel the cost model of a valid problem; must outlive this object
     * @param takesGroups whether stages may be put on groups of devices, if the problem takes them
     */
    explicit PartialPlanner(const PipelineCostModel& costModel, bool takesGroups = false);

    /** @return a plan without stages */
    PartialPlan Begin() const;

    /**
     * @param partial a partial plan
     * @param device a free device
     * @param end one past the last layer of the new stage
     * @return the plan with that stage
     */
    PartialPlan Extend(const PartialPlan& partial, std::size_t device, std::size_t end) const
    {
        return Extend(partial, {device, partial.next, end - 1});
    }

    /**
     * @param partial a partial plan
     * @param stage the next stage, on free devices
     * @return the plan with that stage
     */
    PartialPlan Extend(const PartialPlan& partial, const PipelineStage& stage) const;

    /**
     * @param partial a plan, finished or not
     * @return whether every layer has a stage
     */
    bool IsFinished(const PartialPlan& partial) const;

    /**
     * Appends FEATURES figures, most of them between 0 and 1.
     *
     * @param partial a partial plan
     * @param features appended to
     */
    void Describe(const PartialPlan& partial, std::vector<float>& features) const;

    /**
     * @param partial a partial plan
     * @return devices that may hold the next stage, one per class (PipelineCostModel::FindClasses);
     *         never empty for plans grown by FindDevices and FindStages
     */
    std::vector<std::size_t> FindDevices(const PartialPlan& partial) const;

    /**
     * @param isTaken by device
     * @param device a device, free or taken
     * @return the first free device of its class
     */
    std::size_t FindAlike(const std::vector<bool>& isTaken, std::size_t device) const;

    /**
     * @param partial a partial plan
     * @param stage the next stage of another plan with as many devices of each class
     * @return the stage on free devices of the same classes
     */
    PipelineStage FindAlike(const PartialPlan& partial, const PipelineStage& stage) const;

    /**
     * @param plan any plan that fits
     * @return whether the masks allow growing it
     */
    bool CanGrow(const PipelinePlan& plan) const;

    /**
     * @param partial a partial plan
     * @param device one of FindDevices
     * @param most largest number of ends, at least 1
     * @return ends of the next stage, one past its last layer, ascending: the smallest cut in each
     *         of `most` spans of about equal work
     */
    std::vector<std::size_t> FindEnds(const PartialPlan& partial,
                                      std::size_t device,
                                      std::size_t most) const;

    /**
     * @param partial a partial plan
     * @param device one of FindDevices
     * @param most as FindEnds, for each group
     * @return the next stages to choose from: on the device alone up to each of FindEnds, then on
     *         groups
     */
    std::vector<PipelineStage> FindStages(const PartialPlan& partial,
                                          std::size_t device,
                                          std::size_t most) const;

    /** @return whether plans can be grown within the masks */
    bool CanGrowPlans() const
    {
        return CanComplete(0, std::vector<bool>(m_classOf.size(), false));
    }

    /** @return figures of the problem */
    const PipelineScales& GetScales() const
    {
        return m_scales;
    }

  private:
    /** Estimated seconds of the remaining layers. */
    struct Rest
    {
        double sum{0};         //!< total, on the fastest devices
        PassSeconds slowest{}; //!< largest of any device
    };

    /**
     * @param partial a partial plan
     * @return the estimate
     */
    Rest EstimateRest(const PartialPlan& partial) const;

    /**
     * @param partial a plan, finished or not
     * @return the promise, seconds
     */
    double PromiseSeconds(const PartialPlan& partial) const;

    /**
     * @param stage of a plan that goes on
     * @return lower bounds of c and c' after it, seconds per micro-batch
     */
    PassSeconds FindLeastCut(const PipelineStage& stage) const;

    /**
     * @param isTaken by device
     * @param device a free device
     * @return the device and the free ones that it may share a stage with, in the order in which
     *         they join, no more than a micro-batch has samples
     */
    std::vector<std::size_t> ListPartners(const std::vector<bool>& isTaken,
                                          std::size_t device) const;

    /**
     * @param first first layer
     * @param devices for a stage
     * @return one past the last layer up to which they hold it together; first if they do not
     */
    std::size_t FindGroupEnd(std::size_t first, const std::vector<std::size_t>& devices) const;

    /**
     * @param first first layer that no stage holds
     * @param isTaken by device
     * @return whether the masks let the plan be completed
     */
    bool CanComplete(std::size_t first, const std::vector<bool>& isTaken) const;

    /**
     * @param first first layer of a stage
     * @param least its least end
     * @param largest its largest end
     * @param most how many
     * @return ends, see FindEnds
     */
    std::vector<std::size_t> PickEnds(std::size_t first,
                                      std::size_t least,
                                      std::size_t largest,
                                      std::size_t most) const;

    const PipelineCostModel& m_costModel; //!< the cost model
    bool m_takesGroups;                   //!< whether stages may be put on groups
    bool m_takesLonger;                   //!< whether plans may take more than equation (1)
    PipelineScales m_scales;              //!< scales of the problem
    StageFit m_fit;                       //!< masks of the problem
    std::vector<std::size_t> m_classOf;   //!< by device: lowest index in its class
    std::vector<std::size_t> m_classes;   //!< lowest indices, the fastest class first
    double m_totalMemory{0};              //!< of the devices, bytes
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PARTIAL_PLAN_H */
