/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_RANDOM_SHARES_PLANNER_H
#define EDGEPIPE_RANDOM_SHARES_PLANNER_H

#include "edgepipe-batch-shares-planner.h"

#include "ns3/random-variable-stream.h"

namespace ns3
{
namespace edgepipe
{

/**
 * Splits the base batch in proportion to weights drawn uniformly from 0 to 1, anew each time.
 */
class RandomSharesPlanner : public BatchSharesPlanner
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    int64_t AssignStreams(int64_t stream) override;

    std::string GetName() const override;

  private:
    BatchSharesPlan DoPlan(const BatchSharesProblem& problem) override;

    Ptr<UniformRandomVariable> m_weight{
        MakeRandomVariable<UniformRandomVariable>(STREAMS.first)}; //!< of a node
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_RANDOM_SHARES_PLANNER_H */
