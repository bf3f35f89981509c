/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_MULTI_ACTOR_CUT_H
#define EDGEPIPE_MULTI_ACTOR_CUT_H

#include "edgepipe-multi-actor-problem.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::edgepipe
{

/** Costs of one cut for one actor. */
struct MultiActorCut
{
    std::size_t cut;         //!< y, layers that the actor runs
    uint64_t flop;           //!< C_e(y), FLOP of the server (eq. 4)
    uint64_t bytes;          //!< b_y, bytes uploaded; 0 at y = K
    double responseSeconds;  //!< T(y) of eq. 6, of an inference without contention; its first
                             //!< two terms are eq. 5 unless the problem has times by layer
    double reductionSeconds; //!< u(y) = T(K) - T(y), saving over running all layers
};

/**
 * @param model a valid model
 * @param actor a valid actor
 * @return the K + 1 cuts, by y
 */
std::vector<MultiActorCut> ListMultiActorCuts(const MultiActorModel& model,
                                              const MultiActor& actor);

/**
 * @param model a valid model
 * @param actor a valid actor
 * @param layers that it runs, 0 to K
 * @return the cut, as in ListMultiActorCuts
 */
MultiActorCut GetMultiActorCut(const MultiActorModel& model,
                               const MultiActor& actor,
                               std::size_t layers);

/**
 * The cuts that a plan may need: a cut is left out if a later one saves at least as much and takes
 * no more bytes, since it takes no more FLOP either.
 *
 * @param model a valid model
 * @param actor a valid actor
 * @return the cuts, largest saving first; the last is y = K
 */
std::vector<MultiActorCut> ListUsefulMultiActorCuts(const MultiActorModel& model,
                                                    const MultiActor& actor);

/**
 * @param cuts from ListUsefulMultiActorCuts
 * @param free available resources
 * @return index of the first cut that fits: the best response, eq. 25
 */
inline std::size_t
FindBestResponse(const std::vector<MultiActorCut>& cuts, const MultiActorLimits& free)
{
    std::size_t i = 0;
    // Ends: the last cut takes nothing.
    while (cuts[i].flop > free.flop || cuts[i].bytes > free.bytes)
    {
        ++i;
    }
    return i;
}

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_MULTI_ACTOR_CUT_H */
