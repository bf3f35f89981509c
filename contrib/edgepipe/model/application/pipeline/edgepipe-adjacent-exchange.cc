/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-adjacent-scheduler.h"
#include "ns3/edgepipe-assistance-split.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// The clock's resolution, seconds.
constexpr double TICK = 1e-9;

} // namespace

bool
AdjacentScheduler::Receive(uint32_t from, PipelineTag tag, const std::string& body)
{
    switch (tag.kind)
    {
    case PipelineTag::REQUEST: {
        const auto request = ReadBody<AssistanceRequest>(body);
        const auto step = std::find_if(m_steps.begin(), m_steps.end(), [&](const auto& each) {
            return each.backward == request.backward && each.microBatch == tag.microBatch;
        });
        m_requests[from] = {tag.iteration,
                            static_cast<std::size_t>(step - m_steps.begin()),
                            request,
                            0};
        return true;
    }
    case PipelineTag::GRANT: {
        const auto grant = ReadBody<AssistanceGrant>(body);
        const PassSeconds& pass = m_stage.atStages[grant.stage];
        tag.kind = grant.backward ? PipelineTag::ASSIST_BACKWARD : PipelineTag::ASSIST_FORWARD;
        if (m_loans && grant.number > 0)
        {
            // Samples to be recomputed may come while others of the micro-batch are held: theirs is
            // a place of their own.
            m_holdings->Hold(from,
                             grant.recomputes ? m_stage.microBatches + grant.number
                                              : tag.microBatch,
                             grant.samples);
        }
        const double seconds = pass.Get(grant.backward) + (grant.recomputes ? pass.forward : 0);
        m_due.push_back({tag, grant, false, from, seconds / m_stage.samples});
        m_worker.advance();
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
        m_worker.advance();
        return true;
    case PipelineTag::COLLECT:
        m_worker.send(from,
                      {PipelineTag::WEIGHT_GRADIENTS, tag.iteration},
                      PIPELINE_NOTICE_BYTES + m_holdings->GetCopy(from).parameterBytes,
                      "",
                      {});
        return true;
    case PipelineTag::WEIGHT_GRADIENTS:
        m_loans->Merge();
        ++m_counts.merges;
        m_mergeTrace({m_device, from, m_stage.stage, true, tag.iteration, 0, 0});
        m_worker.advance();
        return true;
    default:
        return false;
    }
}

void
AdjacentScheduler::TakeResult(uint32_t from, PipelineTag tag, const AssistanceGrant& grant)
{
    m_resultTrace({m_device,
                   from,
                   grant.stage,
                   grant.backward,
                   tag.iteration,
                   tag.microBatch,
                   grant.samples});
    if (m_loans && grant.backward)
    {
        m_loans->NoticeBackward();
    }
    if (grant.number > 0)
    {
        const AdjacentLoan given = m_given.at(grant.number);
        m_given.erase(grant.number);
        const double elapsed = (Simulator::Now() - given.sent).GetSeconds();
        m_delays[given.helper] = std::max(0.0, elapsed - given.expectedSeconds);
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
        m_worker.advance();
    }
}

void
AdjacentScheduler::Collect()
{
    const bool isLast = m_ended + (m_running != 0 && m_jobs.at(m_running).isOwn) == m_steps.size();
    if (m_loans && isLast && m_loans->IsToCollect())
    {
        m_loans->Collect();
        m_worker.send(m_loans->GetHolder(),
                      {PipelineTag::COLLECT, m_iteration},
                      PIPELINE_NOTICE_BYTES,
                      "",
                      {});
    }
}

void
AdjacentScheduler::SendWeights(uint32_t helper)
{
    const std::string body = WriteBody(m_loans->SendCopy(helper));
    m_worker.send(helper,
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

void
AdjacentScheduler::NoticeUpdate()
{
    if (!m_loans || !m_loans->HasHolder())
    {
        return;
    }
    m_loans->NoticeUpdate();
    const uint32_t holder = m_loans->GetHolder();
    if (m_loans->WouldPay(holder,
                          m_loans->GetLastRequest(),
                          m_compute->GetAvailableShare(),
                          m_loans->CountLent()))
    {
        SendWeights(holder);
    }
}

bool
AdjacentScheduler::Consider(uint32_t helper, Request& request)
{
    if (request.refusedJob == m_running)
    {
        return false;
    }
    const Job& job = m_jobs.at(m_running);
    const bool backward = job.work.backward;
    const double share = m_compute->GetAvailableShare();
    const double each = job.secondsPerSample / share;
    // A sample that has been begun stays.
    const double left = (m_compute->GetRemaining() + TICK) / job.secondsPerSample;
    AssistanceAnswer answer{0, 0};
    AssistanceQuestion question{};
    if (share > 0 && request.body.share > 0 && !m_loans)
    {
        const PassSeconds& pass = request.body.atStages[job.work.stage];
        question = {left * each,
                    each,
                    0,
                    pass.Get(backward) / m_stage.samples / request.body.share,
                    static_cast<uint32_t>(left),
                    0};
    }
    else if (share > 0 && request.body.share > 0 && job.isOwn)
    {
        const uint32_t microBatch = job.tag.microBatch;
        const uint32_t ahead = std::count_if(m_steps.begin() + m_ended,
                                             m_steps.end(),
                                             [](const auto& step) { return !step.backward; });
        if (m_loans->HasCopy(helper))
        {
            question = m_loans->Ask(helper, request.body, backward, microBatch, each, left);
            question.mostSamples = std::min<uint32_t>(
                left,
                m_loans->FindMost(helper, request.body, backward, microBatch, share));
        }
        else if (m_loans->WouldPay(helper, request.body, share, ahead))
        {
            SendWeights(helper);
            return true;
        }
    }
    question.helperSeconds = m_delays[helper];
    question.minimumGainSeconds = m_minimumGain;
    answer = SplitSamples(question);
    if (answer.samples > 0)
    {
        Grant(helper, answer.samples, answer.samples * question.helperSecondsPerSample);
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
    m_counts.imbalanceSeconds +=
        GrantBalance{m_compute->GetRemaining() / m_compute->GetAvailableShare(),
                     m_delays[helper],
                     seconds}
            .GetImbalance();
    m_grantTrace(MakeEvent(job, helper, samples));
    const bool backward = job.work.backward;
    m_worker.send(
        helper,
        {PipelineTag::GRANT, job.tag.iteration, job.tag.microBatch},
        PIPELINE_NOTICE_BYTES +
            (m_loans ? m_loans->Lend(backward, job.tag.microBatch, samples) : 0),
        WriteBody(AssistanceGrant{number, job.work.stage, backward, samples, m_loans && backward}),
        {});
}

void
AdjacentScheduler::NoticeIdle(const PipelineStep& step)
{
    if (!m_isEnabled || m_hasAsked)
    {
        return;
    }
    m_hasAsked = true;
    const uint32_t to = step.backward ? m_stage.next : m_stage.previous;
    const std::string body =
        WriteBody(AssistanceRequest{step.backward,
                                    m_compute->GetAvailableShare(),
                                    m_loans ? m_holdings->GetFreeBytes(to) : 0,
                                    m_loans ? m_holdings->GetLentSeconds(to) : 0,
                                    m_stage.atStages});
    ++m_counts.requests;
    m_requestTrace({m_device,
                    to,
                    m_stage.stage,
                    step.backward,
                    m_iteration,
                    step.microBatch,
                    m_stage.samples});
    m_worker.send(to, {PipelineTag::REQUEST, m_iteration, step.microBatch}, body.size(), body, {});
}

} // namespace edgepipe
} // namespace ns3
