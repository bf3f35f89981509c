/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_BNO_PLANNER_H
#define EDGEPIPE_BNO_PLANNER_H

#include "edgepipe-batch-shares-planner.h"

#include <string>

namespace ns3
{
namespace edgepipe
{

/**
 * BalanceNet Orchestrator: the mean of three shares, of operations, of memory not in use and of
 * latency, times the base batch.
 *
 * With one latency per node, that to the first node, the paper's algorithm 1; with one per pair,
 * its equations 4 and 5, which sum over the pairs. A ratio whose denominator is 0 counts as 0. The
 * shares do not add up to the base batch, unless the problem asks for it.
 *
 * The paper does not say what latency a node has to itself, which dominates the share of the first
 * node: OwnLatency takes what was measured, a node answering itself at once, or the mean of its
 * latencies to the others.
 */
class BnoPlanner : public BatchSharesPlanner
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string GetName() const override;

  private:
    BatchSharesPlan DoPlan(const BatchSharesProblem& problem) override;

    std::string m_ownLatency; //!< measured or mean
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_BNO_PLANNER_H */
