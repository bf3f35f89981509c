/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DEFP_PAIR_H
#define EDGEPIPE_DEFP_PAIR_H

#include "edgepipe-multi-actor-cut.h"

#include <cstddef>
#include <vector>

namespace ns3::edgepipe
{

/** A player of the game: the cuts it may choose, and the one it chose. */
struct DefpPlayer
{
    std::vector<MultiActorCut> cuts; //!< from ListUsefulMultiActorCuts
    std::size_t chosen;              //!< index into cuts

    /** @return the cut it chose */
    const MultiActorCut& Get() const
    {
        return cuts[chosen];
    }
};

/** What two players choose together. */
struct DefpPair
{
    std::size_t first;  //!< index into the cuts of the first player
    std::size_t second; //!< index into those of the second
    double gainSeconds; //!< what they save together beyond what they saved before, >= 0
};

/**
 * The pairwise step, lines 2 to 14 of algorithm 1 of the paper that MultiActorProblem names: two
 * players share what both hold and what is free.
 *
 * The paper takes the pair that saves most. So does this with a margin of 0. Otherwise it takes,
 * of all pairs that save at least as much as now and at least (1 - margin) of the most that the two
 * can save, that whose cuts lie closest: the paper wants actors to cut alike, and its algorithm
 * does nothing for it. Of pairs that are equal it takes the one that saves more, and who changes
 * must gain beyond rounding, so no sequence of meetings comes back to where it was. Takes time
 * quadratic in the cuts at most; pairs that cannot save enough are not looked at.
 *
 * @param first a player
 * @param second another one
 * @param free what no player holds
 * @param margin share of what the two can save that they give up to cut alike, in [0, 1)
 * @return the choice of both
 */
DefpPair ChooseDefpPair(const DefpPlayer& first,
                        const DefpPlayer& second,
                        const MultiActorLimits& free,
                        double margin);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_DEFP_PAIR_H */
