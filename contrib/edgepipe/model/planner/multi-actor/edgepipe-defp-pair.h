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

/** A joint choice of two players. */
struct DefpPair
{
    std::size_t first;  //!< index into the cuts of the first player
    std::size_t second; //!< index into those of the second
    double gainSeconds; //!< additional seconds that they save together, >= 0
};

/**
 * The pairwise step, lines 2 to 14 of algorithm 1 of the paper cited at MultiActorProblem: two
 * players share what both hold and what is free.
 *
 * The paper takes the pair of cuts that saves most, as does this with a margin of 0. Otherwise, of
 * all pairs that save at least as much as now and at least (1 - margin) of the most that the two
 * can save, it takes the one whose cuts lie closest: the paper wants actors to cut alike, but its
 * algorithm does nothing for it. Ties go to the pair that saves more. A change must gain more than
 * rounding, so no sequence of meetings can cycle. Takes time at most quadratic in the cuts; pairs
 * that cannot save enough are skipped.
 *
 * @param first a player
 * @param second another player
 * @param free resources that no player holds
 * @param margin share of what the two can save that they give up to cut alike, in [0, 1)
 * @return the choice of both
 */
DefpPair ChooseDefpPair(const DefpPlayer& first,
                        const DefpPlayer& second,
                        const MultiActorLimits& free,
                        double margin);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_DEFP_PAIR_H */
