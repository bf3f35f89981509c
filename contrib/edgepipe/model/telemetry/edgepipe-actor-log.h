/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_LOG_H
#define EDGEPIPE_ACTOR_LOG_H

#include "edgepipe-job-filter.h"

#include "ns3/edgepipe-actor-device.h"
#include "ns3/edgepipe-actor-record.h"
#include "ns3/edgepipe-actor-server.h"
#include "ns3/edgepipe-learner.h"
#include "ns3/edgepipe-multi-actor-cut.h"
#include "ns3/edgepipe-multi-actor-problem.h"

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/** What became of a run of actors. */
struct ActorRecords
{
    std::vector<StepRecord> steps;         //!< those that have ended, in that order
    uint64_t begun{0};                     //!< steps begun
    uint64_t served{0};                    //!< requests that the server has answered
    std::vector<PlanChangeRecord> changes; //!< joins and leaves
    std::vector<BudgetRecord> budgets;     //!< in the order of time
    std::vector<UpdateRecord> updates;     //!< of the learner
};

/**
 * @ingroup edgepipe
 *
 * Collects what became of actors' steps, of the plan, the budgets and the learner, from the trace
 * sources of the applications; the log must outlive the simulation.
 */
class ActorLog
{
  public:
    ActorLog() = default;
    // The trace sources hold this object's address.
    ActorLog(const ActorLog&) = delete;
    ActorLog& operator=(const ActorLog&) = delete;

    /** @param actor to record the steps of */
    void Observe(Ptr<ActorDevice> actor);

    /**
     * @param server to record
     * @param learner of the server
     */
    void Observe(Ptr<ActorServer> server, Ptr<Learner> learner);

    /** @return what was recorded so far */
    const ActorRecords& GetRecords() const
    {
        return m_records;
    }

  private:
    Ptr<Learner> m_learner; //!< whose version is the newest
    /// Answered requests, by actor and step, until the step ends.
    std::map<std::pair<uint32_t, uint32_t>, ServedRecord> m_served;
    ActorRecords m_records; //!< so far
};

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
    const std::vector<ServerUsage>& GetSpans() const
    {
        return m_spans;
    }

  private:
    /**
     * @param time some time
     * @return its span
     */
    ServerUsage& Find(const Time& time);
    /**
     * Go through the spans of what has ended.
     * @param begin when it began
     * @param end when it ended
     * @param add called with every span and the time up to which it goes there
     */
    void Spread(const Time& begin,
                const Time& end,
                const std::function<void(ServerUsage&, const Time&)>& add);

    JobFilter m_filter;               //!< says what counts
    Time m_span;                      //!< length
    std::vector<ServerUsage> m_spans; //!< from time 0
};

/**
 * @ingroup edgepipe
 *
 * What eq. 6 says of a step's cut, by what the server knew when the step began: the actor's link
 * and load, and the server's, as of the latest plan in force.
 */
class ActorBeliefs
{
  public:
    /**
     * @param model the network and the idle server
     * @param idle what idle actors can do, by id of their nodes; their links do not matter
     * @param changes of a run, in the order of their being in force
     */
    ActorBeliefs(MultiActorModel model,
                 std::map<uint32_t, MultiActor> idle,
                 const std::vector<PlanChangeRecord>& changes);

    /**
     * @param actor id of its node, which has joined before
     * @param begun when its step began
     * @return what cutting at each layer means for it, see ListMultiActorCuts
     */
    const std::vector<MultiActorCut>& GetCuts(uint32_t actor, const Time& begun);

  private:
    MultiActorModel m_model;                              //!< the network and the idle server
    std::map<uint32_t, MultiActor> m_idle;                //!< by actor
    std::map<uint32_t, std::map<Time, ActorTold>> m_told; //!< by actor and when in force
    std::map<Time, double> m_shares;                      //!< of the server, by when in force
    /// By actor: since when the two in force hold, and what they come to.
    std::map<uint32_t, std::pair<std::pair<Time, Time>, std::vector<MultiActorCut>>> m_cuts;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ACTOR_LOG_H */
