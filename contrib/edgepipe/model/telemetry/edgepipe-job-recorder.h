/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_JOB_RECORDER_H
#define EDGEPIPE_JOB_RECORDER_H

#include "edgepipe-job-filter.h"
#include "edgepipe-table.h"
#include "edgepipe-timeline.h"

#include "ns3/application-container.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Records a job's iterations, updates, frames or steps, depending on its workload, from the trace
 * sources of its applications; must outlive the simulation.
 */
struct JobRecorder
{
    std::string rows;                 //!< name of the rows, such as "iterations"; empty: no table
    std::function<Table()> makeTable; //!< call while the nodes, which the table names, exist
    LabelTag label;                   //!< shows tags of the job's tasks and messages
};

/**
 * @param applications of one job, as the helper of its workload returns them
 * @return a recorder of the job, without a table if its workload is not edgepipe's
 */
JobRecorder MakeJobRecorder(const ApplicationContainer& applications);

/**
 * @param tag of a task or a message of pipeline training, or a probe's
 * @param port of the message; 0: a task
 * @return how it is shown
 */
TagLabel LabelPipelineTag(uint64_t tag, uint16_t port);

/** Use of a node by a job; messages to itself do not count, bytes are payload. */
struct NodeUsage
{
    uint32_t tasks{0};         //!< ended tasks
    double busySeconds{0};     //!< processor busy with them
    uint32_t messages{0};      //!< messages that it sent and that arrived whole
    uint64_t sentBytes{0};     //!< of these messages
    uint64_t receivedBytes{0}; //!< of messages that arrived at it
};

/**
 * @ingroup edgepipe
 *
 * Use of its nodes by a job of any workload, from the trace sources of processors and transport;
 * must outlive the simulation.
 */
class JobUsage
{
  public:
    /** @param filter selects the tasks and messages that count */
    explicit JobUsage(JobFilter filter = JobFilter())
        : m_filter(std::move(filter))
    {
    }

    // The trace sources hold this object's address.
    JobUsage(const JobUsage&) = delete;
    JobUsage& operator=(const JobUsage&) = delete;

    /** @param transport transport of the messages */
    void Observe(Ptr<TensorTransport> transport);

    /**
     * @param node id of a node
     * @param compute its processor
     */
    void Observe(uint32_t node, Ptr<ComputeDevice> compute);

    /** @return by id of the node */
    const std::map<uint32_t, NodeUsage>& GetNodes() const
    {
        return m_nodes;
    }

  private:
    JobFilter m_filter;                    //!< selects what counts
    std::map<uint32_t, NodeUsage> m_nodes; //!< by id
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_JOB_RECORDER_H */
