/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_EQUAL_SHARES_PLANNER_H
#define EDGEPIPE_EQUAL_SHARES_PLANNER_H

#include "edgepipe-batch-shares-planner.h"

namespace ns3
{
namespace edgepipe
{

/**
 * Gives every worker the same share of the base batch; the first ones take what is left over.
 */
class EqualSharesPlanner : public BatchSharesPlanner
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

#endif /* EDGEPIPE_EQUAL_SHARES_PLANNER_H */
