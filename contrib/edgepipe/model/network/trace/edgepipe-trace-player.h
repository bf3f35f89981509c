/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TRACE_PLAYER_H
#define EDGEPIPE_TRACE_PLAYER_H

#include "edgepipe-trace-recording.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{
namespace edgepipe
{

/** TraceOptions as the players use them. */
struct TracePlayback
{
    bool isLoop;         //!< start over at the end
    bool isHold;         //!< the end lasts
    int64_t nanoseconds; //!< where in the recording to start
    double scale;        //!< of values, or of the number of opportunities
};

/**
 * @param options how to replay
 * @return the same
 * @throws InputError if one of them is out of range; the format is not looked at
 */
TracePlayback ReadTracePlayback(const TraceOptions& options);

/**
 * Replay steps. Looping, the recording starts over when its last step is over; holding, that step
 * lasts for ever; stopping, the value is 0 from its end on.
 *
 * @param recording with steps
 * @param playback how to replay it
 * @param least smallest value; what is below counts as 0
 * @return the steps
 */
std::unique_ptr<StepSource> PlaySteps(std::shared_ptr<const TraceRecording> recording,
                                      const TracePlayback& playback,
                                      double least);

/**
 * Replay opportunities. Looping, the recording starts over at the time of its last opportunity,
 * as in mm-link; holding, its last second, or all of it if it is shorter, is repeated.
 *
 * A scale leaves the times as they are: after n of the recording's opportunities, scale * n
 * rounded down have been given.
 *
 * @param recording with opportunities
 * @param playback how to replay it
 * @return the opportunities
 */
std::unique_ptr<OpportunitySource> PlayOpportunities(
    std::shared_ptr<const TraceRecording> recording,
    const TracePlayback& playback);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_TRACE_PLAYER_H */
