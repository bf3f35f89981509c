/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-paced-net-device.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-time.h"
#include "ns3/error-model.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/queue.h"
#include "ns3/simple-channel.h"
#include "ns3/simulator.h"

namespace ns3::edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipePacedNetDevice");

NS_OBJECT_ENSURE_REGISTERED(PacedNetDevice);

TypeId
PacedNetDevice::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("PhyTxEnd",
             "The last bit of a packet has been sent.",
             {&PacedNetDevice::m_txEndTrace, "ns3::Packet::TracedCallback"})
        .Add("MacTxDrop",
             "A packet did not fit into the queue.",
             {&PacedNetDevice::m_txDropTrace, "ns3::Packet::TracedCallback"})
        .Add("QueueSize",
             "Packets that may wait behind the one that is being sent.",
             {&PacedNetDevice::m_queuePackets, 1000, 1})
        .Add("Jitter",
             "Largest additional delay of a packet, uniform from 0.",
             {&PacedNetDevice::m_jitter, Time()});
}

PacedNetDevice::PacedNetDevice()
    : m_jitterShares(CreateObject<UniformRandomVariable>())
{
}

int64_t
PacedNetDevice::AssignStreams(int64_t stream)
{
    m_jitterShares->SetStream(stream);
    return 1;
}

void
PacedNetDevice::NotifyConstructionCompleted()
{
    SimpleNetDevice::NotifyConstructionCompleted();
    SetAttribute("PointToPointMode", BooleanValue(true));
}

void
PacedNetDevice::DoDispose()
{
    m_next.Cancel();
    m_frames.clear();
    SimpleNetDevice::DoDispose();
}

bool
PacedNetDevice::SendFrom(Ptr<Packet> packet,
                         const Address& source,
                         const Address& dest,
                         uint16_t protocolNumber)
{
    NS_LOG_FUNCTION(this << packet << source << dest << protocolNumber);
    if (packet->GetSize() > GetMtu())
    {
        return false;
    }
    const Time now = Simulator::Now();
    if (!m_isServing && !m_next.IsExpired() && m_nextTime <= now)
    {
        Serve(); // without this packet, which is queued only now
    }
    if (m_frames.size() > m_queuePackets)
    {
        m_txDropTrace(packet);
        return false;
    }
    m_frames.push_back({packet,
                        protocolNumber,
                        Mac48Address::ConvertFrom(dest),
                        Mac48Address::ConvertFrom(source)});
    if (m_frames.size() == 1 && !m_isServing)
    {
        m_leftBytes = packet->GetSize();
        m_pacer->TakeBytes(now); // unused so far, so lost
        Arm();
    }
    return true;
}

void
PacedNetDevice::Serve()
{
    m_isServing = true;
    m_next.Cancel();
    double bytes = m_pacer->TakeBytes(Simulator::Now());
    std::size_t waiting = m_frames.size();
    while (waiting > 0 && m_leftBytes <= bytes + LinkPacer::NO_BYTES)
    {
        bytes -= m_leftBytes;
        const Frame frame = std::move(m_frames.front());
        m_frames.pop_front();
        --waiting;
        Finish(frame);
        m_leftBytes = m_frames.empty() ? 0 : m_frames.front().packet->GetSize();
    }
    m_isServing = false;
    if (!m_frames.empty())
    {
        // Packets queued meanwhile get none of these bytes.
        m_leftBytes -= waiting > 0 ? bytes : 0;
        Arm();
    }
}

void
PacedNetDevice::Arm()
{
    m_nextTime = m_pacer->FindNext(m_leftBytes);
    if (m_nextTime < Time::Max())
    {
        m_next = Simulator::Schedule(m_nextTime - Simulator::Now(), &PacedNetDevice::Serve, this);
    }
}

void
PacedNetDevice::Finish(const Frame& frame)
{
    m_txEndTrace(frame.packet);
    const auto channel = DynamicCast<SimpleChannel>(GetChannel());
    const Ptr<SimpleNetDevice> self(this);
    if (m_jitter.IsZero() && !m_delays)
    {
        channel->Send(frame.packet, frame.protocol, frame.to, frame.from, self);
        return;
    }
    const Time now = Simulator::Now();
    Time release = now + m_jitterShares->GetValue() * m_jitter;
    if (m_delays)
    {
        m_delays->Advance(now);
        release += RoundSeconds(m_delays->GetValue());
    }
    m_lastRelease = std::max(m_lastRelease, release);
    Simulator::Schedule(m_lastRelease - now, [channel, frame, self] {
        channel->Send(frame.packet, frame.protocol, frame.to, frame.from, self);
    });
}

} // namespace ns3::edgepipe
