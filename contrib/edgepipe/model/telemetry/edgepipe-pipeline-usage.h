/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_USAGE_H
#define EDGEPIPE_PIPELINE_USAGE_H

#include "ns3/edgepipe-timeline.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** When an iteration began and ended. */
struct IterationSpan
{
    Time start; //!< the workers were told to begin
    Time end;   //!< the last worker had reported
};

/** How a pipeline's devices spent their time. */
struct PipelineUsage
{
    std::vector<double> bubbleRates;        //!< by iteration, 0 to 1
    std::map<uint32_t, double> busySeconds; //!< by device, seconds, all iterations
};

/**
 * Measure bubbles and use from a timeline.
 *
 * An iteration's bubble rate is the time stages were idle between their own first and last task
 * of that iteration, summed over the stages, over stages times the iteration's duration (the
 * bubble area of DGPAS eq. 14 over s times T_total). A stage's wait before its first task and
 * after its last is not a bubble in this sense.
 *
 * @param timeline what happened; every task belongs to the iteration it ran in
 * @param iterations the iterations, in order, not overlapping
 * @param stages number of stages, one device each
 * @return how the devices spent their time
 */
PipelineUsage MeasurePipelineUsage(const Timeline& timeline,
                                   const std::vector<IterationSpan>& iterations,
                                   uint32_t stages);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PIPELINE_USAGE_H */
