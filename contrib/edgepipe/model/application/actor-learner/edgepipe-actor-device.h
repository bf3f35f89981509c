/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_DEVICE_H
#define EDGEPIPE_ACTOR_DEVICE_H

#include "ns3/edgepipe-actor-message.h"
#include "ns3/edgepipe-actor-record.h"
#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/edgepipe-edge-application.h"
#include "ns3/edgepipe-multi-actor-problem.h"
#include "ns3/edgepipe-replanner.h"
#include "ns3/random-variable-stream.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * An actor: steps its environment, infers, acts, and so on, one step after the other.
 *
 * The node is an edge device with a transport. A step of the environment is a task of the actor's
 * processor, and so are layers 1 to y. At y < K the cut tensor b_y goes to the server, whose answer
 * is the action. The actor joins and leaves by messages, when the application starts and stops and
 * when it is told to, and takes no step before it has its first cut and the parameters of its
 * layers. It meets other actors where they decide together. A later cut is for the next step after
 * it has arrived, with the parameters of the layers that the actor lacks.
 *
 * Steps that the server has not seen from the observation on, those at y > 0, are collected and
 * sent up as trajectories, meanwhile. While MostTrajectories of them have not arrived, no further
 * step is begun, as memory is finite. A leaving actor ends its step and sends what it has
 * collected.
 *
 * With a monitor it watches its link to the server, from when it first joins on, and its own load,
 * which it knows by timing its own work, and reports to the server when a decision is due, as its
 * Replanner says; what that costs is the server's. A report is sent once the one before has been
 * delivered. Without a monitor it tells of its load when it joins, and reports nothing later.
 */
