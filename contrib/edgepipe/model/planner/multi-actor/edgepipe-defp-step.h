/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DEFP_STEP_H
#define EDGEPIPE_DEFP_STEP_H

#include "edgepipe-defp-pair.h"

#include <cstddef>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** A player chooses a cut that takes no more of anything. */
struct DefpStep
{
    std::size_t player; //!< index of the player
    std::size_t chosen; //!< index into its cuts
    double cost;        //!< seconds lost per share of a budget freed
};

/**
 * What players should give up first when the server has less than they hold.
 *
 * @param players all of them
 * @param held what they hold together, more than there is
 * @param limits what there is
 * @return the cheapest step of every player that has one, the cheapest first; a budget that is kept
 *         counts for nothing
 */
std::vector<DefpStep> ListDefpStepsBack(const std::vector<const DefpPlayer*>& players,
                                        const MultiActorLimits& held,
                                        const MultiActorLimits& limits);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_DEFP_STEP_H */
