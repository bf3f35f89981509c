/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-actor-log.h"

#include "ns3/edgepipe-connect.h"

#include <cmath>

namespace ns3::edgepipe
{

void
ActorLog::Observe(Ptr<ActorDevice> actor)
{
    Connect(actor, "StepBegin", [this](uint32_t) { ++m_records.begun; });
    Connect(actor, "StepEnd", [this](const StepRecord& ended) {
        StepRecord step = ended;
        const auto found = m_served.find({step.actor, step.step});
        if (found != m_served.end())
        {
            step.served = found->second.served;
            step.serverVersion = found->second.version;
            m_served.erase(found);
        }
        step.newestVersion = m_learner->GetVersion();
        m_records.steps.push_back(step);
    });
}

void
ActorLog::Observe(Ptr<ActorServer> server, Ptr<Learner> learner)
{
    m_learner = learner;
    Connect(server, "Served", [this](const ServedRecord& request) {
        ++m_records.served;
        const bool isNew =
            m_served.emplace(std::make_pair(request.actor, request.step), request).second;
        NS_ABORT_MSG_UNLESS(isNew, "a request was answered twice");
    });
    Connect(server, "PlanChange", [this](const PlanChangeRecord& change) {
        m_records.changes.push_back(change);
    });
    Connect(server, "BudgetUse", [this](const BudgetRecord& use) {
        m_records.budgets.push_back(use);
    });
    Connect(learner, "Update", [this](const UpdateRecord& update) {
        m_records.updates.push_back(update);
    });
}

ServerUsage&
ServerUsage::operator+=(const ServerUsage& other)
{
    inferenceSeconds += other.inferenceSeconds;
    trainingSeconds += other.trainingSeconds;
    tensorBytes += other.tensorBytes;
    trajectoryBytes += other.trajectoryBytes;
    actionBytes += other.actionBytes;
    parameterBytes += other.parameterBytes;
    planningSeconds += other.planningSeconds;
    meetingBytes += other.meetingBytes;
    meetingMessages += other.meetingMessages;
    reports += other.reports;
    probeBytes += other.probeBytes;
    controlBytes += other.controlBytes;
    controlMessages += other.controlMessages;
    requests += other.requests;
    return *this;
}

ActorUsage::ActorUsage(const Time& span, JobFilter filter)
    : m_filter(std::move(filter)),
      m_span(span)
{
    NS_ABORT_MSG_UNLESS(span.IsStrictlyPositive(), "spans of no time");
}

void
ActorUsage::Observe(Ptr<ComputeDevice> compute)
{
    m_filter.WatchTasks(0, compute, [this](const TaskSpan& task) {
        const auto kind = ActorTag::Unpack(task.tag).kind;
        const auto seconds = kind == ActorTag::TRAINING   ? &ServerUsage::trainingSeconds
                             : kind == ActorTag::PLANNING ? &ServerUsage::planningSeconds
                                                          : &ServerUsage::inferenceSeconds;
        Time counted = task.start;
        Spread(task.start, task.end, [&](ServerUsage& span, const Time& until) {
            span.*seconds += (until - counted).GetSeconds();
            counted = until;
        });
    });
}

void
ActorUsage::Observe(Ptr<TensorTransport> transport)
{
    m_filter.WatchTransfers(transport, [this](const TransferSpan& transfer) {
        if (transfer.port >= TensorTransport::MONITOR_PORT)
        {
            Find(transfer.end).probeBytes += transfer.bytes;
            return;
        }
        const auto kind = ActorTag::Unpack(transfer.tag).kind;
        const bool isOfMeeting = kind == ActorTag::ROUND || kind == ActorTag::MEET ||
                                 kind == ActorTag::MEETING || kind == ActorTag::MET;
        const auto bytes = kind == ActorTag::TENSOR       ? &ServerUsage::tensorBytes
                           : kind == ActorTag::TRAJECTORY ? &ServerUsage::trajectoryBytes
                           : kind == ActorTag::ACTION     ? &ServerUsage::actionBytes
                           : kind == ActorTag::PARAMETERS ? &ServerUsage::parameterBytes
                           : isOfMeeting                  ? &ServerUsage::meetingBytes
                                                          : &ServerUsage::controlBytes;
        const double length = (transfer.end - transfer.start).GetSeconds();
        uint64_t counted = 0;
        Spread(transfer.start, transfer.end, [&](ServerUsage& span, const Time& until) {
            const double share = (until - transfer.start).GetSeconds() / length;
            const auto passed = static_cast<uint64_t>(std::llround(share * transfer.bytes));
            span.*bytes += passed - counted;
            counted = passed;
        });
        ServerUsage& last = Find(transfer.end);
        last.*bytes += transfer.bytes - counted; // all bytes, if the transfer took no time
        last.requests += kind == ActorTag::ACTION;
        last.reports += kind == ActorTag::REPORT;
        last.meetingMessages += bytes == &ServerUsage::meetingBytes;
        last.controlMessages += bytes == &ServerUsage::controlBytes;
    });
}

ServerUsage&
ActorUsage::Find(const Time& time)
{
    const std::size_t index = time.GetTimeStep() / m_span.GetTimeStep();
    m_spans.resize(std::max(m_spans.size(), index + 1));
    return m_spans[index];
}

void
ActorUsage::Spread(const Time& begin,
                   const Time& end,
                   const std::function<void(ServerUsage&, const Time&)>& add)
{
    Time at = begin;
    while (at < end)
    {
        ServerUsage& span = Find(at);
        at = std::min(end, m_span * (at.GetTimeStep() / m_span.GetTimeStep() + 1));
        add(span, at);
    }
}

ActorBeliefs::ActorBeliefs(MultiActorModel model,
                           std::map<uint32_t, MultiActor> idle,
                           const std::vector<PlanChangeRecord>& changes)
    : m_model(std::move(model)),
      m_idle(std::move(idle))
{
    for (const auto& change : changes)
    {
        for (const auto& told : change.told)
        {
            m_told[told.actor][change.inForce] = told;
        }
        m_shares[change.inForce] = change.serverShare;
    }
}

const std::vector<MultiActorCut>&
ActorBeliefs::GetCuts(uint32_t actor, const Time& begun)
{
    const auto& all = m_told.at(actor);
    const auto after = all.upper_bound(begun);
    NS_ABORT_MSG_IF(after == all.begin(), "actor " << actor << " steps before it has joined");
    const auto told = std::prev(after);
    const auto share = std::prev(m_shares.upper_bound(begun));
    const auto since = std::make_pair(told->first, share->first);
    auto& [known, cuts] = m_cuts[actor];
    if (cuts.empty() || known != since)
    {
        known = since;
        MultiActor now = GetLoadedActor(m_idle.at(actor), told->second.share);
        now.bytesPerSecond = told->second.bytesPerSecond;
        cuts = ListMultiActorCuts(GetLoadedModel(m_model, share->second), now);
    }
    return cuts;
}

} // namespace ns3::edgepipe
