/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ADJACENT_SCHEDULER_H
#define EDGEPIPE_ADJACENT_SCHEDULER_H

#include "ns3/edgepipe-adjacent-scheduling.h"
#include "ns3/edgepipe-assistance-loans.h"
#include "ns3/edgepipe-compute-device.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-memory-ledger.h"
#include "ns3/edgepipe-pipeline-message.h"
#include "ns3/edgepipe-pipeline-schedule.h"
#include "ns3/edgepipe-tensor-socket.h"
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
 * An idle worker whose next step lacks a tensor sends a request to the neighbour that produces it.
 * A busy worker looks for requests at checkpoints, evenly spaced in the work of its running task.
 * If the request is still valid (AdjacentEligibility), it splits the remaining samples
 * (SplitSamples) and grants the helper its part, or refuses until its next task. The helper
 * computes and reports; a step's output is sent when all its samples have been computed. Work for
 * others has checkpoints too, so help is passed on along the pipeline. A request names the awaited
 * step, so it expires by itself. Since a worker waits for one neighbour only, it never gets two
 * grants at a time.
 */
class AdjacentScheduler : public Typed<AdjacentScheduler, Object>
{
  public:
    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

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

    /** An iteration begins. @param iteration its number */
    void BeginIteration(uint32_t iteration);

    /** The worker is idle because its next step lacks its input. @param step that step */
    void NoticeIdle(const PipelineStep& step);

    /** The worker is idle because it has finished the iteration, including the weight update. */
    void NoticeFinished()
    {
        // The next stage has finished earlier, so only the previous one has work.
        if (IsEligible(AdjacentEligibility::IDLE) && !m_hasAsked && m_stage.stage > 0)
        {
            Ask(m_stage.previous, true, m_stage.microBatches);
        }
    }

    /**
     * The worker is about to send a step's output.
     *
     * @param step that step
     * @param bytes its size
     * @return callback for its delivery; may be null
     */
    Callback<void> NoticeOutput(const PipelineStep& step, uint64_t bytes);

    /**
     * The worker's next step has been given to the processor.
     *
     * @param step that step
     * @param isRunning whether it runs at once; otherwise another application's task runs, and no
     *         samples can be granted
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
     * @param tag message tag
     * @param body its real bytes
     * @return whether it was for the scheduler
     */
    bool Receive(uint32_t from, PipelineTag tag, const std::string& body);

    /**
     * Compute for a neighbour, if there is such work; the worker must be idle.
     * @return whether the device is busy with that
     */
    bool Assist();

    /**
     * @param step one of the worker's steps
     * @return share of its work that this device has at its start, 0 to 1
     */
    double GetOwnPart(const PipelineStep& step) const;

    /**
     * @param step a step all of whose samples have been computed
     * @param bytes of its output
     * @return bytes that have to be sent
     */
    uint64_t GetOutputBytes(const PipelineStep& step, uint64_t bytes) const
    {
        return m_loans ? m_loans->GetOutputBytes(step, GetDue(step)) : bytes;
    }

    /** @return whether assistance uses control connections */
    bool UsesControlConnection() const
    {
        return m_isEnabled && m_hasControl;
    }

    /** @return whether the weights can be updated */
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

