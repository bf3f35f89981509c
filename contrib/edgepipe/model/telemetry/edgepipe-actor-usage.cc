/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-actor-usage.h"

#include "ns3/abort.h"
#include "ns3/edgepipe-actor-message.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace edgepipe
{

ServerUsage&
ServerUsage::operator+=(const ServerUsage& other)
{
    inferenceSeconds += other.inferenceSeconds;
    trainingSeconds += other.trainingSeconds;
    tensorBytes += other.tensorBytes;
    trajectoryBytes += other.trajectoryBytes;
    actionBytes += other.actionBytes;
    parameterBytes += other.parameterBytes;
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
        "TransferEnd",
        Callback<void, uint64_t, const Message&>([this](uint64_t, const Message& message) {
            if (m_filter.Has(message))
            {
                CountMessage(message);
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
ActorUsage::CountTask(uint64_t tag)
{
    const bool isTraining = ActorTag::Unpack(tag).kind == ActorTag::TRAINING;
    const Time end = Simulator::Now();
    Time at = m_begun;
    while (at < end)
    {
        ServerUsage& span = Find(at);
        const Time next = std::min(end, m_span * (at.GetTimeStep() / m_span.GetTimeStep() + 1));
        (isTraining ? span.trainingSeconds : span.inferenceSeconds) += (next - at).GetSeconds();
        at = next;
    }
}

void
ActorUsage::CountMessage(const Message& message)
{
    ServerUsage& span = Find(Simulator::Now());
    switch (ActorTag::Unpack(message.tag).kind)
    {
    case ActorTag::TENSOR:
        span.tensorBytes += message.bytes;
        break;
    case ActorTag::TRAJECTORY:
        span.trajectoryBytes += message.bytes;
        break;
    case ActorTag::ACTION:
        span.actionBytes += message.bytes;
        ++span.requests;
        break;
    case ActorTag::PARAMETERS:
        span.parameterBytes += message.bytes;
        break;
    default:
        span.controlBytes += message.bytes;
        ++span.controlMessages;
        break;
    }
}

const std::vector<ServerUsage>&
ActorUsage::GetSpans() const
{
    return m_spans;
}

} // namespace edgepipe
} // namespace ns3
