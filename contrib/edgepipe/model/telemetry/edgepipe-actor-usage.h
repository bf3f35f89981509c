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
#include <functional>
#include <map>
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
    double planningSeconds{0};   //!< processor busy with planning
    uint64_t tensorBytes{0};     //!< of cut tensors to the server
    uint64_t trajectoryBytes{0}; //!< of trajectories to the server
    uint64_t actionBytes{0};     //!< of actions to actors
    uint64_t parameterBytes{0};  //!< of parameters to actors
    uint64_t meetingBytes{0};    //!< of actors that decide together, either way
    uint64_t meetingMessages{0}; //!< how many of these arrived
    uint64_t controlBytes{0};    //!< of all other messages of the job, either way
    uint64_t controlMessages{0}; //!< how many of these arrived
    uint64_t reports{0};         //!< how many of these said that a link or a load has changed
    uint64_t probeBytes{0};      //!< of monitors' messages, either way
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
 * sources of processor and transport; must outlive the simulation. A message's bytes count once
 * it has arrived whole, evenly over the time from its first byte's entering the network on.
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
     * Go through the spans of what has just ended.
     * @param begin when it began
     * @param add called with every span and the time up to which it goes there
     */
    void Spread(const Time& begin, const std::function<void(ServerUsage&, const Time&)>& add);
    /**
     * Count a task of the server's.
     * @param tag of the task
     */
    void CountTask(uint64_t tag);
    /**
     * Count a message.
     * @param message that has arrived
     * @param begin when its first byte entered the network
     */
    void CountMessage(const Message& message, const Time& begin);

    JobFilter m_filter;                 //!< says what counts
    Time m_span;                        //!< length
    Time m_begun;                       //!< when the processor's task began
    std::map<uint64_t, Time> m_started; //!< messages on their way
    std::vector<ServerUsage> m_spans;   //!< from time 0
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ACTOR_USAGE_H */
