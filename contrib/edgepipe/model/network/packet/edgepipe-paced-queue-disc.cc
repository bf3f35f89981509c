/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-paced-queue-disc.h"

#include "ns3/drop-tail-queue.h"
#include "ns3/ipv4-queue-disc-item.h"
#include "ns3/simulator.h"

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(PacedQueueDisc);

namespace
{

/**
 * @param packets that it holds at most
 * @return a queue
 */
Ptr<QueueDisc::InternalQueue>
MakeQueue(uint32_t packets)
{
    auto queue = CreateObject<DropTailQueue<QueueDiscItem>>();
    queue->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, packets));
    return queue;
}

} // namespace

PacedQueueDisc::PacedQueueDisc()
    : Typed(QueueDiscSizePolicy::NO_LIMITS)
{
    AddInternalQueue(MakeQueue(1000));
}

void
PacedQueueDisc::AddPacer(Ipv4Address to, std::unique_ptr<LinkPacer> pacer, uint32_t queuePackets)
{
    m_lanes[to] = {static_cast<uint32_t>(GetNInternalQueues()), std::move(pacer), Time()};
    AddInternalQueue(MakeQueue(queuePackets));
}

bool
PacedQueueDisc::DoEnqueue(Ptr<QueueDiscItem> item)
{
    auto lane = m_lanes.end();
    if (const auto packet = DynamicCast<Ipv4QueueDiscItem>(item))
    {
        lane = m_lanes.find(packet->GetHeader().GetDestination());
        lane = lane == m_lanes.end() ? m_lanes.find(Ipv4Address::GetAny()) : lane;
    }
    const uint32_t queue = lane == m_lanes.end() ? 0 : lane->second.queue;
    if (!GetInternalQueue(queue)->Enqueue(item))
    {
        return false;
    }
    if (lane == m_lanes.end())
    {
        m_ready.push_back(queue);
        return true;
    }
    auto& [number, pacer, last] = lane->second;
    const Time now = Simulator::Now();
    last = std::max(last, now);
    pacer->TakeBytes(last); // unused so far, so lost
    for (double bytes = item->GetSize(); bytes > LinkPacer::NO_BYTES && last < Time::Max();)
    {
        last = pacer->FindNext(bytes);
        bytes -= pacer->TakeBytes(last);
    }
    if (last < Time::Max())
    {
        Simulator::Schedule(last - now, [self = Ptr<PacedQueueDisc>(this), queue] {
            self->m_ready.push_back(queue);
            self->Run();
        });
    }
    return true;
}

Ptr<QueueDiscItem>
PacedQueueDisc::DoDequeue()
{
    if (m_ready.empty())
    {
        return nullptr;
    }
    const uint32_t queue = m_ready.front();
    m_ready.pop_front();
    return GetInternalQueue(queue)->Dequeue();
}

bool
PacedQueueDisc::CheckConfig()
{
    return true;
}

void
PacedQueueDisc::InitializeParams()
{
}

} // namespace ns3::edgepipe
