/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/actor-learner-summary.h"

#include "studies/cooperative-summary.h"

#include "ns3/edgepipe-multi-actor-cut.h"

#include <algorithm>
#include <numeric>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param lag to add to
 * @param versions that a step's parameters were behind
 * @param steps that were so
 */
void
AddLag(PolicyLag& lag, double versions, uint64_t steps)
{
    lag.mean += versions * steps;
    lag.steps += steps;
}

/** @param lag whose mean is a sum as yet */
void
Divide(PolicyLag& lag)
{
    lag.mean /= std::max<uint64_t>(1, lag.steps);
}

/**
 * @param options of a run
 * @param result of it
 * @param from begin of the window
 * @return by actor that was there in the window, seconds that it was
 */
std::map<uint32_t, double>
GetPresence(const ActorLearnerOptions& options, const ActorLearnerResult& result, const Time& from)
{
    std::map<uint32_t, double> presence;
    std::map<uint32_t, Time> since;
    const auto leave = [&](uint32_t actor, const Time& time) {
        const Time begin = std::max(from, since[actor]);
        if (time > begin)
        {
            presence[actor] += (time - begin).GetSeconds();
        }
        since.erase(actor);
    };
    for (const auto& change : result.changes)
    {
        if (change.isJoin)
        {
            since[change.actor] = change.time;
        }
        else
        {
            leave(change.actor, std::min(change.time, options.duration));
        }
    }
    while (!since.empty())
    {
        leave(since.begin()->first, options.duration);
    }
    return presence;
}

/**
 * Add what the steps say.
 *
 * @param options of a run
 * @param result of it
 * @param warmUp what ends before does not count
 * @param s to add to
 */
void
AddSteps(const ActorLearnerOptions& options,
         const ActorLearnerResult& result,
         const Time& warmUp,
         ActorLearnerSummary& s)
{
    std::map<uint32_t, std::vector<MultiActorCut>> cuts;
    for (const auto& [actor, told] : result.told)
    {
        cuts[actor] = ListMultiActorCuts(options.model, told);
    }
    auto presence = GetPresence(options, result, warmUp);
    std::map<uint32_t, uint64_t> requests;
    std::vector<double> responses;
    const std::size_t all = options.model.layerFlop.size();
    for (const auto& step : result.steps)
    {
        if (step.ended < warmUp || step.ended >= options.duration)
        {
            continue;
        }
        const MultiActorCut& cut = cuts.at(step.actor)[step.cut];
        responses.push_back((step.ended - step.observed).GetSeconds());
        s.predictedSeconds += cut.responseSeconds;
        ++s.cuts[step.cut];
        ++requests[step.actor];
        if (step.cut > 0)
        {
            AddLag(s.actorLag, step.newestVersion - step.actorVersion, 1);
            s.actorLag.most = std::max(s.actorLag.most, step.newestVersion - step.actorVersion);
        }
        if (step.cut < all)
        {
            const uint32_t lag = step.newestVersion - step.serverVersion;
            AddLag(s.serverLag, lag, 1);
            s.serverLag.most = std::max(s.serverLag.most, lag);
            s.queueSeconds += std::max(0.0,
                                       (step.served - step.uploaded).GetSeconds() -
                                           cut.flop / options.model.serverFlopPerSecond);
        }
    }
    Divide(s.actorLag);
    Divide(s.serverLag);
    s.requests = responses.size();
    const double count = std::max<std::size_t>(1, responses.size());
    s.requestsPerSecond = s.requests / (options.duration - warmUp).GetSeconds();
    s.meanSeconds = std::accumulate(responses.begin(), responses.end(), 0.0) / count;
    s.medianSeconds = FindPercentile(responses, 0.5);
    s.p95Seconds = FindPercentile(responses, 0.95);
    s.p99Seconds = FindPercentile(responses, 0.99);
    s.predictedSeconds /= count;
    s.queueSeconds /= count;
    for (auto& [cut, share] : s.cuts)
    {
        share /= count;
    }
    std::vector<double> rates;
    for (const auto& [actor, seconds] : presence)
    {
        rates.push_back(requests[actor] / seconds);
    }
    s.fairness = GetJainIndex(rates);
}

/**
 * Add what the server's use over time says.
 *
 * @param options of a run
 * @param result of it
 * @param warmUp what comes before does not count
 * @param s to add to
 */
void
AddUsage(const ActorLearnerOptions& options,
         const ActorLearnerResult& result,
         const Time& warmUp,
         ActorLearnerSummary& s)
{
    const int64_t span = options.span.GetTimeStep();
    const auto first = static_cast<std::size_t>((warmUp.GetTimeStep() + span - 1) / span);
    const auto last = static_cast<std::size_t>(options.duration.GetTimeStep() / span);
    for (std::size_t i = 0; i < result.spans.size(); ++i)
    {
        s.sentMessages += result.spans[i].controlMessages;
        if (i >= first && i < last)
        {
            s.usage += result.spans[i];
        }
    }
    if (last > first)
    {
        const double seconds = (last - first) * options.span.GetSeconds();
        s.inferenceShare = s.usage.inferenceSeconds / seconds;
        s.trainingShare = s.usage.trainingSeconds / seconds;
        s.uplinkBytesPerSecond = (s.usage.tensorBytes + s.usage.trajectoryBytes) / seconds;
        s.downlinkBytesPerSecond = (s.usage.actionBytes + s.usage.parameterBytes) / seconds;
    }
}

} // namespace

bool
ActorLearnerSummary::IsMeasured() const
{
    return requests > 0;
}

double
GetJainIndex(const std::vector<double>& values)
{
    double sum = 0;
    double squares = 0;
    for (const double value : values)
    {
        sum += value;
        squares += value * value;
    }
    return squares > 0 ? sum * sum / (values.size() * squares) : 0;
}

ActorLearnerSummary
Summarise(const ActorLearnerOptions& options, const ActorLearnerResult& result, const Time& warmUp)
{
    ActorLearnerSummary s;
    AddSteps(options, result, warmUp, s);
    AddUsage(options, result, warmUp, s);
    for (const auto& update : result.updates)
    {
        if (update.time >= warmUp)
        {
            AddLag(s.trainingLag, update.meanLag, update.steps);
            s.trainingLag.most = std::max(s.trainingLag.most, update.mostLag);
        }
    }
    Divide(s.trainingLag);
    s.changes = result.changes.size();
    for (const auto& change : result.changes)
    {
        s.movedPerChange += static_cast<double>(change.moved) / s.changes;
        s.planMessages += change.messages;
    }
    if (s.changes > 0)
    {
        const auto& last = result.changes.back();
        s.totalReductionSeconds = last.totalReductionSeconds;
        s.cutVariance = last.cutVariance;
        s.reductionVariance = last.reductionVariance;
        s.decisionSeconds = result.decisionSeconds / s.changes;
    }
    return s;
}

} // namespace edgepipe
} // namespace ns3