class ActorDevice : public EdgeApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    /**
     * Say whom it asks and what it infers; before the application starts.
     *
     * @param server id of its node
     * @param model the network
     * @param actor what executing the layers takes on the idle actor
     */
    void SetUp(uint32_t server, const MultiActorModel& model, const MultiActor& actor);

    /// What the link is believed to get before the first estimate, payload bit/s, > 0.
    using FirstCallback = std::function<double()>;

    /**
     * Have the link watched; before the application starts.
     *
     * @param monitor of the link; has not begun
     * @param capacity for an oracle; may be null
     * @param first asked when the actor first joins
     */
    void SetMonitor(Ptr<BandwidthMonitor> monitor,
                    BandwidthMonitor::Capacity capacity,
                    FirstCallback first)
    {
        m_monitor = monitor;
        m_capacity = std::move(capacity);
        m_first = std::move(first);
    }

    /** @return says when a report is due */
    Ptr<Replanner> GetReporter() const
    {
        return m_reporter;
    }

    ActorDevice();

    /** Ask the server to join; once the application has started, not while it is in. */
    void Join();

    /** Leave after the present step, if it is in. */
    void Leave()
    {
        m_isLeaving = m_isIn;
        BeginNext();
    }

    /** Begin no further step, for the run ends. */
    void Rest()
    {
        m_isResting = true;
    }

    /** @return whether it has joined and not left */
    bool IsIn() const
    {
        return m_isIn;
    }

    /** @return whether it has begun a step and not ended it */
    bool IsStepping() const
    {
        return m_isStepping;
    }

    /** @return what it waits for, in words; empty if it waits for nothing */
    std::string DescribeWait() const override
    {
        const std::string what = GetAwaited();
        return what.empty()   ? ""
               : m_isStepping ? "step " + std::to_string(m_step.step) + " waits for " + what
                              : "waits for " + what;
    }

    /** @return what it waits for, such as "the environment"; empty if it waits for nothing */
    std::string GetAwaited() const;

    /**
     * @param stream first random stream to use
     * @return how many it uses
     */
    int64_t AssignStream(int64_t stream)
    {
        m_environmentSeconds->SetStream(stream);
        return 1;
    }

    /**
     * TracedCallback signature of the trace source StepEnd.
     *
     * @param [in] step what is known of it on the actor
     */
    typedef void (*StepTracedCallback)(const StepRecord& step);

    /**
     * TracedCallback signature of the trace source StepBegin.
     *
     * @param [in] actor id of its node
     */
    typedef void (*BeginTracedCallback)(uint32_t actor);

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;
    void Receive(const Message& message) override;

    /**
     * Tell the server what came of a meeting. The server has told it whom to meet, and it has asked
     * all of them at once what they hold and may choose; whoever is asked answers at once, also
     * after having left. What that comes to is the planner's (MultiActorRound).
     *
     * @param round number of the round
     */
    void FinishMeeting(uint32_t round)
    {
        Send({ActorTag::MET, round}, ACTOR_NOTICE_BYTES + MEETING_ENTRY_BYTES * m_met);
    }

    /** @return what it knows of its link, with a monitor, and its load */
    DeviceReport GetReport() const;
    /** Report if that is due. */
    void ReportIfDue();
    /** Take the cut that is next, and begin a step, or leave, as far as nothing forbids it. */
    void BeginNext();
    /** The environment has been stepped. */
    void Observe();
    /** The actor's layers have been computed. */
    void Compute();
    /** The action is there. */
    void End();
    /** Send the collected steps up, if there are any. */
    void SendTrajectory();

    /**
     * Send a message to the server.
     * @param tag what it is
     * @param bytes its payload
     * @param delivered called on delivery; may be null
     * @param body real bytes at its start
     */
    void Send(const ActorTag& tag,
              uint64_t bytes,
              TensorTransport::DeliveredCallback delivered = {},
              const std::string& body = "")
    {
        m_socket.Send(m_server, ACTOR_SERVER_PORT, tag.Pack(), bytes, body, delivered);
    }

    Ptr<RandomVariableStream> m_environmentSeconds; //!< of a step on the actor's processor
    uint32_t m_unroll;                              //!< steps of a trajectory
    uint64_t m_stepBytes;                           //!< of a step in a trajectory
    uint32_t m_mostTrajectories;                    //!< under way
    bool m_joinsAtStart;                            //!< whether it joins when it starts
    uint32_t m_server{0};                           //!< id of the server's node
    Ptr<Replanner> m_reporter;                      //!< says when a report is due
    Ptr<BandwidthMonitor> m_monitor;                //!< of its link; null: nothing is reported
    BandwidthMonitor::Capacity m_capacity;          //!< for an oracle
    FirstCallback m_first;                          //!< of the link
    bool m_isWatching{false};                       //!< whether the monitor has begun
    bool m_reports{false};                          //!< whether to report at present
    bool m_isReporting{false};                      //!< whether a report is under way
    std::size_t m_met{0};                           //!< others of the latest meeting
    std::size_t m_awaited{0};                       //!< of them that have yet to answer
    std::vector<double> m_seconds;                  //!< of layers 1 to y, by y
    std::vector<uint64_t> m_outputBytes;            //!< b_y, by y
    uint32_t m_stay{0};                             //!< number of the present stay, from 1
    bool m_isIn{false};                             //!< whether it has joined and not left
    bool m_isLeaving{false};                        //!< whether it leaves after the present step
    bool m_isResting{false};                        //!< whether it begins no further step
    bool m_isStepping{false};                       //!< whether a step has begun and not ended
    std::optional<std::size_t> m_cut;               //!< of the next step
    std::optional<uint32_t> m_next;                 //!< what the server told, not yet taken
    bool m_lacks{false};                            //!< whether m_next needs parameters
    std::size_t m_layers{0};                        //!< whose parameters it holds: 1 to that
    std::size_t m_latest{0};                        //!< layers of the latest cut taken
    uint32_t m_version{0};                          //!< of these parameters
    StepRecord m_step;                              //!< present or last
    uint32_t m_steps{0};                            //!< begun so far
    uint32_t m_collected{0};                        //!< steps not yet sent up
    uint32_t m_collectedVersion{0};                 //!< oldest that took them
    uint32_t m_trajectories{0};                     //!< under way

    /// Fires when a step begins.
    TracedCallback<uint32_t /* actor */> m_beginTrace;
    /// Fires when a step has ended.
    TracedCallback<const StepRecord& /* step */> m_endTrace;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ACTOR_DEVICE_H */
