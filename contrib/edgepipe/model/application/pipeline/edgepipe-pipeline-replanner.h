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
    uint32_t iteration{0};     //!< the next one, the first under a new plan
    Time decided;              //!< when it was decided, including the decision's own time
    Time inForce;              //!< when every device had reported READY; 0 before
    PipelineState state;       //!< state it was decided for
    PipelineDecision decision; //!< the decision
};

/**
 * @ingroup edgepipe
 *
 * Re-plans for the coordinator during training: collects reports of devices, decides between two
 * iterations if these have changed, and moves layers between devices.
 *
 * Devices with a stage report with their last message of an iteration, the others when their share
 * changes. The others are also asked at the start and before every decision, and the pipeline waits
 * for their answers before a decision only; one that has not answered within ReportTimeout cannot
 * be used until it does. If the problem has one bandwidth, it is set to the smallest reported,
 * since a pipeline is as slow as its slowest link; without a report it stays. If devices have rates
 * of their own, these are inferred from the reports of pairs (LinkBeliefs).
 *
 * Replanner says when a decision is due, between iterations, and what it costs the coordinator's
 * device. The figures are the bandwidths and every device's share. If a change pays back within
 * ReplanHorizon iterations or the remaining ones, whichever are fewer (DecidePipeline), every
 * device of the old or new plan is told its new stage and what to hand over. The next iteration
 * begins when all have reported READY.
 */
class PipelineReplanner : public Typed<PipelineReplanner, Replanner>
{
  public:
    /// Called to go on, with the stages of the plan in force; empty: they are as before.
    using ProceedCallback = std::function<void(const std::vector<PipelinePlacement>&)>;

    /** The training to decide for. */
    struct Task
    {
        PipelineJob job;        //!< the training; its problem has idle devices
        PipelinePlan plan;      //!< the first plan
        uint32_t iterations{1}; //!< of the training
    };

    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    /**
     * Set the training; call before the first message.
     *
     * @param socket moves the coordinator's messages
     * @param compute its processor
     * @param task the training
     * @param proceed called to go on after Consider
     */
    void SetUp(const TensorSocket& socket,
               Ptr<ComputeDevice> compute,
               Task task,
               ProceedCallback proceed);

    /**
     * Handle a message for the coordinator.
     *
     * @param message the message; not a refusal
     * @return whether it was for the replanner alone
     */
    bool HandleMessage(const Message& message);

    /**
     * An iteration has ended: decide, if that is due, and go on.
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
    /** Decide, without waiting for more reports. */
    void Decide();
    /** Put the decision into force if it is worth it. */
    void Migrate();

    /**
     * @param node id of a node of the training
     * @return index of its device in the problem
     */
    std::size_t GetIndex(uint32_t node) const
    {
        const auto& nodes = m_task.job.nodes;
        return std::find(nodes.begin(), nodes.end(), node) - nodes.begin();
    }

    /** @return the state according to the reports */
    PipelineState MakeState();
    /**
     * @param state of the devices and links
     * @return its figures
     */
    static std::vector<double> ListFigures(const PipelineState& state);

    Ptr<PipelinePlanner> m_planner;             //!< makes the plans
    Task m_task;                                //!< with the plan in force
    ProceedCallback m_proceed;                  //!< called to go on
    uint32_t m_horizon;                         //!< iterations within which a change pays back
    Time m_timeout;                             //!< longest wait for reports
    double m_bitsPerSecond{0};                  //!< bandwidth at the last decision
    bool m_hasOwnRates{false};                  //!< whether devices have rates of their own
    LinkBeliefs m_links;                        //!< beliefs about those rates
    std::map<uint32_t, DeviceReport> m_reports; //!< the latest, by device
    std::set<uint32_t> m_asked;                 //!< devices that have yet to answer
    std::set<uint32_t> m_silent;                //!< devices that did not answer in time
    EventId m_patience;                         //!< end of the wait for reports
    PlanChange m_change;                        //!< present or last change
    uint32_t m_left{0};                         //!< iterations to come
    bool m_isMigrating{false};                  //!< whether a change is under way
    std::set<uint32_t> m_unready;               //!< devices that have yet to report READY

    /// Fires when a decision has been made, whether the plan changes or not.
    TracedCallback<const PlanChange& /* decision */> m_decisionTrace;
    /// Fires when a change of plan has been decided on.
    TracedCallback<const PlanChange& /* change */> m_planChangeTrace;
    /// Fires when all weights of a change are in place.
    TracedCallback<const PlanChange& /* change */> m_migrationTrace;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_REPLANNER_H */