    /** @return event counts of this device */
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
        AssistanceGrant work;       //!< stage, pass, samples that remain on this device
        bool isOwn{false};          //!< whether a step of the worker; otherwise a grant
        uint32_t granter{0};        //!< device that granted it
        double secondsPerSample{0}; //!< work, seconds on the idle device
        double fixedSeconds{0};     //!< work before the first sample, seconds on the idle device
        uint32_t awaited{0};        //!< results that have yet to arrive
        bool hasEnded{false};       //!< whether this device's part is over
    };

    /** A neighbour's request. */
    struct Request
    {
        uint32_t iteration;     //!< iteration of the awaited step
        std::size_t step;       //!< index of the awaited step; past the last one if none
        AssistanceRequest body; //!< content of the message
        uint64_t refusedJob;    //!< job that it was refused for, from 1; 0: none
    };

    /** Samples granted to a neighbour. */
    struct Loan
    {
        uint64_t job;           //!< job of the samples
        uint32_t helper;        //!< device that has them
        uint32_t samples;       //!< number of samples
        Time sent;              //!< when granted
        double expectedSeconds; //!< expected computing time of the helper
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
     * @param isRunning whether the processor runs it at once; otherwise it gets none
     */
    void Begin(Job job, bool isRunning);
    /** Arm the next checkpoint of the running task, if it has one. */
    void ArmCheckpoint();

    /**
     * @param backward which pass
     * @param microBatch its micro-batch
     * @return index of that step; past the last one if there is none
     */
    std::size_t FindStep(bool backward, uint32_t microBatch) const
    {
        const auto& places = m_places[backward];
        return microBatch < places.size() ? places[microBatch] : m_steps.size();
    }

    /** The running task has reached a checkpoint. */
    void Check();
    /**
     * Grant or refuse a request.
     * @param helper the asking device
     * @param request its request
     * @return whether it was granted
     */
    bool Consider(uint32_t helper, Request& request);
    /**
     * Grant samples of the running job.
     * @param helper receiving device
     * @param samples number of samples
     * @param seconds expected computing time of the helper
     */
    void Grant(uint32_t helper, uint32_t samples, double seconds);
    /** Send a copy of the stage's weights. @param helper receiving device */
    void SendWeights(uint32_t helper);
    /**
     * Queue samples of another stage.
     *
     * @param tag iteration and micro-batch
     * @param work the samples
     * @param granter device they come from
     */
    void AddDue(PipelineTag tag, const AssistanceGrant& work, uint32_t granter);
    /** Queue the held samples that a complete step makes due. @param step the step */
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
     * @param tag message tag
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
     * Send an assistance message, on the control connection if it carries no tensors.
     *
     * @param to receiving device
     * @param tag message tag
     * @param noticeBytes payload without tensors, bytes
     * @param tensorBytes size of its tensors, bytes
     * @param body real bytes at its start
     */
    void SendPart(uint32_t to,
                  PipelineTag tag,
                  uint64_t noticeBytes,
                  uint64_t tensorBytes,
                  const std::string& body);
    /** Request the holder's gradients if they are complete. */
    void Collect();
    /** The running task for a neighbour is over. */
    void EndAssist();
    /** End the running job on this device. @return whether it is complete */
    bool EndRunning();
    /** All samples of a job have been computed. @param number of the job */
    void Complete(uint64_t number);
    /**
     * A result has arrived.
     * @param from sender
     * @param tag of the message
     * @param grant the samples computed
     */
    void TakeResult(uint32_t from, PipelineTag tag, const AssistanceGrant& grant);
    /** A job awaits one result fewer. @param number of the job */
    void CountResult(uint64_t number);

    /**
     * Where help is charged for, requests stand as with AWAITED: samples of a later micro-batch
     * would queue behind the tensor that their helper awaits, and a helper that has finished would
     * need copies of weights for little remaining work.
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
     * @return whether its sender awaits a step that is not over here yet, or none
     */
    bool IsAhead(const Request& request) const
    {
        return request.iteration > m_iteration ||
               (request.iteration == m_iteration && request.step >= m_ended);
    }

    /**
     * @param helper a neighbour
     * @return expected delay of its next result beyond computing, seconds
     */
    double GetDelay(uint32_t helper) const
    {
        const auto delay = m_delays.find(helper);
        return delay == m_delays.end() ? 0 : delay->second.Get(m_iteration);
    }

    /**
     * @param helper the asking device
     * @param request its request
     * @return longest its part may take, seconds; infinite if IsAhead
     */
    double GetMostSeconds(uint32_t helper, const Request& request) const;
    /**
     * Ask a neighbour for work.
     *
     * @param to the neighbour
     * @param backward whether gradients are awaited
     * @param microBatch the awaited one; past the last one if nothing is awaited
     */
    void Ask(uint32_t to, bool backward, uint32_t microBatch);

    /** @param stage a stage @return fixed part of its passes on this device, seconds */
    PassSeconds GetFixed(uint32_t stage) const
    {
        return GetFixedPart(m_stage.atStages, m_stage.stages, stage);
    }

    /**
     * @param job a job
     * @param peer the other device
     * @param samples number of samples
     * @return the event
     */
    AssistanceEvent MakeEvent(const Job& job, uint32_t peer, uint32_t samples) const;

    bool m_isEnabled;                                    //!< whether neighbours help
    AdjacentCosts m_costs;                               //!< what help is charged for
    uint32_t m_checkpoints;                              //!< per task
    Time m_minimumGain;                                  //!< least gain of a grant
    AdjacentEligibility m_eligibility;                   //!< how long a request stands
    double m_waitMultiple;                               //!< longest part, in remaining waits
    bool m_partsPayFixed;                                //!< see the attribute PartsPayFixed
    bool m_hasControl;                                   //!< see the attribute ControlConnection
    bool m_isBoundByMemory;                              //!< see the attribute BoundByMemory
    TensorSocket m_socket;                               //!< of the worker
    Ptr<ComputeDevice> m_compute;                        //!< runs tasks
    std::shared_ptr<MemoryAccount> m_memory;             //!< the device's memory
    std::function<void(const PipelineStep&)> m_complete; //!< see SetUp
    std::function<void()> m_advance;                     //!< see SetUp
    Callback<void> m_check;                              //!< calls Check
    ComputeDevice::DoneCallback m_assistDone;            //!< calls EndAssist
    StageAssignment m_stage;                             //!< the worker's stage
    std::vector<PipelineStep> m_steps;                   //!< its steps
    std::array<std::vector<std::size_t>, 2> m_places;    //!< their indices, by pass and micro-batch
    uint32_t m_since{0};                            //!< first iteration of the stage, if changed
    uint32_t m_iteration{0};                        //!< present iteration
    std::size_t m_ended{0};                         //!< own steps whose own part is over
    std::vector<bool> m_arrived;                    //!< own steps whose output has arrived
    std::map<uint32_t, TransferForecast> m_outputs; //!< transfers of outputs, by neighbour
    bool m_hasAsked{false};                         //!< whether this wait's request has been sent
    std::map<uint32_t, Request> m_requests;         //!< by neighbour
    std::unique_ptr<AssistanceLoans> m_loans;       //!< null if nothing is charged
    std::unique_ptr<AssistanceHoldings> m_holdings; //!< null if m_loans is
    std::set<uint32_t> m_early;             //!< micro-batches whose result preceded their step
    std::vector<Job> m_due;                 //!< grants yet to be computed
    std::map<uint64_t, Job> m_jobs;         //!< incomplete jobs, by number
    uint64_t m_lastJob{0};                  //!< number of the last job
    uint64_t m_running{0};                  //!< number of the running job; 0: none
    double m_spacing{0};                    //!< work between checkpoints, seconds
    uint32_t m_checkpointsLeft{0};          //!< of the running task
    std::map<uint32_t, Loan> m_given;       //!< by grant number
    uint32_t m_lastGrant{0};                //!< number of the last grant
    std::map<uint32_t, HelpDelay> m_delays; //!< delay of grant and result, by helper, seconds
    AssistanceCounts m_counts;              //!< event counts

    TracedCallback<const AssistanceEvent&> m_checkpointTrace; //!< passed, with or without requests
    TracedCallback<const AssistanceEvent&> m_requestTrace;    //!< sent
    TracedCallback<const AssistanceEvent&> m_grantTrace;      //!< sent
    TracedCallback<const AssistanceEvent&> m_refusalTrace;    //!< a request got no samples
    TracedCallback<const AssistanceEvent&> m_resultTrace;     //!< arrived
    TracedCallback<const AssistanceEvent&> m_mergeTrace;      //!< gradients have arrived
    TracedCallback<const AssistanceEvent&> m_computedTrace;   //!< samples computed here
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ADJACENT_SCHEDULER_H */
