/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ADJACENT_SCHEDULER_H
#define EDGEPIPE_ADJACENT_SCHEDULER_H

#include "ns3/edgepipe-adjacent-scheduling.h"
#include "ns3/edgepipe-assistance-loans.h"
#include "ns3/edgepipe-compute-device.h"
#include "ns3/edgepipe-memory-ledger.h"
#include "ns3/edgepipe-pipeline-message.h"
#include "ns3/edgepipe-pipeline-schedule.h"
#include "ns3/edgepipe-tensor-socket.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * A worker's part in adjacent scheduling: algorithm 3 of DGPAS, J. Li et al., "DGPAS: DQN-GRU
 * guided distributed DNN pipeline training and adjacent scheduling in edge networks", Computer
 * Networks 271, 2025.
 *
 * A worker that is idle because its next step lacks a tensor sends a request to the neighbour that
 * is to make that tensor. A busy worker looks for requests at checkpoints, evenly spaced in the
 * work of its running task. If the awaited step is not over yet, it splits the samples that are
 * left (SplitSamples) and grants the helper its part, or refuses until its next task. The helper
 * computes and reports; a step's output leaves when all its samples have been computed. What a
 * helper computes for others has checkpoints too, so that help is handed on along the pipeline.
 * A request says what it waits for, so that it ends by itself once that has been sent; and as a
 * worker waits for one neighbour, nobody gets two grants at a time.
 */
