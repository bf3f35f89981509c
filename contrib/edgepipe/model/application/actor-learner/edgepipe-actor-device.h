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
 * An actor that steps its environment and infers an action, one step after the other.
 *
 * The node is an edge device with a transport. Environment steps and layers 1 to y are tasks of the
 * actor's processor. At y < K the actor sends the cut tensor b_y to the server, which returns the
 * action. The actor joins and leaves by messages, when the application starts and stops or on Join
 * and Leave. It takes no step before it has its first cut and the parameters of its layers. Where
 * actors decide together, it exchanges messages with the others. A later cut applies from the first
 * step after the cut and any missing parameters have arrived.
 *
 * The server has not seen the observations of steps at y > 0, so these are collected and sent to it
 * as trajectories in the background. While MostTrajectories of them are in transit, no new step
 * starts, as memory is finite. A leaving actor finishes its step and sends the collected steps.
 *
 * With a monitor, the actor watches its link to the server from its first join on, and measures its
 * load by timing its own work. It reports both when its Replanner says that a decision is due; the
 * decision costs the server, not the actor. Only one report is in transit at a time. Without a
 * monitor, the actor states its load when it joins and reports nothing later.
 */
class ActorDevice : public Typed<ActorDevice, EdgeApplication>
{
  public:
    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    /**
     * Set the server and the network; before the application starts.
     *
     * @param server id of its node
     * @param model the network
     * @param actor speed or layer times of the idle actor
     */
    void SetUp(uint32_t server, const MultiActorModel& model, const MultiActor& actor);

    /// Bandwidth assumed for the link before the first estimate, payload bit/s, > 0.
    using FirstCallback = std::function<double()>;

    /**
     * Watch the link; before the application starts.
     *
     * @param monitor of the link; not started yet
     * @param capacity for an oracle; may be null
     * @param first called when the actor first joins
     */
    void SetMonitor(Ptr<BandwidthMonitor> monitor,
                    BandwidthMonitor::Capacity capacity,
                    FirstCallback first)
    {
        m_monitor = monitor;
        m_capacity = std::move(capacity);
        m_first = std::move(first);
    }

    /** @return the replanner that triggers reports */
    Ptr<Replanner> GetReporter() const
    {
        return m_reporter;
    }

    ActorDevice();

    /** Ask the server to join; after the application has started, not while joined. */
    void Join();

    /** Leave after the present step, if joined. */
    void Leave()
    {
        m_isLeaving = m_isIn;
        BeginNext();
    }

    /** Begin no further step, because the run ends. */
    void Rest()
    {
        m_isResting = true;
    }

    /** @return whether it has joined and not left */
    bool IsIn() const
    {
        return m_isIn;
    }

    /** @return whether a step is in progress */
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
     * @return number of streams used
     */
    int64_t AssignStream(int64_t stream)
    {
        m_environmentSeconds->SetStream(stream);
        return 1;
    }

    /**
     * TracedCallback signature of the trace source StepEnd.
     *
     * @param [in] step as far as the actor knows it
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
     * Report the end of a meeting to the server. The server named the actors to meet, and this
     * actor asked all of them at once what they hold and may choose; each answers at once, even
     * after leaving. The planner decides the result (MultiActorRound).
     *
     * @param round number of the round
     */
    void FinishMeeting(uint32_t round)
    {
        Send({ActorTag::MET, round}, ACTOR_NOTICE_BYTES + MEETING_ENTRY_BYTES * m_met);
    }

    /** @return measured load, and with a monitor the estimated bandwidth of the link */
    DeviceReport GetReport() const;
    /** Send a report if one is due. */
    void ReportIfDue();
    /** Leave, or apply a pending cut and begin a step, unless something forbids it. */
    void BeginNext();
    /** The environment step is done. */
    void Observe();
    /** The actor's layers have been computed. */
    void Compute();
    /** The action is available. */
    void End();
    /** Send the collected steps to the server, if any. */
    void SendTrajectory();

    /**
     * Send a message to the server.
     * @param tag of the message
     * @param bytes its payload
     * @param delivered called on delivery; may be null
     * @param body real bytes at the start of the payload
     */
    void Send(const ActorTag& tag,
              uint64_t bytes,
              TensorTransport::DeliveredCallback delivered = {},
              const std::string& body = "")
    {
        m_socket.Send(m_server, ACTOR_SERVER_PORT, tag.Pack(), bytes, body, delivered);
    }

    Ptr<RandomVariableStream> m_environmentSeconds; //!< of an environment step on the idle actor
    uint32_t m_unroll;                              //!< steps per trajectory
    uint64_t m_stepBytes;                           //!< bytes per step in a trajectory
    uint32_t m_mostTrajectories;                    //!< most trajectories in transit
    bool m_joinsAtStart;                            //!< whether it joins when it starts
    uint32_t m_server{0};                           //!< id of the server's node
    Ptr<Replanner> m_reporter;                      //!< triggers reports
    Ptr<BandwidthMonitor> m_monitor;                //!< of its link; null: nothing is reported
    BandwidthMonitor::Capacity m_capacity;          //!< for an oracle
    FirstCallback m_first;                          //!< initial bandwidth of the link
    bool m_isWatching{false};                       //!< whether the monitor has begun
    bool m_reports{false};                          //!< whether reports are enabled
    bool m_isReporting{false};                      //!< whether a report is in transit
    std::size_t m_met{0};                           //!< actors met in the latest meeting
    std::size_t m_awaited{0};                       //!< their answers still missing
    std::vector<double> m_seconds;                  //!< of layers 1 to y on the idle actor, by y
    std::vector<uint64_t> m_outputBytes;            //!< size of b_y, by y
    uint32_t m_stay{0};                             //!< number of the present stay, from 1
    bool m_isIn{false};                             //!< whether it has joined and not left
    bool m_isLeaving{false};                        //!< whether it leaves after the present step
    bool m_isResting{false};                        //!< whether it begins no further step
    bool m_isStepping{false};                       //!< whether a step is in progress
    std::optional<std::size_t> m_cut;               //!< of the next step
    std::optional<uint32_t> m_next;                 //!< cut or RELEASE that is not applied yet
    bool m_lacks{false};                            //!< whether m_next needs parameters
    std::size_t m_layers{0};                        //!< parameters held: layers 1 to this
    std::size_t m_latest{0};                        //!< layers of the latest cut applied
    uint32_t m_version{0};                          //!< learner's version of the parameters
    StepRecord m_step;                              //!< present or last
    uint32_t m_steps{0};                            //!< begun so far
    uint32_t m_collected{0};                        //!< steps not yet sent up
    uint32_t m_collectedVersion{0};                 //!< oldest version used for these
    uint32_t m_trajectories{0};                     //!< in transit

    /// Fires when a step begins.
    TracedCallback<uint32_t /* actor */> m_beginTrace;
    /// Fires when a step has ended.
    TracedCallback<const StepRecord& /* step */> m_endTrace;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ACTOR_DEVICE_H */
