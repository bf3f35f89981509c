/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_JOB_RECORDER_H
#define EDGEPIPE_JOB_RECORDER_H

#include "edgepipe-chrome-trace.h"
#include "edgepipe-job-filter.h"
#include "edgepipe-table.h"

#include "ns3/application-container.h"

#include <cstdint>
#include <functional>
#include <string>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Records a job's iterations, updates, frames or steps, whichever its workload has, from the trace
 * sources of its applications; must outlive the simulation.
 */
struct JobRecorder
{
    std::string rows;                 //!< what they are, such as "iterations"; empty: no table
    std::function<Table()> makeTable; //!< what was recorded; while the nodes exist, which it names
    LabelTag label;                   //!< shows tags of the job's tasks and messages
};

/**
 * @param applications of one job, as the helper of its workload returns them
 * @return what records it; of a workload that is not edgepipe's one that has no table
 */
JobRecorder MakeJobRecorder(const ApplicationContainer& applications);

/**
 * @param tag of a task or a message of pipeline training, or a probe's
 * @return how it is shown
 */
TagLabel LabelPipelineTag(uint64_t tag);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_JOB_RECORDER_H */
