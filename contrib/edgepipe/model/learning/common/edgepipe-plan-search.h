/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PLAN_SEARCH_H
#define EDGEPIPE_PLAN_SEARCH_H

#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/random-variable-stream.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * Improves a plan by small changes, taking every change that makes it faster.
 *
 * Changes, in this order: a cut, or several cuts in a row, move by 1, 2, 4, ... layers in either
 * direction; two stages
 * change devices; two neighbours change devices and the cut moves so that each device keeps about
 * its work; a stage moves to a free device; two neighbouring stages become one; a stage is
 * split in the middle of its work, either half going to a free device. Of devices that agree in
 * type and memory only the first free one is tried. When a round brings nothing, the best plan is
 * kicked, a stage changing places with one to three neighbours in a row, and improved again
 * (iterated local search, H. Lourenco et al., 2003), until the evaluations are spent. Kicks are
 * drawn from a stream of their own, which begins alike every time.
 */
class PlanSearch
{
  public:
    /**
     * @param costModel the cost model; must outlive this object
     * @param evaluations how many plans may be tried
     */
    PlanSearch(const PipelineCostModel& costModel, uint64_t evaluations);

    /**
     * @param plan a plan that CheckPlan accepts; replaced by one that is as fast or faster
     * @param seconds its iteration time, replaced likewise
     */
    void Improve(PipelinePlan& plan, double& seconds);

    /** @return how many plans were tried */
    uint64_t GetEvaluations() const;

  private:
    /**
     * Tries m_trial, and takes it if it is faster.
     * @return whether it was taken
     */
    bool Try();

    /** Improves m_plan until a round brings nothing. */
    void Descend();

    /** Makes m_plan another plan that fits, if one is found. */
    void Kick();

    /** @return whether m_trial fits the devices' memory */
    bool Fits() const;

    /**
     * Lets two neighbours in m_trial change places.
     * @param r the first of them
     */
    void Exchange(std::size_t r);

    /** @return whether a cut was moved to advantage */
    bool MoveCuts();

    /** @return whether devices were changed to advantage */
    bool ChangeDevices();

    /** @return whether stages were joined or split to advantage */
    bool ChangeCount();

    const PipelineCostModel& m_costModel; //!< the cost model
    uint64_t m_left;                      //!< plans that may still be tried
    uint64_t m_tried{0};                  //!< plans that were
    PipelinePlan m_plan;                  //!< the best so far
    double m_seconds{0};                  //!< its iteration time
    PipelinePlan m_trial;                 //!< what is tried
    Ptr<UniformRandomVariable> m_random;  //!< where kicks come from
};

/**
 * @param problem a problem
 * @param plan for it
 * @return of the devices without a stage the first of those that agree in type and memory
 */
std::vector<std::size_t> FindFreeDevices(const PipelineProblem& problem, const PipelinePlan& plan);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PLAN_SEARCH_H */
