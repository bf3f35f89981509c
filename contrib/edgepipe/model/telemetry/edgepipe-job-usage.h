/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_JOB_USAGE_H
#define EDGEPIPE_JOB_USAGE_H

#include "edgepipe-job-filter.h"

#include <cstdint>
#include <map>

namespace ns3
{
namespace edgepipe
{

/** What a node has done for a job; messages to itself do not count, bytes are payload. */
struct NodeUsage
{
    uint32_t tasks{0};         //!< that have ended
    double busySeconds{0};     //!< processor busy with them
    uint32_t messages{0};      //!< sent by it, arrived whole
    uint64_t sentBytes{0};     //!< of these
    uint64_t receivedBytes{0}; //!< of those that arrived at it
};

/**
 * @ingroup edgepipe
 *
 * What a job of any workload takes of its nodes, from the trace sources of processors and
 * transport; must outlive the simulation.
 */
class JobUsage
{
  public:
    /** @param filter says whose tasks and messages count */
    explicit JobUsage(JobFilter filter = JobFilter());
    // The trace sources hold this object's address.
    JobUsage(const JobUsage&) = delete;
    JobUsage& operator=(const JobUsage&) = delete;

    /** @param transport moves messages */
    void Observe(Ptr<TensorTransport> transport);

    /**
     * @param node id of a node
     * @param compute its processor
     */
    void Observe(uint32_t node, Ptr<ComputeDevice> compute);

    /** @return by id of the node */
    const std::map<uint32_t, NodeUsage>& GetNodes() const;

  private:
    JobFilter m_filter;                    //!< says what counts
    std::map<uint32_t, NodeUsage> m_nodes; //!< by id
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_JOB_USAGE_H */
