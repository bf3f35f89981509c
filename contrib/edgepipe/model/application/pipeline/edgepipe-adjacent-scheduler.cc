/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-adjacent-scheduler.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/simulator.h"

namespace ns3::edgepipe
{

/// The clock's resolution, seconds.
constexpr double TICK = 1e-9;

/// Names of AdjacentEligibility, in its order.
constexpr std::array<const char*, 3> ELIGIBILITIES{"awaited", "waiting", "idle"};

NS_OBJECT_ENSURE_REGISTERED(AdjacentScheduler);

TypeId
AdjacentScheduler::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("AdjacentScheduling",
             "Whether idle devices help their neighbours.",
             {&AdjacentScheduler::m_isEnabled, false})
        .Add("AdjacentCosts",
             "What help is charged for: full (weights, samples and gradients, in memory and "
             "bytes) or ideal (nothing, as in the paper).",
             {StringValue("full"),
              MakeStringAccessor(&AdjacentScheduler::SetCosts, &AdjacentScheduler::GetCosts),
              MakeStringChecker()})
        .Add("Checkpoints",
             "Checkpoints per task, at which a busy device looks for idle neighbours.",
             {&AdjacentScheduler::m_checkpoints, 16, 1, 1000000})
        .Add("MinimumGain",
             "Least time that each grant must gain, such as 5ms.",
             {&AdjacentScheduler::m_minimumGain, Time(0), Time(0)})
        .Add("Eligibility",
             "When an idle device may be granted work: awaited (until the step that it waits "
             "for is over at the neighbour), waiting (also while the tensor is on the wire) or "
             "idle (also when it has finished the iteration).",
             {StringValue("idle"),
              MakeStringAccessor(&AdjacentScheduler::SetEligibility,
                                 &AdjacentScheduler::GetEligibility),
              MakeStringChecker()})
        .Add("WaitMultiple",
             "Longest time that a part may take on a device that waits for a tensor on the "
             "wire, in multiples of its remaining wait.",
             {&AdjacentScheduler::m_waitMultiple, 4, 0})
        .Add("PartsPayFixed",
             "Whether every part of a micro-batch pays the fixed time of a pass, such as the "
             "overhead of layers.",
             {&AdjacentScheduler::m_partsPayFixed, true})
        .Add("ControlConnection",
             "Whether requests, grants and results without tensors use a connection of their "
             "own, so that they do not queue behind tensors.",
             {&AdjacentScheduler::m_hasControl, true})
        .Add("BoundByMemory",
             "Whether a part must fit into the helper's free memory even where help is not "
             "charged for memory.",
             {&AdjacentScheduler::m_isBoundByMemory, true})
        .Add("Checkpoint",
             "A running task passes a checkpoint.",
             {&AdjacentScheduler::m_checkpointTrace, "Assistance"})
        .Add("Request",
             "The idle device asks a neighbour for work.",
             {&AdjacentScheduler::m_requestTrace, "Assistance"})
        .Add("Grant",
             "Samples of the running task are given to a neighbour.",
             {&AdjacentScheduler::m_grantTrace, "Assistance"})
        .Add("Refusal",
             "A neighbour's request gets no samples of the running task.",
             {&AdjacentScheduler::m_refusalTrace, "Assistance"})
        .Add("Result",
             "A neighbour has computed the samples granted to it.",
             {&AdjacentScheduler::m_resultTrace, "Assistance"})
        .Add("Merge",
             "A helper's weight gradients have arrived.",
             {&AdjacentScheduler::m_mergeTrace, "Assistance"})
        .Add("Computed",
             "The device has computed samples, its own or a neighbour's.",
             {&AdjacentScheduler::m_computedTrace, "Assistance"});
}

void
AdjacentScheduler::SetCosts(const std::string& costs)
{
    Require(costs == "full" || costs == "ideal",
            "AdjacentScheduler: AdjacentCosts",
            "\"" + costs + "\"",
            "full or ideal");
    m_costs = costs == "ideal" ? AdjacentCosts::IDEAL : AdjacentCosts::FULL;
}

