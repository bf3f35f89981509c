/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_REPLANNER_H
#define EDGEPIPE_PIPELINE_REPLANNER_H

#include "ns3/edgepipe-link-beliefs.h"
#include "ns3/edgepipe-pipeline-decider.h"
#include "ns3/edgepipe-pipeline-job.h"
#include "ns3/edgepipe-pipeline-message.h"
#include "ns3/edgepipe-replanner.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** A decision between two iterations. */
struct PlanChange
{
    uint32_t iteration{0};     //!< the next one, first under the new plan if there is one
    Time decided;              //!< when it was decided, the decision's own time over
    Time inForce;              //!< when every device had reported that all is in place; 0 before
    PipelineState state;       //!< what it was decided for
    PipelineDecision decision; //!< what was decided
};

/**
 * @ingroup edgepipe
 *
 * The coordinator's decisions during a training: collects what devices report, decides anew between
 * two iterations when that has changed, and has layers change devices.
 *
 * Devices with a stage report with their last message of an iteration, the others when their share
 * changes. These are also asked at the start and before every decision, and the pipeline waits for
 * their answers only then; one that has not answered within ReportTimeout cannot be used until it
 * does. Where the problem has one bandwidth, it is taken to be the smallest that was reported,
 * since a pipeline is as slow as its slowest link; if none was, as before. Where devices have rates
 * of their own, each pair's report tells of these (LinkBeliefs).
 *
 * Between iterations a decision is due, and costs the coordinator's device, as Replanner says; the
 * figures are the bandwidth and every device's share. If the change pays back within ReplanHorizon
 * iterations or those that are left, whichever are fewer (DecidePipeline), every device of the old
 * or the new plan is told what it has and what to hand over, and the next iteration begins when all
 * have reported READY.
 */
class PipelineReplanner : public Replanner
{
  public:
    /// Told to go on, with the stages of the plan in force; empty: they are as before.
    using ProceedCallback = std::function<void(const std::vector<PipelinePlacement>&)>;

    /** What it decides on. */
    struct Task
    {
        PipelineJob job;        //!< the training; its problem has idle devices
        PipelinePlan plan;      //!< the first one
        uint32_t iterations{1}; //!< of the training
    };

    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    /**
     * Say what to decide on; before the first message.
     *
     * @param socket moves the coordinator's messages
     * @param compute its processor
     * @param task what to decide on
     * @param proceed told how to go on after Consider
     */
    void SetUp(const TensorSocket& socket,
               Ptr<ComputeDevice> compute,
               Task task,
               ProceedCallback proceed);

    /**
     * Look at a message for the coordinator.
     *
     * @param message the message; no refusal
     * @return whether it was for the replanner alone
     */
    bool Take(const Message& message);

    /**
     * An iteration has ended: decide, if that is due, and say how to go on.
     *
     * @param iteration the next one
     * @param left iterations to come
     */
    void Consider(uint32_t iteration, uint32_t left);

    /** @return what it waits for, in words; empty if it waits for nothing */
    std::string DescribeWait() const;

    /**
     * TracedCallback signature of the trace sources.
     *
     * @param [in] change the change; inForce is set in Migration alone
     */
    typedef void (*PlanChangeTracedCallback)(const PlanChange& change);

  protected:
    void DoDispose() override;

  private:
    /** Ask the devices without a stage for their reports. */
    void AskIdle();
    /** Decide; all reports are in that will come. */
    void Decide();
    /** Put a decision that is worth it into force. */
    void Migrate();

    /**
     * @param node id of a node of the training
     * @return which of the problem's devices it is
     */
    std::size_t GetIndex(uint32_t node) const
    {
        const auto& nodes = m_task.job.nodes;
        return std::find(nodes.begin(), nodes.end(), node) - nodes.begin();
    }

    /**
     * @param device with a stage but the last of several
     * @return which device it watches
     */
    std::size_t FindWatched(std::size_t device) const;
    /** @return what the reports say */
    PipelineState MakeState();
    /**
     * @param state of the devices and links
     * @return its figures
     */
    static std::vector<double> ListFigures(const PipelineState& state);

    Ptr<PipelinePlanner> m_planner;             //!< who decides
    Task m_task;                                //!< with the plan in force
    ProceedCallback m_proceed;                  //!< told how to go on
    uint32_t m_horizon;                         //!< iterations within which a change pays back
    Time m_timeout;                             //!< longest wait for reports
    double m_bitsPerSecond{0};                  //!< that the last decision was made for
    bool m_hasOwnRates{false};                  //!< whether devices of the problem have their own
    LinkBeliefs m_links;                        //!< of these
    std::map<uint32_t, DeviceReport> m_reports; //!< the latest, by device
    std::set<uint32_t> m_asked;                 //!< devices that have yet to answer
    std::set<uint32_t> m_silent;                //!< devices that did not answer in time
    EventId m_patience;                         //!< end of the wait for reports
    PlanChange m_change;                        //!< present or last one
    uint32_t m_left{0};                         //!< iterations to come
    bool m_isMigrating{false};                  //!< whether a change is under way
    std::set<uint32_t> m_unready;               //!< devices that have yet to take it on

    /// Fires when a decision has been made, whether the plan changes or not.
    TracedCallback<const PlanChange& /* decision */> m_decisionTrace;
    /// Fires when a change of plan has been decided on.
    TracedCallback<const PlanChange& /* change */> m_planChangeTrace;
    /// Fires when all weights of a change are in place.
    TracedCallback<const PlanChange& /* change */> m_migrationTrace;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_REPLANNER_H */
