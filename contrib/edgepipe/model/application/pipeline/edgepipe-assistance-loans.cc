/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-assistance-loans.h"

#include "ns3/abort.h"
#include "ns3/edgepipe-pipeline-passes.h"

namespace ns3::edgepipe
{

namespace
{

/**
 * A channel that carries one tensor of a micro-batch, in which every lent sample replaces its part
 * by that of another tensor.
 *
 * @param one seconds per sample of the first tensor
 * @param other seconds per sample of the other tensor
 * @param samples in a micro-batch
 * @param period longest the channel may take if lending adds to its time, seconds
 * @return most samples that may be lent
 */
double
FindMostOnChannel(double one, double other, uint32_t samples, double period)
{
    return other <= one ? samples : std::max(0.0, (period - samples * one) / (other - one));
}

} // namespace

uint64_t
GetSamplesPart(uint64_t bytes, uint32_t samples, uint32_t all)
{
    return bytes / all * samples + bytes % all * samples / all;
}

AssistanceHoldings::AssistanceHoldings(const StageAssignment& stage,
                                       const std::vector<PipelineStep>& steps,
                                       std::shared_ptr<MemoryAccount> memory)
    : m_stage(stage),
      m_memory(std::move(memory))
{
    const uint64_t needed = stage.memory.GetBytes(FindMostHeld(steps));
    const uint32_t neighbours = (stage.stage > 0) + (stage.stage + 1 < stage.stages);
    const uint64_t capacity = m_memory->GetLedger()->GetCapacity();
    if (neighbours > 0 && capacity > needed)
    {
        m_spareBytes = (capacity - needed) / neighbours;
    }
}

uint64_t
AssistanceHoldings::GetFreeBytes(uint32_t owner) const
{
    uint64_t used = 0;
    const auto copy = m_copies.find(owner);
    if (copy != m_copies.end())
    {
        used += 2 * copy->second.parameterBytes;
    }
    for (const auto& [key, held] : m_held)
    {
        used += key.first == owner ? held.bytes : 0;
    }
    return m_spareBytes - std::min(m_spareBytes, used);
}

double
AssistanceHoldings::GetLentSeconds(uint32_t owner) const
{
    double seconds = 0;
    for (const auto& [key, held] : m_held)
    {
        if (key.first != owner)
        {
            const auto& pass = m_stage.atStages[m_copies.at(key.first).stage];
            seconds = std::max(seconds, held.samples * pass.backward / m_stage.samples);
        }
    }
    return seconds;
}

void
AssistanceHoldings::TakeCopy(uint32_t owner, const AssistanceCopy& copy)
{
    DropCopy(owner);
    if (2 * copy.parameterBytes <= GetFreeBytes(owner) &&
        m_memory->Reserve(2 * copy.parameterBytes))
    {
        m_copies[owner] = copy;
    }
}

void
AssistanceHoldings::DropCopy(uint32_t owner)
{
    const auto copy = m_copies.find(owner);
    if (copy != m_copies.end())
    {
        m_memory->Release(2 * copy->second.parameterBytes);
        m_copies.erase(copy);
    }
}

void
AssistanceHoldings::GiveBack()
{
    while (!m_copies.empty())
    {
        DropCopy(m_copies.begin()->first);
    }
    while (!m_held.empty())
    {
        const auto [owner, microBatch] = m_held.begin()->first;
        Drop(owner, microBatch);
    }
}

void
AssistanceHoldings::Hold(uint32_t owner, uint32_t microBatch, uint32_t samples)
{
    const uint64_t bytes =
        GetSamplesPart(m_copies.at(owner).activationBytes, samples, m_stage.samples);
    NS_ABORT_MSG_UNLESS(m_memory->Reserve(bytes), "granted samples do not fit what was offered");
    Held& held = m_held[{owner, microBatch}];
    held.samples += samples;
    held.bytes += bytes;
}

uint64_t
AssistanceHoldings::GetResultBytes(uint32_t owner, const AssistanceGrant& grant) const
{
    // A result that this device itself needs next is not sent.
    const AssistanceCopy& copy = GetCopy(owner);
    const bool isBefore = copy.stage < m_stage.stage;
    const uint64_t bytes = isBefore ? copy.inputBytes : copy.outputBytes;
    return isBefore == grant.backward ? GetSamplesPart(bytes, grant.samples, m_stage.samples) : 0;
}

AssistanceLoans::AssistanceLoans(const StageAssignment& stage, uint32_t checkpoints)
    : m_stage(stage),
      m_checkpoints(checkpoints),
      m_bandwidth(stage.bandwidthBytesPerSecond)
{
    const auto schedule = FindByName<PipelineSchedule>("schedule", stage.schedule);
    for (uint32_t i = 0; i < m_forwards.size(); ++i)
    {
        const uint32_t one = stage.stage + i - 1;
        if (one < stage.stages)
        {
            m_forwards[i] =
                CountForwards(schedule->GetSteps(one, stage.stages, stage.microBatches));
        }
        m_forwards[i].resize(stage.microBatches + 1, 0);
        m_forwards[i][0] = 0;
    }
    BeginIteration();
}

void
AssistanceLoans::BeginIteration()
{
    m_lent.assign(m_stage.microBatches, 0);
    m_recomputed.assign(m_stage.microBatches, 0);
    m_backwardAway = 0;
    m_owesGradients = false;
    m_isCollecting = false;
}

bool
AssistanceLoans::NoticeUpdate(double share)
{
    m_isFresh = false;
    const uint32_t lent = m_lent.size() - std::count(m_lent.begin(), m_lent.end(), 0U);
    return m_holder && WouldPay(*m_holder, m_lastRequest, share, lent);
}

bool
AssistanceLoans::WouldPay(uint32_t helper,
                          const AssistanceRequest& request,
                          double share,
                          uint32_t microBatches)
{
    if (m_isUnderWay || m_holder.value_or(helper) != helper)
    {
        return false;
    }
    m_lastRequest = request;
    const double needed = m_holder ? 0 : 2.0 * m_stage.parameterBytes;
    if (request.freeBytes <= needed || share <= 0 || request.share <= 0)
    {
        return false;
    }
    AssistanceRequest then = request;
    then.freeBytes -= needed;
    const PassSeconds fixed = GetFixedPart(m_stage.atStages, m_stage.stages, m_stage.stage);
    const double own = m_stage.forwardSeconds / share;
    const double backward = m_stage.backwardSeconds / share;
    const double each = (own - fixed.forward / share) / m_stage.samples;
    const double left = m_stage.samples * double(m_checkpoints) / (m_checkpoints + 1);
    AssistanceQuestion question = Ask(helper, then, false, 0, each, left);
    // Between the first two backward passes.
    const uint32_t first = !IsNext(helper);
    question.mostSamples = std::min<double>(left, FindMostForward(helper, then, first, share));
    const AssistanceAnswer answer = SplitSamples(question);
    const double forwardThen = own - (question.ownerSeconds - answer.seconds);
    const double backwardFixed = fixed.backward / share;
    const double backwardThen = backwardFixed + (backward - backwardFixed) *
                                                    (m_stage.samples - answer.samples) /
                                                    m_stage.samples;
    // Speeding up a stage that is not the slowest gains nothing.
    const double gain =
        std::max(0.0, own - std::max(forwardThen, m_stage.slowestOther.forward)) +
        std::max(0.0, backward - std::max(backwardThen, m_stage.slowestOther.backward));
    return microBatches * gain > 2 * m_stage.parameterBytes / m_bandwidth;
}

AssistanceCopy
AssistanceLoans::SendCopy(uint32_t helper)
{
    m_holder = helper;
    m_isFresh = false;
    m_isUnderWay = true;
    return {m_stage.stage,
            m_stage.parameterBytes,
            m_stage.inputBytes,
            m_stage.outputBytes,
            m_stage.activationBytes};
}

void
AssistanceLoans::NoticeCopy(double seconds)
{
    m_isFresh = true;
    m_isUnderWay = false;
    if (seconds > 0 && m_stage.parameterBytes > 0)
    {
        m_bandwidth = m_stage.parameterBytes / seconds;
    }
}

AssistanceQuestion
AssistanceLoans::Ask(uint32_t helper,
                     const AssistanceRequest& request,
                     bool isBackward,
                     uint32_t microBatch,
                     double secondsPerSample,
                     double samplesLeft) const
{
    const bool isNext = IsNext(helper);
    const double in = GetSecondsPerSample(m_stage.sampleBytes);
    const double gradient = GetSecondsPerSample(m_stage.inputBytes);
    const double out = GetSecondsPerSample(m_stage.outputBytes);
    const PassSeconds pass = request.atStages[m_stage.stage];
    const PassSeconds fixed = GetFixedPart(request.atStages, m_stage.stages, m_stage.stage);
    const auto get = [isBackward](const PassSeconds& one) {
        return one.forward + (isBackward ? one.backward : 0);
    };
    const double samples = m_stage.samples;
    AssistanceQuestion question{};
    question.ownerSeconds = samplesLeft * secondsPerSample;
    question.ownerSecondsPerSample = secondsPerSample;
    question.helperSeconds = get(fixed) / request.share;
    question.helperSecondsPerSample = (get(pass) - get(fixed)) / samples / request.share;
    if (isNext == !isBackward)
    {
        // The helper needs the output itself, so it is not sent.
        const double onward = isBackward ? gradient : out;
        const uint32_t there = isBackward ? m_recomputed[microBatch] : 0;
        question.ownerSeconds += onward * (samples - m_lent[microBatch] - there);
        question.ownerSecondsPerSample += onward;
        question.helperSecondsPerSample += isBackward ? out : in;
    }
    else
    {
        question.helperSecondsPerSample += isBackward ? in + out + gradient : out;
    }
    return question;
}

double
AssistanceLoans::FindMostForward(uint32_t helper,
                                 const AssistanceRequest& request,
                                 uint32_t microBatch,
                                 double share) const
{
    const bool isNext = IsNext(helper);
    const double in = GetSecondsPerSample(m_stage.sampleBytes);
    const double gradient = GetSecondsPerSample(m_stage.inputBytes);
    const double out = GetSecondsPerSample(m_stage.outputBytes);
    const double forward = m_stage.forwardSeconds / share;
    const double backward = m_stage.backwardSeconds / share;
    const PassSeconds there = request.atStages[isNext ? m_stage.stage + 1 : m_stage.stage - 1];
    const double fixed =
        GetFixedPart(request.atStages, m_stage.stages, m_stage.stage).backward / request.share;
    // The next stage runs held samples after its own backward pass, the previous one before.
    const uint32_t next = microBatch + isNext;
    // More forward passes at the helper do not postpone the next gradient.
    const double forwards = m_forwards[1][next] * forward -
                            m_forwards[isNext ? 2 : 0][next] * there.forward / request.share;
    const double busy =
        (there.backward + request.lentSeconds) / request.share + fixed - std::min(0.0, forwards);
    const double each = request.atStages[m_stage.stage].backward / m_stage.samples / request.share -
                        fixed / m_stage.samples;
    const double transfer = isNext ? gradient : out;
    double most = m_stage.samples;
    if (each + transfer > 0)
    {
        most = std::min(most, (backward - busy) / (each + transfer));
    }
    const uint32_t all = m_stage.samples;
    if (isNext)
    {
        most = std::min(most, FindMostOnChannel(out, in, all, forward));
        most = std::min(most, FindMostOnChannel(out, gradient, all, backward));
    }
    else
    {
        most = std::min(most, FindMostOnChannel(gradient, out, all, backward));
    }
    if (m_stage.activationBytes > 0)
    {
        most =
            std::min(most, std::floor(double(request.freeBytes) * all / m_stage.activationBytes));
    }
    return std::max(0.0, std::floor(most));
}

uint32_t
AssistanceLoans::FindMost(uint32_t helper,
                          const AssistanceRequest& request,
                          bool isBackward,
                          uint32_t microBatch,
                          double share,
                          uint32_t held) const
{
    double most = m_stage.samples;
    const double bytes = m_stage.activationBytes;
    if (!isBackward)
    {
        const double forward = FindMostForward(helper, request, microBatch, share);
        most = std::max(0.0, forward - m_lent[microBatch]);
    }
    else if (m_isCollecting)
    {
        return 0;
    }
    else if (bytes > 0)
    {
        most = std::min<double>(most, std::floor(request.freeBytes * most / bytes));
    }
    if (!IsNext(helper))
    {
        // A sample that each ran for the other would cross the wire once more.
        const uint32_t away = held + m_lent[microBatch] + m_recomputed[microBatch];
        most = std::min<double>(most, m_stage.samples - std::min(m_stage.samples, away));
    }
    return most;
}

uint64_t
AssistanceLoans::Lend(bool isBackward, uint32_t microBatch, uint32_t samples)
{
    const bool isNext = IsNext(GetHolder());
    if (!isBackward)
    {
        m_backwardAway += m_lent[microBatch] == 0;
        m_lent[microBatch] += samples;
        return isNext ? GetSamplesPart(m_stage.sampleBytes, samples, m_stage.samples) : 0;
    }
    ++m_backwardAway;
    m_recomputed[microBatch] += samples;
    return GetSamplesPart(m_stage.outputBytes, samples, m_stage.samples) +
           (isNext ? GetSamplesPart(m_stage.sampleBytes, samples, m_stage.samples) : 0);
}

uint64_t
AssistanceLoans::GetOutputBytes(const PipelineStep& step, uint32_t held) const
{
    const uint32_t k = step.microBatch;
    uint32_t away = held;
    if (m_holder && IsNext(*m_holder) != step.backward)
    {
        // The receiver is the holder, which has the samples that it computed.
        away += m_lent[k] + (step.backward ? m_recomputed[k] : 0);
    }
    NS_ABORT_MSG_IF(away > m_stage.samples, "more samples are away than there are");
    return GetSamplesPart(step.backward ? m_stage.inputBytes : m_stage.outputBytes,
                          m_stage.samples - away,
                          m_stage.samples);
}

} // namespace ns3::edgepipe
