/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-all-reduce-ring.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(AllReduceRing);

TypeId
AllReduceRing::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::AllReduceRing")
                            .SetParent<GradientExchange>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<AllReduceRing>();
    return tid;
}

std::string
AllReduceRing::GetName() const
{
    return "ring";
}

uint64_t
AllReduceRing::GetChunkBytes(uint64_t bytes, uint32_t workers, uint32_t chunk)
{
    return bytes / workers + (chunk % workers < bytes % workers ? 1 : 0);
}

std::vector<uint32_t>
AllReduceRing::GetNeighbours() const
{
    return std::vector<uint32_t>(GetWorkers() > 1 ? 1 : 0, (GetRank() + 1) % GetWorkers());
}

uint32_t
AllReduceRing::GetSteps() const
{
    return 2 * (GetWorkers() - 1);
}

void
AllReduceRing::DoBegin(uint32_t version)
{
    m_isActive = true;
    m_received = 0;
    // Only the first worker's word counts; to the others it comes with the chunks.
    m_version = GetRank() == 0 ? version : 0;
    if (GetSteps() == 0)
    {
        m_isActive = false;
        RequestUpdate();
        return;
    }
    SendStep(0);
    Advance();
}

void
AllReduceRing::SendStep(uint32_t step)
{
    const uint32_t n = GetWorkers();
    // Reduce-scatter sends the chunks rank, rank - 1, ...; all-gather goes on from there.
    const uint32_t chunk = GetRank() + 2 * n - step;
    Send((GetRank() + 1) % n,
         DataParallelTag::GRADIENTS,
         step,
         m_version,
         GetChunkBytes(GetBytes(), n, chunk));
}

void
AllReduceRing::DoReceive(const Message& message, const DataParallelTag& tag)
{
    m_arrived.push_back(tag.version);
    Advance();
}

void
AllReduceRing::Advance()
{
    while (m_isActive && !m_arrived.empty())
    {
        m_version = std::max(m_version, m_arrived.front());
        m_arrived.pop_front();
        ++m_received;
        if (m_received < GetSteps())
        {
            SendStep(m_received);
            continue;
        }
        m_isActive = false;
        RequestUpdate();
    }
}

void
AllReduceRing::DoNotifyUpdated()
{
    Finish(m_version);
}

std::string
AllReduceRing::DoDescribeWait() const
{
    const uint32_t before = (GetRank() + GetWorkers() - 1) % GetWorkers();
    return "waits for gradients of iteration " + std::to_string(GetIteration()) + ", step " +
           std::to_string(m_received) + ", from worker " + std::to_string(GetWorker(before));
}

} // namespace edgepipe
} // namespace ns3