void
AdjacentScheduler::SetEligibility(const std::string& eligibility)
{
    const auto named = std::find(ELIGIBILITIES.begin(), ELIGIBILITIES.end(), eligibility);
    Require(named != ELIGIBILITIES.end(),
            "AdjacentScheduler: Eligibility",
            "\"" + eligibility + "\"",
            "awaited, waiting or idle");
    m_eligibility = static_cast<AdjacentEligibility>(named - ELIGIBILITIES.begin());
}

std::string
AdjacentScheduler::GetEligibility() const
{
    return ELIGIBILITIES[static_cast<std::size_t>(m_eligibility)];
}

void
AdjacentScheduler::SetUp(const TensorSocket& socket,
                         Ptr<ComputeDevice> compute,
                         std::shared_ptr<MemoryAccount> memory,
                         std::function<void(const PipelineStep&)> complete,
                         std::function<void()> advance)
{
    m_socket = socket;
    m_compute = compute;
    m_memory = std::move(memory);
    m_complete = std::move(complete);
    m_advance = std::move(advance);
    m_check = MakeCallback(&AdjacentScheduler::Check, this);
    m_assistDone = MakeCallback(&AdjacentScheduler::EndAssist, this);
}

void
AdjacentScheduler::DoDispose()
{
    m_compute = nullptr;
    m_loans.reset();
    m_holdings.reset();
    m_memory.reset();
    m_socket = TensorSocket();
    Object::DoDispose();
}

void
AdjacentScheduler::Assign(const StageAssignment& stage, const std::vector<PipelineStep>& steps)
{
    m_stage = stage;
    m_steps = steps;
    m_places.fill(std::vector<std::size_t>(stage.microBatches, steps.size()));
    for (std::size_t i = 0; i < steps.size(); ++i)
    {
        m_places[steps[i].backward].at(steps[i].microBatch) = i;
    }
    m_requests.clear();
    m_delays.clear();
    m_outputs.clear();
    for (const uint32_t neighbour : {stage.previous, stage.next})
    {
        m_outputs.emplace(neighbour, TransferForecast(stage.bandwidthBytesPerSecond));
    }
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
    m_arrived.assign(m_steps.size(), false);
    m_hasAsked = false;
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
    if (lent == 0)
    {
        return 1;
    }
    const double kept = double(m_stage.samples - lent) / m_stage.samples;
    const double fixed = GetFixed(m_stage.stage).backward;
    return fixed > 0 ? kept + (1 - kept) * fixed / m_stage.backwardSeconds : kept;
}

