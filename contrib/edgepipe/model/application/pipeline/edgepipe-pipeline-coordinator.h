/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_COORDINATOR_H
#define EDGEPIPE_PIPELINE_COORDINATOR_H

#include "ns3/application.h"
#include "ns3/callback.h"
#include "ns3/edgepipe-pipeline-message.h"
#include "ns3/edgepipe-pipeline-replanner.h"
#include "ns3/edgepipe-tensor-transport.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Hands out the plan and keeps the iterations of a pipeline-parallel training in step.
 *
 * Every worker gets its StageAssignment as a message. Once all are ready, an iteration begins
 * with a message to every worker and ends when every worker has reported its weight update; the
 * next one begins then, if there is a replanner as soon as that has decided and, where the plan
 * changes, all weights are in place.
 */
class PipelineCoordinator : public Application
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    /// A stage and the device that is to run it.
    using Placement = PipelinePlacement;

    /**
     * Say where the coordinator lives and what is to be done; before the application starts.
     *
     * @param device index of the coordinator's device
     * @param transport moves its messages
     * @param plan one entry per stage, in pipeline order
     */
    void SetUp(uint32_t device, Ptr<TensorTransport> transport, std::vector<Placement> plan);

    /**
     * Have plans changed between iterations; after SetUp, before the application starts.
     *
     * @param compute processor of the coordinator's device
     * @param replanner decides
     * @param task what it decides on
     */
    void SetReplanner(Ptr<ComputeDevice> compute,
                      Ptr<PipelineReplanner> replanner,
                      PipelineReplanner::Task task);

    /**
     * @param finished called once, when the last iteration has ended or a worker has refused
     */
    void SetFinishedCallback(Callback<void> finished);

    /** @return whether the last iteration has ended */
    bool IsFinished() const;

    /** @return why a worker refused its stage, empty if none did */
    std::string GetRefusal() const;

    /** @return what the coordinator waits for, in words; empty once it is finished */
    std::string DescribeWait() const;

    /**
     * TracedCallback signature of the iteration trace sources.
     *
     * @param [in] iteration which iteration, from 0
     */
    typedef void (*IterationTracedCallback)(uint32_t iteration);

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;

    /**
     * A message for the coordinator has arrived.
     * @param message the message
     */
    void Receive(const Message& message);
    /**
     * Go on after the replanner has been asked.
     * @param plan the new stages; empty: they are as before
     */
    void Proceed(const std::vector<Placement>& plan);
    /** Tell every worker to begin the present iteration. */
    void StartIteration();
    /** Tell the scenario that there is nothing more to do. */
    void Finish();

    uint32_t m_device{0};               //!< index of the device
    Ptr<TensorTransport> m_transport;   //!< moves messages
    std::vector<Placement> m_plan;      //!< by stage
    uint32_t m_iterations;              //!< how many to run
    uint32_t m_iteration{0};            //!< present iteration
    bool m_training{false};             //!< whether all workers were ready
    bool m_finished{false};             //!< whether the last iteration has ended
    std::string m_refusal;              //!< why a worker refused
    std::set<uint32_t> m_missing;       //!< devices that have yet to answer
    Ptr<PipelineReplanner> m_replanner; //!< changes plans; may be null
    Callback<void> m_finishedCallback;  //!< tells the scenario

    /// Fires when the workers are told to begin an iteration.
    TracedCallback<uint32_t /* iteration */> m_iterationStartTrace;
    /// Fires when every worker has reported the end of an iteration.
    TracedCallback<uint32_t /* iteration */> m_iterationEndTrace;
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PIPELINE_COORDINATOR_H */
