/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-adjacent-scheduler.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/log.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeAdjacentScheduler");

NS_OBJECT_ENSURE_REGISTERED(AdjacentScheduler);

TypeId
AdjacentScheduler::GetTypeId()
{
    const char* signature = "ns3::edgepipe::AdjacentScheduler::AssistanceTracedCallback";
    static TypeId tid =
        TypeId("ns3::edgepipe::AdjacentScheduler")
            .SetParent<Object>()
            .SetGroupName("Edgepipe")
            .AddConstructor<AdjacentScheduler>()
            .AddAttribute("AdjacentScheduling",
                          "Whether idle devices help their neighbours.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&AdjacentScheduler::m_isEnabled),
                          MakeBooleanChecker())
            .AddAttribute(
                "AdjacentCosts",
                "What helping is charged for: full (weights, samples and gradients, in "
                "memory and bytes) or ideal (nothing, as in the paper).",
                StringValue("full"),
                MakeStringAccessor(&AdjacentScheduler::SetCosts, &AdjacentScheduler::GetCosts),
                MakeStringChecker())
            .AddAttribute("Checkpoints",
                          "Checkpoints inside every task.",
                          UintegerValue(AdjacentOptions().checkpoints),
                          MakeUintegerAccessor(&AdjacentScheduler::m_checkpoints),
                          MakeUintegerChecker<uint32_t>(1, 1000000))
            .AddAttribute("MinimumGain",
                          "Least that a grant must gain, seconds.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&AdjacentScheduler::m_minimumGain),
                          MakeDoubleChecker<double>(0))
            .AddTraceSource("Checkpoint",
                            "A running task passes a checkpoint.",
                            MakeTraceSourceAccessor(&AdjacentScheduler::m_checkpointTrace),
                            signature)
            .AddTraceSource("Request",
                            "The idle device asks a neighbour for work.",
                            MakeTraceSourceAccessor(&AdjacentScheduler::m_requestTrace),
                            signature)
            .AddTraceSource("Grant",
                            "Samples of the running task are given to a neighbour.",
                            MakeTraceSourceAccessor(&AdjacentScheduler::m_grantTrace),
                            signature)
            .AddTraceSource("Refusal",
                            "A neighbour's request gets nothing of the running task.",
                            MakeTraceSourceAccessor(&AdjacentScheduler::m_refusalTrace),
                            signature)
            .AddTraceSource("Result",
                            "A neighbour has computed what it was given.",
                            MakeTraceSourceAccessor(&AdjacentScheduler::m_resultTrace),
                            signature)
            .AddTraceSource("Merge",
                            "A helper's weight gradients have arrived.",
                            MakeTraceSourceAccessor(&AdjacentScheduler::m_mergeTrace),
                            signature)
            .AddTraceSource("Computed",
                            "The device has computed samples, its own or a neighbour's.",
                            MakeTraceSourceAccessor(&AdjacentScheduler::m_computedTrace),
                            signature);
    return tid;
}

void
AdjacentScheduler::SetCosts(const std::string& costs)
{
    if (costs != "full" && costs != "ideal")
    {
        throw InputError("AdjacentScheduler: AdjacentCosts: found \"" + costs +
                         "\", expected full or ideal");
    }
    m_costs = costs == "ideal" ? AdjacentCosts::IDEAL : AdjacentCosts::FULL;
}

std::string
AdjacentScheduler::GetCosts() const
{
    return m_costs == AdjacentCosts::IDEAL ? "ideal" : "full";
}

void
AdjacentScheduler::SetUp(uint32_t device,
                         Ptr<ComputeDevice> compute,
                         Ptr<MemoryLedger> memory,
                         AdjacentWorker worker)
{
    m_device = device;
    m_compute = compute;
    m_memory = memory;
    m_worker = std::move(worker);
    // Made once: making a callback costs more than the event that it is for.
    m_check = MakeCallback(&AdjacentScheduler::Check, this);
    m_assistDone = MakeCallback(&AdjacentScheduler::EndAssist, this);
}

