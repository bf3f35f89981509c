/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DEFP_AS_PRINTED_PLANNER_H
#define EDGEPIPE_DEFP_AS_PRINTED_PLANNER_H

#include "edgepipe-defp-planner.h"

namespace ns3
{
namespace edgepipe
{

/**
 * Algorithm 1 of the paper that MultiActorProblem names and nothing else: DefpPlanner without a
 * margin, re-runs and replays, whatever its attributes say of these.
 */
class DefpAsPrintedPlanner : public DefpPlanner
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string GetName() const override;
    DefpRules GetRules() const override;
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_DEFP_AS_PRINTED_PLANNER_H */
