/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_BATCH_SHARES_PLANNER_H
#define EDGEPIPE_BATCH_SHARES_PLANNER_H

#include "edgepipe-batch-shares-problem.h"

#include "ns3/edgepipe-planner.h"
#include "ns3/edgepipe-random-streams.h"

namespace ns3::edgepipe
{

/**
 * An algorithm that decides how many samples each worker of data-parallel training computes.
 *
 * A planner is a function from a problem to a plan: it never sees a node, a socket or the clock.
 * To add one, derive from this class in any module, register its TypeId with this class as
 * parent and a constructor, and implement GetName and DoPlan; FindByName<BatchSharesPlanner> then
 * finds it.
 */
class BatchSharesPlanner : public StatePlanner<BatchSharesPlanner, BatchSharesPlan>
{
  public:
    /// Random streams reserved for these planners.
    static constexpr StreamRange STREAMS = random_streams::BATCH_SHARES_PLANNER;

    /**
     * Decides.
     *
     * @param problem the problem
     * @return a share of at least one sample for every node
     * @throws InputError when the problem is malformed or the plan invalid
     */
    BatchSharesPlan Plan(const BatchSharesProblem& problem);

  private:
    /**
     * Decides.
     *
     * @param problem a valid problem
     * @return the plan, which Plan checks
     * @throws InputError when the planner finds no plan; the message need not name the planner
     */
    virtual BatchSharesPlan DoPlan(const BatchSharesProblem& problem) = 0;
};

/**
 * Split a base batch in proportion to weights by the largest remainder method; ties go to earlier
 * nodes. Every node gets at least one sample.
 *
 * @param baseBatch samples, at least as many as weights
 * @param weights by node, >= 0 and finite; all 0: equal weights
 * @return samples by node; their sum is the base batch
 */
std::vector<uint64_t> SplitBatch(uint64_t baseBatch, std::vector<double> weights);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_BATCH_SHARES_PLANNER_H */
