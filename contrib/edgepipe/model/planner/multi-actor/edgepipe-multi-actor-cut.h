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

/** What cutting at one layer means for one actor. */
struct MultiActorCut
{
    std::size_t cut;         //!< y, layers that the actor runs
    uint64_t flop;           //!< C_e(y), FLOP of the server (eq. 4)
    uint64_t bytes;          //!< b_y, bytes uploaded; 0 at y = K, when nothing is
    double responseSeconds;  //!< T(y) of eq. 6, of an inference that meets no other; its first two
                             //!< terms are eq. 5 unless the problem says what each layer takes
    double reductionSeconds; //!< u(y) = T(K) - T(y), what it saves against running all layers
};

/**
 * @param model a valid model
 * @param actor a valid actor
 * @return what every cut means for it, by cut, K + 1 of them
 */
std::vector<MultiActorCut> ListMultiActorCuts(const MultiActorModel& model,
                                              const MultiActor& actor);

/**
 * @param model a valid model
 * @param actor a valid actor
 * @param layers that it runs, 0 to K
 * @return what that means for it, as ListMultiActorCuts has it
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
 * @return the cuts, that which saves most first; the last is y = K
 */
std::vector<MultiActorCut> ListUsefulMultiActorCuts(const MultiActorModel& model,
                                                    const MultiActor& actor);

/**
 * @param cuts from ListUsefulMultiActorCuts
 * @param free what may be taken
 * @return index of the first cut that takes no more: the best response, eq. 25
 */
inline std::size_t
FindBestResponse(const std::vector<MultiActorCut>& cuts, const MultiActorLimits& free)
{
    std::size_t i = 0;
    // The last one takes nothing.
    while (cuts[i].flop > free.flop || cuts[i].bytes > free.bytes)
    {
        ++i;
    }
    return i;
}

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_MULTI_ACTOR_CUT_H */
