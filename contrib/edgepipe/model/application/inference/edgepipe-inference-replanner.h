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

/** What an end device and its server infer together, and who decides how. */
struct InferenceJob
{
    uint32_t server{0};       //!< id of the server's node
    TwoWayCutProblem problem; //!< model and costs; its bandwidths are those of the first decision
    /// The same model as it runs, where planners are told other costs; none: the problem
    std::optional<TwoWayCutProblem> executed{};
    std::vector<uint64_t> parameterBytes; //!< by layer, bytes of its weights; for moving them
    Ptr<TwoWayCutPlanner> planner;        //!< who decides
    Ptr<BandwidthMonitor> monitor;        //!< knows the bandwidth
    BandwidthMonitor::Capacity capacity;  //!< what an oracle knows; may be null
    double serverShare{1}; //!< of the server that is left when the first plan is made
    uint32_t cell{0};      //!< that the device sends in, from 1 on; 0: its way is its own
};

/**
 * @ingroup edgepipe
 *
 * An end device's decisions: watches bandwidth, decides anew, and sees that weights are in place.
 *
 * Decisions are due, and cost the device, as Replanner says; the figures are the estimates of the
 * uplink and the downlink, and, if FollowLoad, the shares of the device, looked at whenever a frame
 * has ended, and of the server, as it says, that are left: what layers take is divided by them. The
 * first decision is made before the run, for idle sides, and costs nothing.
 *
 * If KnowOthers, which is ours, decisions also count what is in the way of the next frame. The
 * server says what other devices take (ServerSharing), as frames arrive, or when it is asked every
 * ReplanPeriod while nothing goes there. Of the server the next frame gets what they leave, at
 * least an equal part, and so of the uplink of a radio cell, unless the monitor measures it beside
 * them (BandwidthMonitor::IsMeasured). Before the device it waits for those that wait there, each
 * as long as itself; before the uplink for the bytes that are to be sent, and before the server for
 * its backlog, which counts once, with the last layer, for any partition that uses the server.
 * Where the objective is throughput, what waits does not count.
 *
 * Unless BothHoldModel, each side starts with the weights of the layers that the first plan gives
 * it. Under a later plan, those that the server lacks are sent to it before anything else; those
 * that the device lacks are fetched, and the old plan stays in force until they have arrived.
 * Nobody forgets weights, so each layer's cross at most once each way. A decision that keeps the
 * partition changes nothing. One decision at a time: what is due meanwhile is decided afterwards.
 */
class InferenceReplanner : public Replanner
{
  public:
    /// Told of a plan when the next frame is to be begun under it.
    using PlanCallback = Callback<void, const PlanRecord&>;

    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    /** @param job what is inferred; before Start */
    void SetJob(InferenceJob job)
    {
        m_job = std::move(job);
    }

    /** @return what is inferred */
    const InferenceJob& GetJob() const
    {
        return m_job;
    }

    /**
     * Make the first plan, and begin to watch the bandwidth.
     *
     * @param socket moves messages of the device
     * @param compute its processor
     * @param changed told of every plan, also the first
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
     * @param waitingFrames that wait before the device
     * @param uplinkBytes that wait before the uplink
     */
    void NoticeFrame(uint64_t waitingFrames, uint64_t uplinkBytes);

    /** @param share of the server that is left, as it says, 0 to 1 */
    void TakeServerShare(double share)
    {
        m_serverShare = m_followLoad ? share : 1;
        DecideIfDue();
    }

    /** @param sharing what the server says of the other devices */
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

    /** @return decisions made, those included that kept the partition */
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
    /** What the next frame finds; all as for a lone one on idle sides at first. */
    struct Conditions
    {
        double uplinkBitsPerSecond{0};   //!< share of the uplink
        double downlinkBitsPerSecond{0}; //!< share of the downlink
        double deviceShare{1};           //!< of the device
        double serverShare{1};           //!< of the server
        double waitSeconds{0};           //!< before uplink and server
    };

    /** Decide anew if the estimates have left what the last decision was made for. */
    void DecideIfDue();
    /**
     * Decide anew, and pay for it.
     * @param conditions what the next frame finds
     */
    void Decide(const Conditions& conditions);
    /**
     * @param conditions what the next frame finds
     * @return the plan for them
     */
    PlanRecord MakePlan(const Conditions& conditions);
    /** @return what is known of what the next frame finds */
    Conditions FindConditions() const;
    /**
     * @param conditions what the next frame finds
     * @return the figures that make a decision due
     */
    std::vector<double> ListFigures(const Conditions& conditions) const;
    /** Move weights for the plan decided on, or use it at once. */
    void Prepare();
    /** Hand the plan decided on to the device. */
    void HandOut();

    /** Nothing is being decided any more. */
    void Settle()
    {
        m_isDeciding = false;
        DecideIfDue();
    }

    /**
     * Send the server a message.
     *
     * @param kind what it is
     * @param bytes payload
     * @param body real bytes; may be empty
     */
    void Tell(InferenceTag::Kind kind,
              uint64_t bytes = INFERENCE_NOTICE_BYTES,
              const std::string& body = "")
    {
        m_socket.Send(m_job.server, INFERENCE_SERVER_PORT, InferenceTag{kind}.Pack(), bytes, body);
    }

    InferenceJob m_job;                    //!< what is inferred
    std::unique_ptr<CutDecider> m_decider; //!< what to decide with on idle sides
    std::unique_ptr<CutDecider> m_loaded;  //!< the same under load; null: none yet
    std::vector<double> m_loadedFor;       //!< shares and wait that it is for
    bool m_followLoad;                     //!< whether load matters
    bool m_knowOthers;                     //!< whether what is in the way of a frame matters
    ServerSharing m_sharing;               //!< what the server said last
    uint64_t m_waitingFrames{0};           //!< before the device, when the last frame ended
    uint64_t m_uplinkBytes{0};             //!< before the uplink at that time
    double m_loneSeconds{0};               //!< latency of a lone frame under the first plan
    double m_deviceShare{1};               //!< of the device that is left, as last looked at
    double m_serverShare{1};               //!< of the server that is left, as last told
    PlanCallback m_changed;                //!< told of plans
    bool m_replan;                         //!< whether to decide anew at all
    bool m_bothHoldModel;                  //!< whether no weights ever need to move
    PlanRecord m_plan;                     //!< decided on last
    std::vector<bool> m_isOnDevice;        //!< by layer: whether the device has its weights
    std::vector<bool> m_isOnServer;        //!< by layer: whether the server has its weights
    bool m_isDeciding{false};              //!< whether a decision is not in force yet
    bool m_isFetching{false};              //!< whether weights are to arrive
    uint64_t m_decisions{0};               //!< made so far

    /// Fires when the monitor has a new estimate, and once at the start.
    TracedCallback<double /* uplink */, double /* downlink */> m_bandwidthTrace;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_INFERENCE_REPLANNER_H */
