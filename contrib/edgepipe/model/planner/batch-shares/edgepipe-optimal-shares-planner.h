/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_OPTIMAL_SHARES_PLANNER_H
#define EDGEPIPE_OPTIMAL_SHARES_PLANNER_H

#include "edgepipe-batch-shares-planner.h"

namespace ns3
{
namespace edgepipe
{

/**
 * Ours, for reference: shares of the base batch whose last finish comes first, communication
 * included. A node with b samples finishes after its communication and b operations per sample over
 * its operations per second.
 */
class OptimalSharesPlanner : public BatchSharesPlanner
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
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_OPTIMAL_SHARES_PLANNER_H */
