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
    double sum{0};             //!< of f + b + c + c' over the stages, seconds
    double forward{0};         //!< max(f, c), seconds
    double backward{0};        //!< max(b, c'), seconds
    double promise{0};         //!< of the finished plan's iteration time, seconds
};

/**
 * Grows plans stage by stage and tells what a plan in the making promises.
 *
 * The promise is an estimate of the finished plan's iteration time: equation (1) of
 * PipelineCostModel, where the layers left count as one mass whose seconds and bytes are spread
 * evenly. In the sum the fastest free devices run as much of it as their memory holds. In the two
 * maxima all free devices share it in proportion to their speed, but none more than its memory
 * holds. Transfers to come are left out; those behind the last stage so far count as if the next
 * device were no slower than this one's links. Of a finished plan it is the iteration time.
 */
class PartialPlanner
{
  public:
    /** Figures that describe a plan in the making, see Describe. */
    static constexpr std::size_t FEATURES = 26;

    /** @param costModel the cost model of a valid problem; must outlive this object */
    explicit PartialPlanner(const PipelineCostModel& costModel);

    /** @return a plan without a stage */
    PartialPlan Begin() const;

    /**
     * @param partial a plan in the making
     * @param device that is free
     * @param end one past the last layer of the new stage
     * @return the plan with that stage
     */
    PartialPlan Extend(const PartialPlan& partial, std::size_t device, std::size_t end) const;

    /**
     * @param partial a plan, finished or not
     * @return whether every layer has a stage
     */
    bool IsFinished(const PartialPlan& partial) const;

    /**
     * Appends FEATURES figures, most of them between 0 and 1.
     *
     * @param partial a plan in the making
     * @param features what they are appended to
     */
    void Describe(const PartialPlan& partial, std::vector<float>& features) const;

    /**
     * @param partial a plan in the making
     * @return the devices that may hold the next stage, one of each class of devices that agree
     *         in type, memory and rates; never empty for plans that grew by what this and FindEnds
     * say
     */
    std::vector<std::size_t> FindDevices(const PartialPlan& partial) const;

    /**
     * @param partial a plan in the making
     * @param device that may be taken
     * @return the first free device that agrees with it in type, memory and rates
     */
    std::size_t FindAlike(const PartialPlan& partial, std::size_t device) const;

    /**
     * @param plan any plan that fits
     * @return whether it can be made by steps that FindDevices and FindEnds allow
     */
    bool CanGrow(const PipelinePlan& plan) const;

    /**
     * @param partial a plan in the making
     * @param device one of FindDevices
     * @param most how many to return at most, at least 1
     * @return where the next stage may end, one past its last layer, ascending: of as many spans
     *         of about equal work as asked for, the least cut of each
     */
    std::vector<std::size_t> FindEnds(const PartialPlan& partial,
                                      std::size_t device,
                                      std::size_t most) const;

    /** @return figures of the problem */
    const PipelineScales& GetScales() const
    {
        return m_scales;
    }

  private:
    /** Seconds that the layers left would take. */
    struct Rest
    {
        double sum{0};      //!< added up, on the fastest devices
        double forward{0};  //!< at most on any device, forward
        double backward{0}; //!< the same, backward
    };

    /**
     * @param partial a plan in the making
     * @return what is left
     */
    Rest EstimateRest(const PartialPlan& partial) const;

    /**
     * @param partial a plan, finished or not
     * @return the promise, seconds
     */
    double PromiseSeconds(const PartialPlan& partial) const;

    const PipelineCostModel& m_costModel; //!< the cost model
    PipelineScales m_scales;              //!< of the problem
    StageFit m_fit;                       //!< of the problem
    std::vector<std::size_t> m_classOf;   //!< by device: lowest index in its class
    std::vector<std::size_t> m_classes;   //!< lowest indices, the fastest class first
    double m_totalMemory{0};              //!< of the devices, bytes
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PARTIAL_PLAN_H */
