/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_COORDINATOR_H
#define EDGEPIPE_PIPELINE_COORDINATOR_H

#include "ns3/edgepipe-cut-sharing.h"
#include "ns3/edgepipe-edge-application.h"
#include "ns3/edgepipe-pipeline-job.h"
#include "ns3/edgepipe-pipeline-message.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/edgepipe-pipeline-replanner.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Hands out the plan and keeps the iterations of a pipeline-parallel training in step.
 *
 * When it starts it asks the planner for a plan, unless one was given, since routes do not exist
 * earlier. An error found then, such as a model that fits nowhere, is an InputError out of
 * Simulator::Run. Every worker gets its StageAssignment as a message. Once all are ready, an
 * iteration begins with a message to every worker and ends when every worker has reported its
 * weight update. The next one begins then or, with a replanner, once that has decided and all
 * weights of a changed plan are in place.
 */
class PipelineCoordinator : public Typed<PipelineCoordinator, EdgeApplication>
{
  public:
    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    PipelineCoordinator();

    /**
     * Set the job; call before the application starts.
     *
     * @param job the training; each of its nodes has a PipelineWorker of the same job number
     */
    void SetJob(PipelineJob job)
    {
        m_job = std::move(job);
    }

    /**
     * Train by a given plan instead of the planner's; call before the application starts.
     *
     * @param plan for the job's problem; CheckPlan has accepted it
     */
    void SetPlan(PipelinePlan plan)
    {
        m_plan = std::move(plan);
    }

    /** @return the first plan; empty before the application has started, unless it was given */
    const PipelinePlan& GetPlan() const
    {
        return m_plan;
    }

    /** @return whether the last iteration has ended */
    bool IsFinished() const
    {
        return m_finished;
    }

    /** @return why a worker refused its stage, empty if none did */
    std::string GetRefusal() const
    {
        return m_refusal;
    }

    /** @return what the coordinator waits for, in words; empty once it is finished */
    std::string DescribeWait() const override;

    /**
     * TracedCallback signature of the iteration trace sources.
     *
     * @param [in] iteration which iteration, from 0
     */
    typedef void (*IterationTracedCallback)(uint32_t iteration);

    /**
     * TracedCallback signature of the trace source Plan.
     *
     * @param [in] plan the first plan
     * @param [in] predictedSeconds iteration time by PipelineCostModel, s
     */
    typedef void (*PlanTracedCallback)(const PipelinePlan& plan, double predictedSeconds);

    /**
     * TracedCallback signature of the trace source Sharing.
     *
     * @param [in] cuts shares, one for each cut of the plan
     * @param [in] work of the decision, s on the idle device
     */
    typedef void (*SharingTracedCallback)(const std::vector<SharedCut>& cuts, double work);

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;
    void Receive(const Message& message) override;
    /** Let stages share the layers at their cuts, see CutSharing, and pay for the decision. */
    void ShareCuts();
    /** Send the workers their stages. */
    void SendAssignments();

    /** Tell every worker to begin the present iteration. */
    void StartIteration();
    /** There is nothing more to do. */
    void End();

    PipelineJob m_job;                       //!< the training
    Ptr<PipelinePlanner> m_planner;          //!< makes the first plan unless one was given
    PipelinePlan m_plan;                     //!< the first plan
    std::vector<PipelinePlacement> m_stages; //!< of the plan in force
    uint32_t m_iterations;                   //!< iterations to run
    bool m_feedsSamples;                     //!< see the attribute FeedSamples
    bool m_routesThroughHeads;               //!< see the attribute RouteThroughHeads
    bool m_sharesCuts;                       //!< see the attribute ShareCuts
    std::string m_sharedCuts;                //!< given shares; empty: find them
    Time m_sharingPassTime;                  //!< see the attribute SharingPassTime
    uint32_t m_iteration{0};                 //!< present iteration
    bool m_training{false};                  //!< whether all workers were ready
    bool m_finished{false};                  //!< whether the last iteration has ended
    bool m_isStopped{false};                 //!< whether the application has been stopped
    std::string m_refusal;                   //!< why a worker refused
    std::set<uint32_t> m_missing;            //!< devices that have yet to answer
    Ptr<PipelineReplanner> m_replanner;      //!< changes plans; may be null

    /// Fires at the start, when there is a plan.
    TracedCallback<const PipelinePlan& /* plan */, double /* predictedSeconds */> m_planTrace;
    /// Fires at the start, where stages share the layers at their cuts.
    TracedCallback<const std::vector<SharedCut>& /* cuts */, double /* work */> m_sharingTrace;
    /// Fires when the workers are told to begin an iteration.
    TracedCallback<uint32_t /* iteration */> m_iterationStartTrace;
    /// Fires when every worker has reported the end of an iteration.
    TracedCallback<uint32_t /* iteration */> m_iterationEndTrace;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_COORDINATOR_H */
