/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_INFERENCE_REPLANNER_H
#define EDGEPIPE_INFERENCE_REPLANNER_H

#include "ns3/callback.h"
#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/edgepipe-cut-decider.h"
#include "ns3/edgepipe-inference-message.h"
#include "ns3/edgepipe-inference-record.h"
#include "ns3/edgepipe-replanner.h"
#include "ns3/edgepipe-two-way-cut-planner.h"
#include "ns3/edgepipe-two-way-cut-problem.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** An inference shared by an end device and its server, with its planner and monitor. */
struct InferenceJob
{
    uint32_t server{0};       //!< id of the server's node
    TwoWayCutProblem problem; //!< model and costs; its bandwidths are those of the first decision
    /// The model with its actual costs, if planners see others; none: the problem
    std::optional<TwoWayCutProblem> executed{};
    SharedVector<uint64_t> parameterBytes; //!< by layer, bytes of its weights; for moving them
    Ptr<TwoWayCutPlanner> planner;         //!< makes the plans
    Ptr<BandwidthMonitor> monitor;         //!< estimates the bandwidth
    BandwidthMonitor::Capacity capacity;   //!< true capacity, for an oracle; may be null
    double serverShare{1};                 //!< server share available to the first plan
    uint32_t cell{0};                      //!< radio cell the device sends in, from 1; 0: none
};

/**
 * @ingroup edgepipe
 *
 * Re-plans for an end device: watches bandwidth, decides, and puts weights in place.
 *
 * Replanner says when a decision is due and what it costs the device. The figures are the uplink
 * and downlink estimates and, with FollowLoad, the available shares of the device, sampled when a
 * frame ends, and of the server, as reported; layer times are divided by these shares. The first
 * decision is made at the start, for the shares available then, and costs nothing.
 *
 * With KnowOthers, an extension of ours, decisions also count what delays the next frame. The
 * server reports the load of other devices (ServerSharing) as frames arrive; while no frame goes
 * there, it is asked every ReplanPeriod. The next frame gets the share of the server that the
 * others leave, at least an equal part. The same holds for the uplink of a radio cell, unless the
 * monitor measures it beside them (BandwidthMonitor::IsMeasured). At the device the frame waits for
 * those queued there, each as long as itself; at the uplink for the bytes to be sent; at the server
 * for its backlog. The latter two count once, with the last layer, for any partition that uses the
 * server. For the throughput objective, waiting does not count.
 *
 * Unless BothHoldModel, each side starts with the weights of the layers that the first plan gives
 * it. Under a later plan, weights that the server lacks are sent before anything else; weights that
 * the device lacks are fetched, and the old plan stays in force until they have arrived. Weights
 * are never discarded, so each layer's weights cross at most once each way. A decision that keeps
 * the partition changes nothing. Only one decision is made at a time; any that falls due meanwhile
 * follows it.
 */
class InferenceReplanner : public Typed<InferenceReplanner, Replanner>
{
  public:
    /// Called with a plan that the next frame is to start under.
    using PlanCallback = Callback<void, const PlanRecord&>;

    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    /** @param job the job; call before Start */
    void SetJob(InferenceJob job)
    {
        m_job = std::move(job);
    }

    /** @return the job */
    const InferenceJob& GetJob() const
    {
        return m_job;
    }

    /**
     * Make the first plan, and start watching the bandwidth.
     *
     * @param socket moves the device's messages
     * @param compute its processor
     * @param changed called with every plan, including the first
     */
    void Start(const TensorSocket& socket, Ptr<ComputeDevice> compute, PlanCallback changed);

    void Stop() override
    {
        Replanner::Stop();
        m_job.monitor->Stop();
        m_changed = PlanCallback();
    }

    /**
     * A frame has ended.
     *
     * @param waitingFrames frames waiting for the device
     * @param uplinkBytes bytes waiting for the uplink
     */
    void NoticeFrame(uint64_t waitingFrames, uint64_t uplinkBytes);

    /** @param share available share of the server, as reported, 0 to 1 */
    void TakeServerShare(double share)
    {
        m_serverShare = m_followLoad ? share : 1;
        DecideIfDue();
    }

    /** @param sharing the server's report on other devices */
    void TakeSharing(const ServerSharing& sharing)
    {
        m_sharing = sharing;
        DecideIfDue();
    }

    /** The weights that were fetched have arrived. */
    void TakeWeights()
    {
        m_isFetching = false;
        HandOut();
    }

