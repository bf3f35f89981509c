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
#include <memory>
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
class JobRecorder
{
  public:
    /**
     * @param applications of one job, as the helper of its workload returns them
     * @return what records it; of a workload that is not edgepipe's one that has no table
     */
    static std::unique_ptr<JobRecorder> Make(const ApplicationContainer& applications);

    JobRecorder() = default;
    virtual ~JobRecorder() = default;
    // The trace sources hold this object's address.
    JobRecorder(const JobRecorder&) = delete;
    JobRecorder& operator=(const JobRecorder&) = delete;

    /** @return what the rows of the table are, such as "iterations"; empty: there is no table */
    virtual std::string GetRowName() const;

    /** @return what was recorded; while the nodes exist, which it names */
    virtual Table MakeTable() const;

    /**
     * @param tag of a task or a message of the job
     * @return how it is shown
     */
    virtual TagLabel Label(uint64_t tag) const;
};

/**
 * @param tag of a task or a message of pipeline training, or a probe's
 * @return how it is shown
 */
TagLabel LabelPipelineTag(uint64_t tag);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_JOB_RECORDER_H */
