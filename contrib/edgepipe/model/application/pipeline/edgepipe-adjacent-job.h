/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ADJACENT_JOB_H
#define EDGEPIPE_ADJACENT_JOB_H

#include "ns3/callback.h"
#include "ns3/edgepipe-assistance-message.h"
#include "ns3/edgepipe-pipeline-message.h"
#include "ns3/edgepipe-pipeline-schedule.h"
#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace ns3
{
namespace edgepipe
{

/** How an AdjacentScheduler acts on its worker. */
struct AdjacentWorker
{
    /// Send to a device: tag, payload bytes, body; called on delivery.
    std::function<void(uint32_t, PipelineTag, uint64_t, const std::string&, Callback<void>)> send;
    /// Likewise by the control connection, without a callback.
    std::function<void(uint32_t, PipelineTag, uint64_t, const std::string&)> control;
    /// All samples of one of the worker's own steps have been computed.
    std::function<void(const PipelineStep&)> complete;
    /// Something the worker may have waited for has happened.
    std::function<void()> advance;
};

/** Samples that this device computes, and may give away in part. */
struct AdjacentJob
{
    PipelineTag tag;         //!< the task: iteration, micro-batch
    AssistanceGrant work;    //!< stage, pass, samples that are still with this device
    bool isOwn;              //!< a step of the worker, else a grant
    uint32_t granter;        //!< who granted it, if so
    double secondsPerSample; //!< work, seconds on the idle device
    double fixedSeconds;     //!< work before the first sample, likewise
    uint32_t awaited{0};     //!< results that have yet to arrive
    bool hasEnded{false};    //!< whether this device's part is over
};

/** A neighbour's request. */
struct AdjacentRequest
{
    uint32_t iteration;     //!< of the step it waits for
    std::size_t step;       //!< index of the step it waits for; behind the last one if none
    AssistanceRequest body; //!< what it can do
    uint64_t refusedJob;    //!< job for which it was refused, from 1
};

/** What was granted to a neighbour. */
struct AdjacentLoan
{
    uint64_t job;           //!< whose samples
    uint32_t helper;        //!< who has them
    uint32_t samples;       //!< how many
    Time sent;              //!< when
    double expectedSeconds; //!< that the helper computes
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ADJACENT_JOB_H */
