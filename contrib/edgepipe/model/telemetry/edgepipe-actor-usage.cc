/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-actor-usage.h"

#include "ns3/abort.h"
#include "ns3/edgepipe-actor-message.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param kind of a message
 * @return whether it is of actors that decide together
 */
bool
IsOfMeeting(ActorTag::Kind kind)
{
    return kind == ActorTag::ROUND || kind == ActorTag::MEET || kind == ActorTag::MEETING ||
           kind == ActorTag::MET;
}

} // namespace

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
    compute->TraceConnectWithoutContext(
        "TaskStart",
        Callback<void, uint64_t, uint32_t>(
            [this](uint64_t, uint32_t) { m_begun = Simulator::Now(); }));
    compute->TraceConnectWithoutContext(
        "TaskEnd",
        Callback<void, uint64_t, uint32_t>([this](uint64_t tag, uint32_t job) {
            if (m_filter.Has(job))
            {
                CountTask(tag);
            }
        }));
}

void
ActorUsage::Observe(Ptr<TensorTransport> transport)
{
    transport->TraceConnectWithoutContext(
        "TransferStart",
        Callback<void, uint64_t, const Message&>([this](uint64_t id, const Message& message) {
            if (m_filter.Has(message))
            {
                m_started[id] = Simulator::Now();
            }
        }));
    transport->TraceConnectWithoutContext(
        "TransferEnd",
        Callback<void, uint64_t, const Message&>([this](uint64_t id, const Message& message) {
            if (m_filter.Has(message))
            {
                const auto started = m_started.extract(id);
                CountMessage(message, started ? started.mapped() : Simulator::Now());
            }
        }));
}

ServerUsage&
ActorUsage::Find(const Time& time)
{
    const std::size_t index = time.GetTimeStep() / m_span.GetTimeStep();
    m_spans.resize(std::max(m_spans.size(), index + 1));
    return m_spans[index];
}

void
ActorUsage::Spread(const Time& begin, const std::function<void(ServerUsage&, const Time&)>& add)
{
    const Time end = Simulator::Now();
    Time at = begin;
    while (at < end)
    {
        ServerUsage& span = Find(at);
        at = std::min(end, m_span * (at.GetTimeStep() / m_span.GetTimeStep() + 1));
        add(span, at);
    }
}

void
ActorUsage::CountTask(uint64_t tag)
{
    const auto kind = ActorTag::Unpack(tag).kind;
    const auto seconds = kind == ActorTag::TRAINING   ? &ServerUsage::trainingSeconds
                         : kind == ActorTag::PLANNING ? &ServerUsage::planningSeconds
                                                      : &ServerUsage::inferenceSeconds;
    Time counted = m_begun;
    Spread(m_begun, [&](ServerUsage& span, const Time& until) {
        span.*seconds += (until - counted).GetSeconds();
        counted = until;
    });
}

void
ActorUsage::CountMessage(const Message& message, const Time& begin)
{
    if (message.port >= TensorTransport::MONITOR_PORT)
    {
        Find(Simulator::Now()).probeBytes += message.bytes;
        return;
    }
    const auto kind = ActorTag::Unpack(message.tag).kind;
    const auto bytes = kind == ActorTag::TENSOR       ? &ServerUsage::tensorBytes
                       : kind == ActorTag::TRAJECTORY ? &ServerUsage::trajectoryBytes
                       : kind == ActorTag::ACTION     ? &ServerUsage::actionBytes
                       : kind == ActorTag::PARAMETERS ? &ServerUsage::parameterBytes
                       : IsOfMeeting(kind)            ? &ServerUsage::meetingBytes
                                                      : &ServerUsage::controlBytes;
    const double length = (Simulator::Now() - begin).GetSeconds();
    uint64_t counted = 0;
    Spread(begin, [&](ServerUsage& span, const Time& until) {
        const double share = (until - begin).GetSeconds() / length;
        const auto passed = static_cast<uint64_t>(std::llround(share * message.bytes));
        span.*bytes += passed - counted;
        counted = passed;
    });
    ServerUsage& last = Find(Simulator::Now());
    last.*bytes += message.bytes - counted; // all of it, if it took no time
    last.requests += kind == ActorTag::ACTION;
    last.reports += kind == ActorTag::REPORT;
    last.meetingMessages += bytes == &ServerUsage::meetingBytes;
    last.controlMessages += bytes == &ServerUsage::controlBytes;
}

const std::vector<ServerUsage>&
ActorUsage::GetSpans() const
{
    return m_spans;
}

} // namespace edgepipe
} // namespace ns3