class AdjacentScheduler : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    /**
     * @param socket moves the worker's messages
     * @param compute its processor
     * @param memory its memory
     * @param complete called when all samples of one of the worker's own steps have been computed
     * @param advance called when something the worker may have waited for has happened
     */
    void SetUp(const TensorSocket& socket,
               Ptr<ComputeDevice> compute,
               std::shared_ptr<MemoryAccount> memory,
               std::function<void(const PipelineStep&)> complete,
               std::function<void()> advance);

    /**
     * The worker has taken on a stage.
     *
     * @param stage the stage
     * @param steps its steps
     */
    void Assign(const StageAssignment& stage, const std::vector<PipelineStep>& steps);

    /** An iteration begins. @param iteration which */
    void BeginIteration(uint32_t iteration);

    /** The worker is idle because its next step lacks its input. @param step that step */
    void NoticeIdle(const PipelineStep& step);

    /** The worker is idle because it has finished the iteration, weight update and all. */
    void NoticeFinished()
    {
        // The next stage has finished before.
        if (IsEligible(AdjacentEligibility::IDLE) && !m_hasAsked && m_stage.stage > 0)
        {
            Ask(m_stage.previous, true, m_stage.microBatches);
        }
    }

    /**
     * The worker is about to send a step's output on.
     *
     * @param step that step
     * @param bytes of it
     * @return to be called on delivery; may be null
     */
    Callback<void> NoticeOutput(const PipelineStep& step, uint64_t bytes);

    /**
     * The worker's next step has been given to the processor.
     *
     * @param step that step
     * @param isRunning whether it runs at once; else another application's task runs, and nothing
     *        of the step can be given away
     */
    void NoticeStart(const PipelineStep& step, bool isRunning);

    /**
     * The worker's part of the running step is over.
     * @return whether all its samples have been computed; else complete is called when they have
     */
    bool NoticeEnd();

    /**
     * A message has arrived.
     *
     * @param from sender
     * @param tag what it is
     * @param body its real bytes
     * @return whether it was for the scheduler
     */
    bool Receive(uint32_t from, PipelineTag tag, const std::string& body);

    /**
     * Compute for a neighbour, if there is something to compute; the worker is idle.
     * @return whether the device is busy with that
     */
    bool Assist();

    /**
     * @param step one of the worker's
     * @return how much of it is this device's to begin with, 0 to 1
     */
    double GetOwnPart(const PipelineStep& step) const;

    /**
     * @param step a step all of whose samples have been computed
     * @param bytes of its output
     * @return those that have to be sent on
     */
    uint64_t GetOutputBytes(const PipelineStep& step, uint64_t bytes) const
    {
        return m_loans ? m_loans->GetOutputBytes(step, GetDue(step)) : bytes;
    }

    /** @return whether messages of assistance go by control connections */
    bool UsesControlConnection() const
    {
        return m_isEnabled && m_hasControl;
    }

    /** @return whether nothing stands in the way of the weight update */
    bool IsSettled() const
    {
        return m_jobs.empty() && (!m_loans || m_loans->IsMerged());
    }

    /** The weights have been updated. */
    void NoticeUpdate()
    {
        if (m_loans && m_loans->NoticeUpdate(m_compute->GetAvailableShare()))
        {
            SendWeights(m_loans->GetHolder());
        }
    }

    /** @return what the update waits for, in words; empty if IsSettled */
    std::string DescribeWait() const;

    /** @return whether the device computes for a neighbour */
    bool IsAssisting() const
    {
        return m_running != 0 && !m_jobs.at(m_running).isOwn;
    }

    /** @return how often what happened here */
    const AssistanceCounts& GetCounts() const
    {
        return m_counts;
    }

    /**
     * TracedCallback signature of the trace sources.
     *
     * @param [in] event what happened
     */
    typedef void (*AssistanceTracedCallback)(const AssistanceEvent& event);

  protected:
    void DoDispose() override;

  private:
    /** Samples that this device computes, and may give away in part. */
    struct Job
    {
        PipelineTag tag;            //!< the task: iteration, micro-batch
        AssistanceGrant work;       //!< stage, pass, samples that are still with this device
        bool isOwn{false};          //!< a step of the worker, else a grant
        uint32_t granter{0};        //!< who granted it, if so
        double secondsPerSample{0}; //!< work, seconds on the idle device
        double fixedSeconds{0};     //!< work before the first sample, seconds there
        uint32_t awaited{0};        //!< results that have yet to arrive
        bool hasEnded{false};       //!< whether this device's part is over
    };

    /** A neighbour's request. */
    struct Request
    {
        uint32_t iteration;     //!< of the step it waits for
        std::size_t step;       //!< index of the step it waits for; behind the last one if none
        AssistanceRequest body; //!< what it can do
        uint64_t refusedJob;    //!< job for which it was refused, from 1
    };

    /** What was granted to a neighbour. */
    struct Loan
    {
        uint64_t job;           //!< whose samples
        uint32_t helper;        //!< who has them
        uint32_t samples;       //!< how many
        Time sent;              //!< when
        double expectedSeconds; //!< that the helper computes
    };

    /** @param costs "full" or "ideal" */
    void SetCosts(const std::string& costs);

    /** @return "full" or "ideal" */
    std::string GetCosts() const
    {
        return m_costs == AdjacentCosts::IDEAL ? "ideal" : "full";
    }

    /** @param eligibility "awaited" or "waiting" */
    void SetEligibility(const std::string& eligibility);

    /** @return "awaited" or "waiting" */
    std::string GetEligibility() const;

    /**
     * Make a job the running one, and set its checkpoints.
     *
     * @param job the job
     * @param isRunning whether the processor runs it at once; else it gets none
     */
    void Begin(Job job, bool isRunning);
    /** Arm the next checkpoint of the running task, if it has one. */
    void ArmCheckpoint();

    /**
     * @param backward which pass
     * @param microBatch of which micro-batch
     * @return index of that step; behind the last one if there is none
     */
    std::size_t FindStep(bool backward, uint32_t microBatch) const
    {
        const auto& places = m_places[backward];
        return microBatch < places.size() ? places[microBatch] : m_steps.size();
    }

    /** The running task has come to a checkpoint. */
    void Check();
    /**
     * Grant or refuse a request.
     * @param helper who asked
     * @param request what it asked
     * @return whether it was granted
     */
    bool Consider(uint32_t helper, Request& request);
    /**
     * Give samples of the running job away.
     * @param helper to whom
     * @param samples how many
     * @param seconds that the helper is expected to compute
     */
    void Grant(uint32_t helper, uint32_t samples, double seconds);
    /** Send a copy of the stage's weights. @param helper to whom */
    void SendWeights(uint32_t helper);
    /**
     * Samples of another stage are to be computed.
     *
     * @param tag iteration and micro-batch
     * @param work the samples
     * @param granter whose they are
     */
    void AddDue(PipelineTag tag, const AssistanceGrant& work, uint32_t granter);
    /** What is held of a complete step's samples is due. @param step the step */
    void NoticeComplete(const PipelineStep& step);

    /** @param step a step @return samples of the previous stage to be run backward after it */
    uint32_t GetDue(const PipelineStep& step) const
    {
        return m_holdings && step.backward && m_stage.stage > 0
                   ? m_holdings->GetHeld(m_stage.previous, step.microBatch)
                   : 0;
    }

    /**
     * Send a message to a neighbour.
     *
     * @param to receiving device
     * @param tag what it is
     * @param bytes payload
     * @param body real bytes at its start
     * @param delivered called on delivery
     */
    void Send(uint32_t to,
              PipelineTag tag,
              uint64_t bytes,
              const std::string& body = "",
              Callback<void> delivered = {})
    {
        m_socket.Send(to, PIPELINE_WORKER_PORT, tag.Pack(), bytes, body, delivered);
    }

    /**
     * Send a message of assistance: past the tensors if it carries none.
     *
     * @param to receiving device
     * @param tag what it is
     * @param noticeBytes payload without tensors, bytes
     * @param tensorBytes of tensors, bytes
     * @param body real bytes at its start
     */
    void SendPart(uint32_t to,
                  PipelineTag tag,
                  uint64_t noticeBytes,
                  uint64_t tensorBytes,
                  const std::string& body);
    /** Ask for the holder's gradients if they are all there. */
    void Collect();
    /** What was computed for a neighbour has been computed. */
    void EndAssist();
    /** Count what has been computed of the running job. @return whether it is complete */
    bool EndRunning();
    /** All samples of a job have been computed. @param number of the job */
    void Complete(uint64_t number);
    /**
     * A result has arrived.
     * @param from sender
     * @param tag of the message
     * @param grant what has been computed
     */
    void TakeResult(uint32_t from, PipelineTag tag, const AssistanceGrant& grant);
    /** A job needs one result less. @param number of the job */
    void CountResult(uint64_t number);

    /**
     * Where help is charged for, samples of a later micro-batch would queue behind the tensor that
     * their helper waits for, and a helper that has finished would need copies of weights for the
     * little that is left: requests stand as with AWAITED.
     *
     * @param least an eligibility
     * @return whether at least that holds
     */
    bool IsEligible(AdjacentEligibility least) const
    {
        return m_isEnabled && (least == AdjacentEligibility::AWAITED || !m_loans) &&
               m_eligibility >= least;
    }

    /**
     * @param request a request
     * @return whether its sender waits for a step that is not over here yet, or for none
     */
    bool IsAhead(const Request& request) const
    {
        return request.iteration > m_iteration ||
               (request.iteration == m_iteration && request.step >= m_ended);
    }

    /**
     * @param helper who asked
     * @param request what it asked
     * @return most that its part may take, seconds; infinite if it waits for what is computed here
     */
    double GetMostSeconds(uint32_t helper, const Request& request) const;
    /**
     * Ask a neighbour for work.
     *
     * @param to the neighbour
     * @param backward whether gradients are awaited
     * @param microBatch of which micro-batch; behind the last one if nothing is awaited
     */
    void Ask(uint32_t to, bool backward, uint32_t microBatch);

    /** @param stage a stage @return of it on this device, what is fixed, seconds */
    PassSeconds GetFixed(uint32_t stage) const
    {
        return GetFixedPart(m_stage.atStages, m_stage.stages, stage);
    }

    /**
     * @param job a job
     * @param peer the other device
     * @param samples how many
     * @return the event
     */
    AssistanceEvent MakeEvent(const Job& job, uint32_t peer, uint32_t samples) const;

    bool m_isEnabled;                                    //!< whether anyone helps
    AdjacentCosts m_costs;                               //!< what helping costs
    uint32_t m_checkpoints;                              //!< inside every task
    Time m_minimumGain;                                  //!< of a grant
    AdjacentEligibility m_eligibility;                   //!< how long a request stands
    double m_waitMultiple;                               //!< most of a part, in remaining waits
    bool m_partsPayFixed;                                //!< see the attribute PartsPayFixed
    bool m_hasControl;                                   //!< see the attribute ControlConnection
    bool m_isBoundByMemory;                              //!< also where nothing is charged
    TensorSocket m_socket;                               //!< of the worker
    Ptr<ComputeDevice> m_compute;                        //!< runs tasks
    std::shared_ptr<MemoryAccount> m_memory;             //!< the device's memory
    std::function<void(const PipelineStep&)> m_complete; //!< tells the worker, see SetUp
    std::function<void()> m_advance;                     //!< tells it, too
    Callback<void> m_check;                              //!< calls Check
    ComputeDevice::DoneCallback m_assistDone;            //!< calls EndAssist
    StageAssignment m_stage;                             //!< the worker's stage
    std::vector<PipelineStep> m_steps;                   //!< and its steps
    std::array<std::vector<std::size_t>, 2> m_places;    //!< their indices, by pass and micro-batch
    uint32_t m_since{0};                            //!< first iteration of the stage, if changed
    uint32_t m_iteration{0};                        //!< present iteration
    std::size_t m_ended{0};                         //!< own steps whose own part is over
    std::vector<bool> m_arrived;                    //!< own steps whose output has arrived
    std::map<uint32_t, TransferForecast> m_outputs; //!< of outputs, by neighbour
    bool m_hasAsked{false};                         //!< whether this wait's request has been sent
    std::map<uint32_t, Request> m_requests;         //!< by neighbour
    std::unique_ptr<AssistanceLoans> m_loans;       //!< null if nothing is charged
    std::unique_ptr<AssistanceHoldings> m_holdings; //!< there if m_loans is
    std::set<uint32_t> m_early;                     //!< micro-batches whose result came too early
    std::vector<Job> m_due;                         //!< grants to be worked off
    std::map<uint64_t, Job> m_jobs;                 //!< those not complete, by number
    uint64_t m_lastJob{0};                          //!< number of the last one
    uint64_t m_running{0};                          //!< number of the running one, 0 if none
    double m_spacing{0};                            //!< work between checkpoints, seconds
    uint32_t m_checkpointsLeft{0};                  //!< of the running task
    std::map<uint32_t, Loan> m_given;               //!< by number of the grant
    uint32_t m_lastGrant{0};                        //!< number of the last one
    std::map<uint32_t, double> m_delays;            //!< of grant and result, by helper, seconds
    AssistanceCounts m_counts;                      //!< what happened

    TracedCallback<const AssistanceEvent&> m_checkpointTrace; //!< passed, requests there or not
    TracedCallback<const AssistanceEvent&> m_requestTrace;    //!< sent
    TracedCallback<const AssistanceEvent&> m_grantTrace;      //!< sent
    TracedCallback<const AssistanceEvent&> m_refusalTrace;    //!< a request got nothing
    TracedCallback<const AssistanceEvent&> m_resultTrace;     //!< arrived
    TracedCallback<const AssistanceEvent&> m_mergeTrace;      //!< gradients have arrived
    TracedCallback<const AssistanceEvent&> m_computedTrace;   //!< samples computed here
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ADJACENT_SCHEDULER_H */
