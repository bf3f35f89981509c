/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workloads/actor-learner-summary.h"

namespace ns3::edgepipe
{

namespace
{

/**
 * @param lag to add to
 * @param versions mean lag of the steps
 * @param most largest lag of a step
 * @param steps number of steps
 */
void
AddLag(PolicyLag& lag, double versions, uint32_t most, uint64_t steps)
{
    lag.mean += versions * steps;
    lag.most = std::max(lag.most, most);
    lag.steps += steps;
}

/** @param lag whose mean still holds a sum */
void
Divide(PolicyLag& lag)
{
    lag.mean /= std::max<uint64_t>(1, lag.steps);
}

/**
 * @param options of a run
 * @param result of it
 * @param from start of the window
 * @return seconds of presence in the window, by actor that was present
 */
std::map<uint32_t, double>
GetPresence(const ActorLearnerSetting& options, const ActorLearnerResult& result, const Time& from)
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
        if (change.kind == PlanChangeRecord::JOIN)
        {
            for (const auto& told : change.told)
            {
                since[told.actor] = change.time;
            }
        }
        else if (change.kind == PlanChangeRecord::LEAVE)
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
 * @param options of a run
 * @return time of layers y + 1 to K of a single request on the idle server, by y, s
 */
std::vector<double>
ListServerSeconds(const ActorLearnerSetting& options)
{
    ActorRequests requests;
    requests.SetUp(options.model, options.serverBatchSeconds);
    return Map(CountUp(options.model.layerFlop.size() + 1),
               [&](std::size_t cut) { return requests.GetSeconds({cut}); });
}

/**
 * Add the figures of steps.
 *
 * @param options of a run
 * @param result of it
 * @param warmUp steps that end before are left out
 * @param s to add to
 */
void
AddSteps(const ActorLearnerSetting& options,
         const ActorLearnerResult& result,
         const Time& warmUp,
         ActorLearnerSummary& s)
{
    MultiActorModel server = options.model;
    std::map<uint32_t, MultiActor> actors;
    for (std::size_t i = 0; i < options.actors.size(); ++i)
    {
        actors[i] = options.actors[i].GetProfile();
    }
    ActorBeliefs profile(server, actors, result.changes);
    server.serverLayerSeconds.clear();
    for (auto& [id, actor] : actors)
    {
        actor.layerSeconds.clear();
    }
    ActorBeliefs eq5(server, actors, result.changes);
    const auto executing = ListServerSeconds(options);
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
        responses.push_back((step.ended - step.observed).GetSeconds());
        s.eq5Seconds += eq5.GetCuts(step.actor, step.begun)[step.cut].responseSeconds;
        s.profileSeconds += profile.GetCuts(step.actor, step.begun)[step.cut].responseSeconds;
        ++s.cuts[step.cut];
        ++requests[step.actor];
        if (step.cut > 0)
        {
            const uint32_t lag = step.newestVersion - step.actorVersion;
            AddLag(s.actorLag, lag, lag, 1);
        }
        if (step.cut < all)
        {
            s.predictedSeconds += 2 * result.delaySeconds.at(step.actor); // the request, the action
            const uint32_t lag = step.newestVersion - step.serverVersion;
            AddLag(s.serverLag, lag, lag, 1);
            s.queueSeconds +=
                std::max(0.0, (step.served - step.uploaded).GetSeconds() - executing[step.cut]);
        }
    }
    Divide(s.actorLag);
    Divide(s.serverLag);
    s.requests = responses.size();
    const double count = std::max<std::size_t>(1, responses.size());
    s.requestsPerSecond = s.requests / (options.duration - warmUp).GetSeconds();
    s.meanSeconds = Mean(responses);
    s.medianSeconds = FindPercentile(responses, 0.5);
    s.p95Seconds = FindPercentile(responses, 0.95);
    s.p99Seconds = FindPercentile(responses, 0.99);
    s.eq5Seconds /= count;
    s.profileSeconds /= count;
    s.predictedSeconds /= count;
    s.predictedSeconds += options.believesProfile ? s.profileSeconds : s.eq5Seconds;
    s.queueSeconds /= count;
    for (auto& [cut, share] : s.cuts)
    {
        share /= count;
    }
    s.fairness = GetJainIndex(
        Map(presence, [&](const auto& each) { return requests[each.first] / each.second; }));
}

} // namespace

double
GetJainIndex(const std::vector<double>& values)
{
    const double sum = Sum(values);
    const double squares = Sum(values, [](double value) { return value * value; });
    return squares > 0 ? sum * sum / (values.size() * squares) : 0;
}

ActorLearnerSummary
Summarise(const ActorLearnerSetting& options, const ActorLearnerResult& result, const Time& warmUp)
{
    ActorLearnerSummary s;
    AddSteps(options, result, warmUp, s);
    const int64_t span = options.span.GetTimeStep();
    const auto first = static_cast<std::size_t>((warmUp.GetTimeStep() + span - 1) / span);
    const auto last = static_cast<std::size_t>(options.duration.GetTimeStep() / span);
    for (std::size_t i = 0; i < result.spans.size(); ++i)
    {
        s.whole += result.spans[i];
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
    for (const auto& update : result.updates)
    {
        if (update.time >= warmUp)
        {
            AddLag(s.trainingLag, update.meanLag, update.mostLag, update.steps);
        }
    }
    Divide(s.trainingLag);
    const double decisions = result.changes.size();
    for (const auto& change : result.changes)
    {
        const bool isReplan =
            change.kind == PlanChangeRecord::REPORT || change.kind == PlanChangeRecord::SERVER;
        s.replans += isReplan;
        s.changes += change.kind == PlanChangeRecord::JOIN ? change.told.size() : !isReplan;
        s.movedPerChange += change.moved / decisions;
        s.meetingSeconds += (change.inForce - change.time).GetSeconds() / decisions;
        s.planMessages += change.messages;
        s.last = change;
    }
    return s;
}

} // namespace ns3::edgepipe
