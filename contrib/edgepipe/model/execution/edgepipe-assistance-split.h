/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ASSISTANCE_SPLIT_H
#define EDGEPIPE_ASSISTANCE_SPLIT_H

#include <cstdint>

namespace ns3
{
namespace edgepipe
{

/** A device in the middle of a pass, and a neighbour that could take samples off it. */
struct AssistanceQuestion
{
    double ownerSeconds;           //!< until all is done without help, seconds
    double ownerSecondsPerSample;  //!< what one sample less saves the owner, seconds, >= 0
    double helperSeconds;          //!< until the helper's first sample begins to count, seconds
    double helperSecondsPerSample; //!< what one sample takes with its transfers, seconds, >= 0
    uint32_t mostSamples;          //!< how many can be given away
    double minimumGainSeconds;     //!< least that help must gain, seconds, >= 0
};

/** How many samples change hands. */
struct AssistanceAnswer
{
    uint32_t samples; //!< to the helper; 0: help does not pay
    double seconds;   //!< until all is done
};

/**
 * Split the rest of a pass so that all of it is done as early as possible: minimise over whole
 * samples A
 *
 *     max(ownerSeconds - A ownerSecondsPerSample, helperSeconds + A helperSecondsPerSample).
 *
 * Without transfers that is DGPAS eq. 12 (see AdjacentOptions), whose two terms are equal at
 * A = (M - tF') F / (F' + F), F' and F being the samples per second of owner and helper. Of two
 * equally good splits the one with fewer samples is taken.
 *
 * @param question the situation
 * @return the split
 */
AssistanceAnswer SplitSamples(const AssistanceQuestion& question);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ASSISTANCE_SPLIT_H */
