/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_USAGE_H
#define EDGEPIPE_ACTOR_USAGE_H

#include "edgepipe-job-filter.h"

#include "ns3/edgepipe-compute-device.h"
#include "ns3/edgepipe-tensor-transport.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** What an edge server did in a span of time; bytes are payload. */
struct ServerUsage
{
    double inferenceSeconds{0};  //!< processor busy with requests
    double trainingSeconds{0};   //!< processor busy with updates
    uint64_t tensorBytes{0};     //!< of cut tensors that arrived
    uint64_t trajectoryBytes{0}; //!< of trajectories that arrived
    uint64_t actionBytes{0};     //!< of actions that arrived at actors
    uint64_t parameterBytes{0};  //!< of parameters that arrived at actors
    uint64_t controlBytes{0};    //!< of all other messages that arrived, either way
    uint64_t controlMessages{0}; //!< how many these were
    uint32_t requests{0};        //!< whose action arrived at the actor

    /**
     * @param other added to this
     * @return this
     */
    ServerUsage& operator+=(const ServerUsage& other);
};

/**
 * @ingroup edgepipe
 *
 * Use of an edge server's processor and links over time, in spans of equal length, from the trace
 * sources of processor and transport; must outlive the simulation. A message counts when it has
 * arrived whole.
 */
class ActorUsage
{
  public:
    /**
     * @param span of time, above 0
     * @param filter says whose tasks and messages count
     */
    explicit ActorUsage(const Time& span, JobFilter filter = JobFilter());
    // The trace sources hold this object's address.
    ActorUsage(const ActorUsage&) = delete;
    ActorUsage& operator=(const ActorUsage&) = delete;

    /** @param compute processor of the server */
    void Observe(Ptr<ComputeDevice> compute);

    /** @param transport moves the messages */
    void Observe(Ptr<TensorTransport> transport);

    /** @return by span, from time 0 */
    const std::vector<ServerUsage>& GetSpans() const;

  private:
    /**
     * @param time some time
     * @return its span
     */
    ServerUsage& Find(const Time& time);
    /**
     * Count a task of the server's.
     * @param tag of the task
     */
    void CountTask(uint64_t tag);
    /**
     * Count a message.
     * @param message that has arrived
     */
    void CountMessage(const Message& message);

    JobFilter m_filter;               //!< says what counts
    Time m_span;                      //!< length
    Time m_begun;                     //!< when the processor's task began
    std::vector<ServerUsage> m_spans; //!< from time 0
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ACTOR_USAGE_H */
