/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_INFERENCE_REPLANNER_H
#define EDGEPIPE_INFERENCE_REPLANNER_H

#include "ns3/callback.h"
#include "ns3/edgepipe-cut-decider.h"
#include "ns3/edgepipe-inference-job.h"
#include "ns3/edgepipe-inference-message.h"
#include "ns3/edgepipe-inference-record.h"
#include "ns3/edgepipe-replanner.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

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

    /**
     * Make the first decision and begin to watch; to be called once.
     *
     * @param socket moves the device's messages
     * @param compute the device's processor
     * @param job what to decide on
     * @param changed told of the first plan, now, and of every later one
     * @throws InputError if the planner finds no plan
     */
    void Start(const TensorSocket& socket,
               Ptr<ComputeDevice> compute,
               const InferenceJob& job,
               PlanCallback changed);

    void Stop() override;

    /**
     * A frame has ended.
     *
     * @param waitingFrames that wait before the device
     * @param uplinkBytes that wait before the uplink
     */
    void NoticeFrame(uint64_t waitingFrames, uint64_t uplinkBytes);

    /** @param share of the server that is left, as it says, 0 to 1 */
    void TakeServerShare(double share);

    /** @param sharing what the server says of the other devices */
    void TakeSharing(const ServerSharing& sharing);

    /** The weights that were fetched have arrived. */
    void TakeWeights();

    /** @return the plan decided on last; inForce is not set */
    const PlanRecord& GetPlan() const;

    /** @return the problem that the plans are for */
    const TwoWayCutProblem& GetProblem() const;

    /** @return decisions made, those included that kept the partition */
    uint64_t GetDecisions() const;

    /** @return what it waits for, in words; empty if it waits for nothing */
    std::string DescribeWait() const;

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
        double uplinkBitsPerSecond{0};   //!< that it gets
        double downlinkBitsPerSecond{0}; //!< likewise
        double deviceShare{1};           //!< of the device
        double serverShare{1};           //!< of the server
        double waitSeconds{0};           //!< before uplink and server
    };

    /**
     * The monitor has a new estimate.
     * @param uplinkBitsPerSecond of the uplink
     * @param downlinkBitsPerSecond of the downlink
     */
    void NoticeBandwidth(double uplinkBitsPerSecond, double downlinkBitsPerSecond);
    void NoticePeriod() override;
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
    /**
     * @param conditions what the next frame finds
     * @return what to decide with
     */
    CutDecider& GetDecider(const Conditions& conditions);
    /**
     * Ask the server something.
     * @param kind of message
     */
    void AskServer(uint8_t kind);
    /** Move weights for the plan decided on, or use it at once. */
    void Prepare();
    /** Hand the plan decided on to the device. */
    void HandOut();
    /** Nothing is being decided any more. */
    void Settle();
    /**
     * Send a set of layers to the server.
     * @param kind of message
     * @param isIncluded the layers
     * @param weightBytes of their weights, if they come along
     */
    void Send(uint8_t kind, const std::vector<bool>& isIncluded, uint64_t weightBytes);

    uint32_t m_server{0};                   //!< id of the server's node
    Ptr<TwoWayCutPlanner> m_planner;        //!< who decides
    std::unique_ptr<CutDecider> m_decider;  //!< what to decide with on idle sides
    std::unique_ptr<CutDecider> m_loaded;   //!< the same under load; null: none yet
    std::vector<double> m_loadedFor;        //!< shares and wait that it is for
    bool m_followLoad;                      //!< whether load matters
    bool m_knowOthers;                      //!< whether what is in the way of a frame matters
    ServerSharing m_sharing;                //!< what the server said last
    uint64_t m_waitingFrames{0};            //!< before the device, when the last frame ended
    uint64_t m_uplinkBytes{0};              //!< before the uplink, likewise
    double m_loneSeconds{0};                //!< latency of a lone frame under the first plan
    double m_deviceShare{1};                //!< of the device that is left, as last looked at
    double m_serverShare{1};                //!< of the server that is left, as last told
    std::vector<uint64_t> m_parameterBytes; //!< by layer
    Ptr<BandwidthMonitor> m_monitor;        //!< knows the bandwidth
    PlanCallback m_changed;                 //!< told of plans
    bool m_replan;                          //!< whether to decide anew at all
    bool m_bothHoldModel;                   //!< whether no weights ever need to move
    PlanRecord m_plan;                      //!< decided on last
    std::vector<bool> m_isOnDevice;         //!< by layer: whether the device has its weights
    std::vector<bool> m_isOnServer;         //!< by layer: whether the server has its weights
    bool m_isDeciding{false};               //!< whether a decision is not in force yet
    bool m_isFetching{false};               //!< whether weights are to arrive
    uint64_t m_decisions{0};                //!< made so far

    /// Fires when the monitor has a new estimate, and once at the start.
    TracedCallback<double /* uplink */, double /* downlink */> m_bandwidthTrace;
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_INFERENCE_REPLANNER_H */