void
AdjacentScheduler::NoticeStart(const PipelineStep& step, bool isRunning)
{
    if (!m_isEnabled)
    {
        return;
    }
    const PipelineTag tag{step.backward ? PipelineTag::BACKWARD : PipelineTag::FORWARD,
                          m_iteration,
                          step.microBatch};
    const double seconds = step.backward ? m_stage.backwardSeconds : m_stage.forwardSeconds;
    const double fixed = GetFixed(m_stage.stage).Get(step.backward);
    const uint32_t lent = m_loans && step.backward ? m_loans->GetLent(step.microBatch) : 0;
    Job job{tag,
            {0, m_stage.stage, step.backward, m_stage.samples - lent},
            true,
            m_socket.GetNode(),
            (seconds - fixed) / m_stage.samples,
            fixed};
    job.awaited = lent > 0 && m_early.erase(step.microBatch) == 0;
    Begin(job, isRunning);
    if (lent > 0 && m_loans->IsHandedOver())
    {
        Send(m_loans->GetHolder(),
             {PipelineTag::GRANT, m_iteration, step.microBatch},
             PIPELINE_NOTICE_BYTES + m_loans->GetHandOverBytes(step.microBatch),
             WriteBody(AssistanceGrant{0, m_stage.stage, true, lent}));
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
        const Job job = m_jobs.extract(number).mapped();
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
    const bool isRunning =
        m_compute->Run(job.tag.Pack(),
                       job.fixedSeconds + job.work.samples * job.secondsPerSample,
                       m_assistDone,
                       m_socket.GetJob());
    Begin(job, isRunning);
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
    m_advance();
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
    const Job job = m_jobs.extract(number).mapped();
    if (job.isOwn)
    {
        const PipelineStep step{job.work.backward, job.tag.microBatch};
        NoticeComplete(step);
        m_complete(step);
        return;
    }
    if (m_loans && job.work.backward)
    {
        m_holdings->Drop(job.granter,
                         job.work.recomputes ? m_stage.microBatches + job.work.number
                                             : job.tag.microBatch);
    }
    SendPart(job.granter,
             {PipelineTag::RESULT, job.tag.iteration, job.tag.microBatch},
             PIPELINE_NOTICE_BYTES,
             m_loans ? m_holdings->GetResultBytes(job.granter, job.work) : 0,
             WriteBody(job.work));
}

void
AdjacentScheduler::NoticeComplete(const PipelineStep& step)
{
    const uint32_t held = GetDue(step);
    if (held > 0)
    {
        // Their output gradients have just been computed here.
        AddDue({PipelineTag::ASSIST_BACKWARD, m_iteration, step.microBatch},
               {0, m_stage.stage - 1, true, held},
               m_stage.previous);
    }
}

void
AdjacentScheduler::AddDue(PipelineTag tag, const AssistanceGrant& work, uint32_t granter)
{
    tag.kind = work.backward ? PipelineTag::ASSIST_BACKWARD : PipelineTag::ASSIST_FORWARD;
    const auto get = [&work](const PassSeconds& one) {
        return one.Get(work.backward) + (work.recomputes ? one.forward : 0);
    };
    const double fixed = get(GetFixed(work.stage));
    const double samples = get(m_stage.atStages[work.stage]) - fixed;
    m_due.push_back({tag, work, false, granter, samples / m_stage.samples, fixed});
}

void
AdjacentScheduler::Begin(Job job, bool isRunning)
{
    // Held samples answer no request; one already sent still stands.
    m_hasAsked = m_hasAsked && !job.isOwn && job.work.number == 0;
    m_running = ++m_lastJob;
    m_jobs[m_running] = job;
    // While it waits, GetRemaining concerns another application's task.
    m_checkpointsLeft = isRunning ? m_checkpoints : 0;
    m_spacing = (job.fixedSeconds + job.work.samples * job.secondsPerSample) / (m_checkpoints + 1);
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
    m_checkpointTrace(MakeEvent(job, m_socket.GetNode(), job.work.samples));
    for (auto each = m_requests.begin(); each != m_requests.end();)
    {
        Request& request = each->second;
        // It stands until the awaited step is over here, or its output has arrived there.
        const bool isValid =
            IsAhead(request) || (IsEligible(AdjacentEligibility::WAITING) &&
                                 request.iteration == m_iteration && !m_arrived[request.step]);
        const bool isOver = !isValid || Consider(each->first, request);
        each = isOver ? m_requests.erase(each) : std::next(each);
    }
    ArmCheckpoint();
}

double
AdjacentScheduler::GetMostSeconds(uint32_t helper, const Request& request) const
{
    if (IsAhead(request))
    {
        return std::numeric_limits<double>::infinity();
    }
    // An output not sent yet waits for another helper's samples.
    const TransferForecast& output = m_outputs.at(helper);
    const double wait =
        output.IsBusy()
            ? output.GetRemainingSeconds(Simulator::Now())
            : output.GetSeconds(request.body.backward ? m_stage.inputBytes : m_stage.outputBytes);
    return m_waitMultiple * std::max(0.0, wait - GetDelay(helper));
}

Callback<void>
AdjacentScheduler::NoticeOutput(const PipelineStep& step, uint64_t bytes)
{
    if (!m_loans && !IsEligible(AdjacentEligibility::WAITING))
    {
        return {};
    }
    const std::size_t place = FindStep(step.backward, step.microBatch);
    const uint32_t to = step.backward ? m_stage.previous : m_stage.next;
    m_outputs.at(to).NoticeSent(Simulator::Now(), bytes);
    return Callback<void>([self = Ptr<AdjacentScheduler>(this), place, to] {
        // The iteration lasts until then, so the index still holds.
        TransferForecast& output = self->m_outputs.at(to);
        output.NoticeArrived(Simulator::Now());
        self->m_arrived[place] = true;
        if (self->m_loans)
        {
            self->m_loans->NoticeRate(to, output.GetRate());
        }
    });
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

AssistanceEvent
AdjacentScheduler::MakeEvent(const Job& job, uint32_t peer, uint32_t samples) const
{
    return {m_socket.GetNode(),
            peer,
            job.work.stage,
            job.work.backward,
            job.tag.iteration,
            job.tag.microBatch,
            samples};
}

bool
AdjacentScheduler::Receive(uint32_t from, PipelineTag tag, const std::string& body)
{
    switch (tag.kind)
    {
    case PipelineTag::REQUEST: {
        const auto request = ReadBody<AssistanceRequest>(body);
        m_requests[from] = {tag.iteration, FindStep(request.backward, tag.microBatch), request, 0};
        return true;
    }
    case PipelineTag::GRANT: {
        const auto grant = ReadBody<AssistanceGrant>(body);
        if (m_loans && grant.number > 0)
        {
            // Samples to recompute may arrive while others of the micro-batch are held, so they get
            // a key of their own.
            m_holdings->Hold(from,
                             grant.recomputes ? m_stage.microBatches + grant.number
                                              : tag.microBatch,
                             grant.samples);
        }
        AddDue(tag, grant, from);
        m_advance();
        return true;
    }
    case PipelineTag::RESULT:
        TakeResult(from, tag, ReadBody<AssistanceGrant>(body));
        return true;
    case PipelineTag::WEIGHTS:
        if (!m_loans || tag.iteration < m_since)
        {
            return true; // sent before the stages changed
        }
        m_holdings->TakeCopy(from, ReadBody<AssistanceCopy>(body));
        m_hasAsked = false;
        m_advance();
        return true;
    case PipelineTag::COLLECT:
        Send(from,
             {PipelineTag::WEIGHT_GRADIENTS, tag.iteration},
             PIPELINE_NOTICE_BYTES + m_holdings->GetCopy(from).parameterBytes);
        return true;
    case PipelineTag::WEIGHT_GRADIENTS:
        m_loans->Merge();
        ++m_counts.merges;
        m_mergeTrace({m_socket.GetNode(), from, m_stage.stage, true, tag.iteration, 0, 0});
        m_advance();
        return true;
    default:
        return false;
    }
}

void
AdjacentScheduler::TakeResult(uint32_t from, PipelineTag tag, const AssistanceGrant& grant)
{
    m_resultTrace(MakeEvent({tag, grant}, from, grant.samples));
    if (m_loans && grant.backward)
    {
        m_loans->NoticeBackward();
    }
    if (grant.number > 0)
    {
        const Loan given = m_given.extract(grant.number).mapped();
        const double elapsed = (Simulator::Now() - given.sent).GetSeconds();
        m_delays[given.helper].Notice(m_iteration, std::max(0.0, elapsed - given.expectedSeconds));
        CountResult(given.job);
    }
    else
    {
        const auto job = std::find_if(m_jobs.begin(), m_jobs.end(), [&tag](const auto& each) {
            return each.second.isOwn && each.second.work.backward &&
                   each.second.tag.microBatch == tag.microBatch;
        });
        if (job == m_jobs.end())
        {
            m_early.insert(tag.microBatch);
            return;
        }
        CountResult(job->first);
    }
    Collect();
}

void
AdjacentScheduler::CountResult(uint64_t number)
{
    Job& job = m_jobs.at(number);
    --job.awaited;
    if (job.hasEnded && job.awaited == 0)
    {
        Complete(number);
        m_advance();
    }
}

void
AdjacentScheduler::SendPart(uint32_t to,
                            PipelineTag tag,
                            uint64_t noticeBytes,
                            uint64_t tensorBytes,
                            const std::string& body)
{
    noticeBytes = std::max<uint64_t>(noticeBytes, body.size());
    if (m_hasControl && tensorBytes == 0)
    {
        m_socket.SendControl(to, PIPELINE_WORKER_PORT, tag.Pack(), noticeBytes, body);
        return;
    }
    Send(to, tag, noticeBytes + tensorBytes, body);
}

void
AdjacentScheduler::Collect()
{
    const bool isLast = m_ended + (m_running != 0 && m_jobs.at(m_running).isOwn) == m_steps.size();
    if (m_loans && isLast && m_loans->Collect())
    {
        Send(m_loans->GetHolder(), {PipelineTag::COLLECT, m_iteration}, PIPELINE_NOTICE_BYTES);
    }
}

void
AdjacentScheduler::SendWeights(uint32_t helper)
{
    const std::string body = WriteBody(m_loans->SendCopy(helper));
    Send(helper,
         {PipelineTag::WEIGHTS, m_iteration},
         std::max<uint64_t>(m_stage.parameterBytes, body.size()),
         body,
         Callback<void>([self = Ptr<AdjacentScheduler>(this),
                         iteration = m_iteration,
                         since = Simulator::Now()] {
             // A change of plan may have made the copy useless.
             if (iteration >= self->m_since && self->m_loans)
             {
                 self->m_loans->NoticeCopy((Simulator::Now() - since).GetSeconds());
             }
         }));
}

bool
AdjacentScheduler::Consider(uint32_t helper, Request& request)
{
    if (request.refusedJob == m_running)
    {
        return false;
    }
    const double most = GetMostSeconds(helper, request);
    const Job& job = m_jobs.at(m_running);
    const bool backward = job.work.backward;
    const double share = m_compute->GetAvailableShare();
    const double each = job.secondsPerSample / share;
    // A sample already begun stays here.
    const double left = (m_compute->GetRemaining() + TICK) / job.secondsPerSample;
    AssistanceQuestion question{};
    const bool canSplit = share > 0 && request.body.share > 0 && job.secondsPerSample > 0;
    if (canSplit && !m_loans)
    {
        const PassSeconds& pass = request.body.atStages[job.work.stage];
        const double fixed =
            GetFixedPart(request.body.atStages, m_stage.stages, job.work.stage).Get(backward);
        question = {left * each,
                    each,
                    fixed / request.body.share,
                    (pass.Get(backward) - fixed) / m_stage.samples / request.body.share,
                    std::min(static_cast<uint32_t>(left), job.work.samples),
                    0};
        if (m_isBoundByMemory && m_stage.activationBytes > 0)
        {
            question.mostSamples = std::min<double>(question.mostSamples,
                                                    double(request.body.freeBytes) *
                                                        m_stage.samples / m_stage.activationBytes);
        }
    }
    else if (canSplit && job.isOwn)
    {
        const uint32_t microBatch = job.tag.microBatch;
        const uint32_t ahead = std::count_if(m_steps.begin() + m_ended,
                                             m_steps.end(),
                                             [](const auto& step) { return !step.backward; });
        if (m_loans->HasCopy(helper))
        {
            question = m_loans->Ask(helper, request.body, backward, microBatch, each, left);
            const uint32_t held = GetDue({true, microBatch});
            question.mostSamples = std::min<uint32_t>(
                std::min<double>(left, job.work.samples),
                m_loans->FindMost(helper, request.body, backward, microBatch, share, held));
        }
        else if (m_loans->WouldPay(helper, request.body, share, ahead))
        {
            SendWeights(helper);
            return true;
        }
    }
    const double begin = question.helperSeconds;
    if (question.mostSamples * question.helperSecondsPerSample > most - begin)
    {
        const double samples = std::max(0.0, most - begin) / question.helperSecondsPerSample;
        question.mostSamples = std::min<double>(samples, question.mostSamples);
    }
    question.helperSeconds += GetDelay(helper);
    question.minimumGainSeconds = m_minimumGain.GetSeconds();
    const AssistanceAnswer answer = SplitSamples(question);
    if (answer.samples > 0)
    {
        Grant(helper, answer.samples, begin + answer.samples * question.helperSecondsPerSample);
        return true;
    }
    request.refusedJob = m_running;
    ++m_counts.refusals;
    m_refusalTrace(MakeEvent(job, helper, 0));
    return false;
}

void
AdjacentScheduler::Grant(uint32_t helper, uint32_t samples, double seconds)
{
    Job& job = m_jobs.at(m_running);
    m_compute->Shorten(std::min(m_compute->GetRemaining(), samples * job.secondsPerSample));
    job.work.samples -= samples;
    ++job.awaited;
    const uint32_t number = ++m_lastGrant;
    m_given[number] = {m_running, helper, samples, Simulator::Now(), seconds};
    ++m_counts.grants;
    const double imbalance =
        GrantBalance{m_compute->GetRemaining() / m_compute->GetAvailableShare(),
                     GetDelay(helper),
                     seconds}
            .GetImbalance();
    m_counts.imbalanceSeconds += imbalance;
    m_counts.logImbalance += std::log(imbalance);
    m_grantTrace(MakeEvent(job, helper, samples));
    const bool backward = job.work.backward;
    SendPart(
        helper,
        {PipelineTag::GRANT, job.tag.iteration, job.tag.microBatch},
        PIPELINE_NOTICE_BYTES,
        m_loans ? m_loans->Lend(backward, job.tag.microBatch, samples) : 0,
        WriteBody(AssistanceGrant{number, job.work.stage, backward, samples, m_loans && backward}));
}

void
AdjacentScheduler::NoticeIdle(const PipelineStep& step)
{
    if (!m_isEnabled || m_hasAsked)
    {
        return;
    }
    Ask(step.backward ? m_stage.next : m_stage.previous, step.backward, step.microBatch);
}

void
AdjacentScheduler::Ask(uint32_t to, bool backward, uint32_t microBatch)
{
    m_hasAsked = true;
    const auto ledger = m_memory->GetLedger();
    const uint64_t freeBytes = m_loans             ? m_holdings->GetFreeBytes(to)
                               : m_isBoundByMemory ? ledger->GetCapacity() - ledger->GetInUse()
                                                   : 0;
    AssistanceRequest request{backward,
                              m_compute->GetAvailableShare(),
                              freeBytes,
                              m_loans ? m_holdings->GetLentSeconds(to) : 0,
                              m_stage.atStages};
    for (std::size_t i = 0; m_loans && i < request.atStages.size(); ++i)
    {
        const uint32_t stage = i % m_stage.stages;
        if (stage != m_stage.stage && stage != m_stage.stage + (backward ? 1 : -1))
        {
            request.atStages[i] = {}; // no samples of that stage can be granted
        }
    }
    const std::string body = WriteBody(request);
    ++m_counts.requests;
    const PipelineTag tag{PipelineTag::REQUEST, m_iteration, microBatch};
    m_requestTrace(MakeEvent({tag, {0, m_stage.stage, backward}}, to, m_stage.samples));
    SendPart(to, tag, body.size(), 0, body);
}

} // namespace ns3::edgepipe