    /** @return the plan decided on last; inForce is not set */
    const PlanRecord& GetPlan() const
    {
        return m_plan;
    }

    /** @return the problem that the plans are for */
    const TwoWayCutProblem& GetProblem() const
    {
        return m_decider->GetProblem();
    }

    /** @return decisions made, including those that kept the partition */
    uint64_t GetDecisions() const
    {
        return m_decisions;
    }

    /** @return what it waits for, in words; empty if it waits for nothing */
    std::string DescribeWait() const
    {
        return m_isFetching ? "the next plan waits for weights from the server" : "";
    }

    /**
     * TracedCallback signature of the trace source Bandwidth.
     *
     * @param [in] uplinkBitsPerSecond estimate of the uplink, bit/s
     * @param [in] downlinkBitsPerSecond estimate of the downlink, bit/s
     */
    typedef void (*BandwidthTracedCallback)(double uplinkBitsPerSecond,
                                            double downlinkBitsPerSecond);

  protected:
    void DoDispose() override;

  private:
    /** What the next frame finds; initially a lone frame on idle sides. */
    struct Conditions
    {
        double uplinkBitsPerSecond{0};   //!< share of the uplink
        double downlinkBitsPerSecond{0}; //!< share of the downlink
        double deviceShare{1};           //!< share of the device
        double serverShare{1};           //!< share of the server
        double waitSeconds{0};           //!< wait for uplink and server
    };

    /** Decide if the conditions have moved from those of the last decision. */
    void DecideIfDue();
    /**
     * Make a decision, and pay for it.
     * @param conditions what the next frame finds
     */
    void Decide(const Conditions& conditions);
    /**
     * @param conditions what the next frame finds
     * @return the plan for them
     */
    PlanRecord MakePlan(const Conditions& conditions);
    /** @return the conditions known for the next frame */
    Conditions FindConditions() const;
    /**
     * @param conditions what the next frame finds
     * @return the figures that make a decision due
     */
    std::vector<double> ListFigures(const Conditions& conditions) const;
    /** Move weights for the new plan, or hand it out at once. */
    void Prepare();
    /** Hand the new plan to the device. */
    void HandOut();

    /** A decision is over; make the next if due. */
    void Settle()
    {
        m_isDeciding = false;
        DecideIfDue();
    }

    /**
     * Send the server a message.
     *
     * @param kind kind of message
     * @param bytes payload
     * @param body real bytes; may be empty
     */
    void SendNotice(InferenceTag::Kind kind,
                    uint64_t bytes = INFERENCE_NOTICE_BYTES,
                    const std::string& body = "")
    {
        m_socket.Send(m_job.server, INFERENCE_SERVER_PORT, InferenceTag{kind}.Pack(), bytes, body);
    }

    InferenceJob m_job;                    //!< the job
    std::unique_ptr<CutDecider> m_decider; //!< plans for idle sides
    std::unique_ptr<CutDecider> m_loaded;  //!< plans under load; null: none yet
    std::vector<double> m_loadedFor;       //!< shares and wait of m_loaded
    bool m_followLoad;                     //!< whether decisions account for load
    bool m_knowOthers;                     //!< whether decisions count what delays a frame
    ServerSharing m_sharing;               //!< the server's last report
    uint64_t m_waitingFrames{0};           //!< waiting for the device when the last frame ended
    uint64_t m_uplinkBytes{0};             //!< waiting for the uplink at that time
    double m_loneSeconds{0};               //!< latency of a lone frame under the first plan
    double m_deviceShare{1};               //!< available share of the device, as last sampled
    double m_serverShare{1};               //!< available share of the server, as last reported
    PlanCallback m_changed;                //!< called with plans
    bool m_replan;                         //!< whether to re-plan during the run
    bool m_bothHoldModel;                  //!< whether no weights ever need to move
    PlanRecord m_plan;                     //!< last plan decided on
    std::vector<bool> m_isOnDevice;        //!< by layer: whether the device has its weights
    std::vector<bool> m_isOnServer;        //!< by layer: whether the server has its weights
    bool m_isDeciding{false};              //!< whether a decision is not in force yet
    bool m_isFetching{false};              //!< whether fetched weights have yet to arrive
    uint64_t m_decisions{0};               //!< decisions made

    /// Fires when the monitor has a new estimate, and once at the start.
    TracedCallback<double /* uplink */, double /* downlink */> m_bandwidthTrace;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_INFERENCE_REPLANNER_H */