void
AdjacentScheduler::DoDispose()
{
    m_compute = nullptr;
    m_loans.reset();
    m_holdings.reset();
    m_memory = nullptr;
    m_worker = {};
    m_check = Callback<void>();
    m_assistDone = Callback<void>();
    Object::DoDispose();
}

void
AdjacentScheduler::Assign(const StageAssignment& stage, const std::vector<PipelineStep>& steps)
{
    m_stage = stage;
    m_steps = steps;
    m_requests.clear();
    m_delays.clear();
    if (m_loans)
    {
        m_since = m_iteration + 1;
        m_holdings->GiveBack();
        m_loans.reset();
        m_holdings.reset();
    }
    if (m_isEnabled && m_costs == AdjacentCosts::FULL && stage.stages > 0)
    {
        m_loans = std::make_unique<AssistanceLoans>(stage, m_checkpoints);
        m_holdings = std::make_unique<AssistanceHoldings>(stage, steps, m_memory);
    }
}

void
AdjacentScheduler::BeginIteration(uint32_t iteration)
{
    m_iteration = iteration;
    m_ended = 0;
    m_early.clear();
    if (m_loans)
    {
        m_loans->BeginIteration();
    }
}

double
AdjacentScheduler::GetOwnPart(const PipelineStep& step) const
{
    const uint32_t lent = m_loans && step.backward ? m_loans->GetLent(step.microBatch) : 0;
    return lent > 0 ? double(m_stage.samples - lent) / m_stage.samples : 1;
}

void
AdjacentScheduler::NoticeStart(const PipelineStep& step)
{
    if (!m_isEnabled)
    {
        return;
    }
    const PipelineTag tag{step.backward ? PipelineTag::BACKWARD : PipelineTag::FORWARD,
                          m_iteration,
                          step.microBatch};
    const double seconds = step.backward ? m_stage.backwardSeconds : m_stage.forwardSeconds;
    const uint32_t lent = m_loans && step.backward ? m_loans->GetLent(step.microBatch) : 0;
    Job job{tag,
            {0, m_stage.stage, step.backward, m_stage.samples - lent},
            true,
            m_device,
            seconds / m_stage.samples};
    job.awaited = lent > 0 && m_early.erase(step.microBatch) == 0;
    Begin(job);
    if (lent > 0 && m_loans->IsHandedOver())
    {
        m_worker.send(m_loans->GetHolder(),
                      {PipelineTag::GRANT, m_iteration, step.microBatch},
                      PIPELINE_NOTICE_BYTES + m_loans->GetHandOverBytes(step.microBatch),
                      WriteBody(AssistanceGrant{0, m_stage.stage, true, lent}),
                      {});
    }
    Collect();
}

bool
AdjacentScheduler::NoticeEnd()
{
    if (!m_isEnabled)
    {
        return true;
    }
    ++m_ended;
    const uint64_t number = m_running;
    const bool isComplete = EndRunning();
    if (isComplete)
    {
        const Job job = m_jobs.at(number);
        m_jobs.erase(number);
        NoticeComplete({job.work.backward, job.tag.microBatch});
    }
    return isComplete;
}

bool
AdjacentScheduler::Assist()
{
    if (m_due.empty() || IsAssisting())
    {
        return IsAssisting();
    }
    const Job job = m_due.front();
    m_due.erase(m_due.begin());
    m_compute->Run(job.tag.Pack(), job.work.samples * job.secondsPerSample, m_assistDone);
    Begin(job);
    return true;
}

void
AdjacentScheduler::EndAssist()
{
    const uint64_t number = m_running;
    if (EndRunning())
    {
        Complete(number);
    }
    m_worker.advance();
}

bool
AdjacentScheduler::EndRunning()
{
    Job& job = m_jobs.at(m_running);
    m_running = 0;
    job.hasEnded = true;
    m_counts.samples += job.isOwn ? 0 : job.work.samples;
    m_computedTrace(MakeEvent(job, job.granter, job.work.samples));
    return job.awaited == 0;
}

