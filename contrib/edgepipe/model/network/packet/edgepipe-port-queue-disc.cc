/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-port-queue-disc.h"

#include "ns3/drop-tail-queue.h"

#include <limits>

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(PortQueueDisc);

PortQueueDisc::PortQueueDisc()
    : Typed(QueueDiscSizePolicy::NO_LIMITS)
{
    const auto queue = CreateObject<DropTailQueue<QueueDiscItem>>();
    queue->SetMaxSize(QueueSize(QueueSizeUnit::BYTES, std::numeric_limits<uint32_t>::max()));
    AddInternalQueue(queue);
}

bool
PortQueueDisc::DoEnqueue(Ptr<QueueDiscItem> item)
{
    const uint64_t bytes = item->GetSize();
    const auto fits = [bytes](uint64_t waiting, uint32_t most) {
        return most == 0 || waiting + bytes <= most;
    };
    if (!fits(GetInternalQueue(0)->GetNBytes(), m_buffer->portBytes) ||
        !fits(m_buffer->waitingBytes, m_buffer->sharedBytes))
    {
        DropBeforeEnqueue(item, "no room in the switch's buffer");
        return false;
    }
    m_buffer->waitingBytes += bytes;
    return GetInternalQueue(0)->Enqueue(item);
}

Ptr<QueueDiscItem>
PortQueueDisc::DoDequeue()
{
    const auto item = GetInternalQueue(0)->Dequeue();
    m_buffer->waitingBytes -= item ? item->GetSize() : 0;
    return item;
}

bool
PortQueueDisc::CheckConfig()
{
    return bool(m_buffer);
}

void
PortQueueDisc::InitializeParams()
{
}

} // namespace ns3::edgepipe
