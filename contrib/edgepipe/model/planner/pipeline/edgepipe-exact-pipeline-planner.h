/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_EXACT_PIPELINE_PLANNER_H
#define EDGEPIPE_EXACT_PIPELINE_PLANNER_H

#include "edgepipe-pipeline-planner.h"

#include <cstdint>

namespace ns3::edgepipe
{

/**
 * Finds the plan with the least iteration time of all plans that fit.
 *
 * Written with S the sum over stages and transfers, F = max(f, c) and B = max(b, c'), the time
 * of a plan is T = S + (M - 1)(F + B) (PipelineCostModel). Dynamic programming minimises S under
 * any bounds on F and B (BoundedPipelineSearch). Branch and bound then searches the (F, B) plane:
 *
 * - A box holds the plans with x0 <= F < x1 and y0 <= B < y1. The least S under F < x1 and
 *   B < y1 gives both a plan, which may become the best one, and a lower bound for the box,
 *   S + (M - 1)(x0 + y0). A box whose bound reaches the best plan's time is dropped.
 * - Let (F', B') belong to the plan found. No plan of the box with F >= F' and B >= B'
 *   beats it, since none has a smaller S. The rest of the box is cut, across the wider of the
 *   gaps F' - x0 and B' - y0, into the half next to x0 and the parts below F' and below B'.
 *   Every part excludes the plan, so the search ends.
 * - Boxes are taken in the order of their bounds. Only plans with F + B below (best - S) / (M - 1)
 *   can improve, and max(f + b) <= F + B, which bounds the searches further.
 *
 * Where transfers share one medium, T also depends on the sums of all c and c'. The plan above then
 * bounds a second search (SearchGroups, single devices), and its time without sharing is a lower
 * bound. Of more than 96 cuts, or 2000 ends of plans for a cut, the second search leaves some out.
 *
 * With M = 1 a single search is enough. Ties, which are times that agree to within 1e-12 of the
 * time per stage, go to fewer stages; stages take the lowest device indices of their class. The
 * plan found is thus optimal to within rounding, 1e-11 of its time.
 *
 * One search costs O(L (K log L + R^2) U) steps for L layers, K classes of devices that agree in
 * type, memory, rates and delay, n_k devices in class k, R link groups, and U = prod(n_k + 1). U is
 * small when many devices are alike (78 for 2, 1 and 12 devices) and 2^D when no two of D devices
 * are. The number of searches depends on the costs: tens to some hundreds in practice. MaxSteps
 * limits the steps: the plan is then the best found, and GetLowerBoundSeconds bounds its distance
 * from the optimum. A problem is refused if MaxSteps allows fewer than ten searches or the table
 * exceeds 2 GiB.
 */
class ExactPipelinePlanner : public Named<ExactPipelinePlanner, PipelinePlanner>
{
  public:
    static constexpr const char* TYPE =
        "ns3::edgepipe::ExactPipelinePlanner";   //!< name of its TypeId
    static constexpr const char* NAME = "exact"; //!< for users

    /// @copydoc Named::AddAttributes
    static TypeId AddAttributes(TypeId tid);

    double GetLowerBoundSeconds() const override
    {
        return m_lowerBound;
    }

    /** @return how many searches the last Plan took */
    uint64_t GetSearches() const
    {
        return m_searches;
    }

  private:
    PipelinePlan DoPlan(const PipelineProblem& problem,
                        const PipelineCostModel& costModel) override;

    uint64_t m_maxSteps;    //!< steps after which planning ends
    uint64_t m_searches{0}; //!< searches of the last Plan
    double m_lowerBound{0}; //!< no plan of the last Plan's problem takes less, seconds
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_EXACT_PIPELINE_PLANNER_H */
