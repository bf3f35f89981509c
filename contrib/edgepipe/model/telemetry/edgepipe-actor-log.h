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

/** Records of a run of actors. */
struct ActorRecords
{
    std::vector<StepRecord> steps;         //!< ended steps, in order of their ends
    uint64_t begun{0};                     //!< number of steps begun
    uint64_t served{0};                    //!< number of requests answered by the server
    std::vector<PlanChangeRecord> changes; //!< joins, leaves, and changes of links and loads
    std::vector<BudgetRecord> budgets;     //!< in order of time
    std::vector<UpdateRecord> updates;     //!< of the learner
};

/**
 * @ingroup edgepipe
 *
 * Records actors' steps, plan changes, budgets and learner updates from the trace sources of the
 * applications; must outlive the simulation.
 */
class ActorLog
{
  public:
    ActorLog() = default;
    // The trace sources hold this object's address.
    ActorLog(const ActorLog&) = delete;
    ActorLog& operator=(const ActorLog&) = delete;

    /** @param actor the actor whose steps to record */
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
    Ptr<Learner> m_learner; //!< has the newest version
    /// Answered requests, by actor and step, until the step ends.
    std::map<std::pair<uint32_t, uint32_t>, ServedRecord> m_served;
    ActorRecords m_records; //!< so far
};

/** Use of an edge server in a span of time; bytes are payload. */
struct ServerUsage
{
    double inferenceSeconds{0};  //!< processor busy with requests
    double trainingSeconds{0};   //!< processor busy with updates
    double planningSeconds{0};   //!< processor busy with planning
    uint64_t tensorBytes{0};     //!< of cut tensors to the server
    uint64_t trajectoryBytes{0}; //!< of trajectories to the server
    uint64_t actionBytes{0};     //!< of actions to actors
    uint64_t parameterBytes{0};  //!< of parameters to actors
    uint64_t meetingBytes{0};    //!< of actors' rounds of joint decisions, in any direction
    uint64_t meetingMessages{0}; //!< messages of these rounds
    uint64_t controlBytes{0};    //!< of all other messages of the job, in any direction
    uint64_t controlMessages{0}; //!< number of these messages
    uint64_t reports{0};         //!< control messages that report a change of a link or a load
    uint64_t probeBytes{0};      //!< of monitors' messages, in any direction
    uint32_t requests{0};        //!< requests whose action has arrived at the actor

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
 * sources of processor and transport; must outlive the simulation. A message counts once it has
 * arrived whole. Its bytes are spread evenly over its time in the network, from the first byte on;
 * those of probes count at their arrival.
 */
class ActorUsage
{
  public:
    /**
     * @param span length of a span, above 0
     * @param filter selects the tasks and messages that count
     */
    explicit ActorUsage(const Time& span, JobFilter filter = JobFilter());
    // The trace sources hold this object's address.
    ActorUsage(const ActorUsage&) = delete;
    ActorUsage& operator=(const ActorUsage&) = delete;

    /** @param compute processor of the server */
    void Observe(Ptr<ComputeDevice> compute);

    /** @param transport transport of the messages */
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
     * Visit the spans of a finished task or transfer.
     * @param begin when it began
     * @param end when it ended
     * @param add called with every span and the end of the part in that span
     */
    void Spread(const Time& begin,
                const Time& end,
                const std::function<void(ServerUsage&, const Time&)>& add);

    JobFilter m_filter;               //!< selects what counts
    Time m_span;                      //!< length of a span
    std::vector<ServerUsage> m_spans; //!< from time 0
};

/**
 * @ingroup edgepipe
 *
 * Predictions of eq. 6 for the cuts of a step, from what the server knew when the step began: the
 * link and load of the actor and the load of the server, as of the latest plan in force.
 */
class ActorBeliefs
{
  public:
    /**
     * @param model the network and the idle server
     * @param idle idle actors by node id; their links are ignored
     * @param changes of a run, in the order in which they came into force
     */
    ActorBeliefs(MultiActorModel model,
                 std::map<uint32_t, MultiActor> idle,
                 const std::vector<PlanChangeRecord>& changes);

    /**
     * @param actor node id of an actor that has joined by then
     * @param begun when its step began
     * @return its cuts at each layer, see ListMultiActorCuts
     */
    const std::vector<MultiActorCut>& GetCuts(uint32_t actor, const Time& begun);

  private:
    MultiActorModel m_model;                              //!< the network and the idle server
    std::map<uint32_t, MultiActor> m_idle;                //!< by actor
    std::map<uint32_t, std::map<Time, ActorTold>> m_told; //!< by actor and time in force
    std::map<Time, double> m_shares;                      //!< of the server, by time in force
    /// By actor: since when the report and the server's share are in force, and the cuts for both.
    std::map<uint32_t, std::pair<std::pair<Time, Time>, std::vector<MultiActorCut>>> m_cuts;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ACTOR_LOG_H */