void
AdjacentScheduler::Complete(uint64_t number)
{
    const Job job = m_jobs.at(number);
    m_jobs.erase(number);
    if (job.isOwn)
    {
        const PipelineStep step{job.work.backward, job.tag.microBatch};
        NoticeComplete(step);
        m_worker.complete(step);
        return;
    }
    if (m_loans && job.work.backward)
    {
        m_holdings->Drop(job.granter,
                         job.work.recomputes ? m_stage.microBatches + job.work.number
                                             : job.tag.microBatch);
    }
    m_worker.send(job.granter,
                  {PipelineTag::RESULT, job.tag.iteration, job.tag.microBatch},
                  PIPELINE_NOTICE_BYTES +
                      (m_loans ? m_holdings->GetResultBytes(job.granter, job.work) : 0),
                  WriteBody(job.work),
                  {});
}

uint32_t
AdjacentScheduler::GetDue(const PipelineStep& step) const
{
    return m_holdings && step.backward && m_stage.stage > 0
               ? m_holdings->GetHeld(m_stage.previous, step.microBatch)
               : 0;
}

void
AdjacentScheduler::NoticeComplete(const PipelineStep& step)
{
    const uint32_t held = GetDue(step);
    if (held > 0)
    {
        // Their output gradients have just been computed here.
        const uint32_t stage = m_stage.stage - 1;
        m_due.push_back({{PipelineTag::ASSIST_BACKWARD, m_iteration, step.microBatch},
                         {0, stage, true, held},
                         false,
                         m_stage.previous,
                         m_stage.atStages[stage].backward / m_stage.samples});
    }
}

uint64_t
AdjacentScheduler::GetOutputBytes(const PipelineStep& step, uint64_t bytes) const
{
    return m_loans ? m_loans->GetOutputBytes(step, GetDue(step)) : bytes;
}

void
AdjacentScheduler::Begin(Job job)
{
    // What was held answers no request: that one still stands.
    m_hasAsked = m_hasAsked && !job.isOwn && job.work.number == 0;
    m_running = ++m_lastJob;
    m_jobs[m_running] = job;
    m_checkpointsLeft = m_checkpoints;
    m_spacing = job.work.samples * job.secondsPerSample / (m_checkpoints + 1);
    ArmCheckpoint();
}

void
AdjacentScheduler::ArmCheckpoint()
{
    const double remaining = m_compute->GetRemaining();
    if (m_checkpointsLeft > 0 && remaining > m_spacing)
    {
        --m_checkpointsLeft;
        m_compute->CallAtRemaining(remaining - m_spacing, m_check);
    }
}

void
AdjacentScheduler::Check()
{
    ++m_counts.checkpoints;
    const Job& job = m_jobs.at(m_running);
    m_checkpointTrace(MakeEvent(job, m_device, job.work.samples));
    for (auto each = m_requests.begin(); each != m_requests.end();)
    {
        const bool isOver = !IsValid(each->second) || Consider(each->first, each->second);
        each = isOver ? m_requests.erase(each) : std::next(each);
    }
    ArmCheckpoint();
}

bool
AdjacentScheduler::IsValid(const Request& request) const
{
    return request.iteration > m_iteration ||
           (request.iteration == m_iteration && request.step >= m_ended);
}

bool
AdjacentScheduler::IsSettled() const
{
    return m_jobs.empty() && (!m_loans || m_loans->IsMerged());
}

bool
AdjacentScheduler::IsAssisting() const
{
    return m_running != 0 && !m_jobs.at(m_running).isOwn;
}

std::string
AdjacentScheduler::DescribeWait() const
{
    std::string text;
    for (const auto& [number, given] : m_given)
    {
        const Job& job = m_jobs.at(given.job);
        text += (text.empty() ? "" : ", ") + std::to_string(given.samples) + " samples of stage " +
                std::to_string(job.work.stage) + ", micro-batch " +
                std::to_string(job.tag.microBatch) + ", from device " +
                std::to_string(given.helper);
    }
    return text;
}

const AssistanceCounts&
AdjacentScheduler::GetCounts() const
{
    return m_counts;
}

AssistanceEvent
AdjacentScheduler::MakeEvent(const Job& job, uint32_t peer, uint32_t samples) const
{
    return {m_device,
            peer,
            job.work.stage,
            job.work.backward,
            job.tag.iteration,
            job.tag.microBatch,
            samples};
}

} // namespace edgepipe
} // namespace ns3
