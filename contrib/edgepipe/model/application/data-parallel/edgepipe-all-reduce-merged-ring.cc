/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-all-reduce-merged-ring.h"

#include "ns3/edgepipe-all-reduce-ring.h"
#include "ns3/simulator.h"

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(AllReduceMergedRing);

namespace
{

// Some packets, so that largest ones are stored at each hop, and within any first window.
constexpr uint64_t PROBE_BYTES = 5000;

} // namespace

TypeId
AllReduceMergedRing::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::AllReduceMergedRing")
                            .SetParent<GradientExchange>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<AllReduceMergedRing>();
    return tid;
}

std::string
AllReduceMergedRing::GetName() const
{
    return "merged-ring";
}

bool
AllReduceMergedRing::NeedsFlows() const
{
    return true;
}

void
AllReduceMergedRing::Meet(const std::vector<Ptr<GradientExchange>>& all)
{
    m_first = DynamicCast<AllReduceMergedRing>(all.front());
    if (GetRank() == 0)
    {
        for (const auto& each : all)
        {
            m_ring.push_back(DynamicCast<AllReduceMergedRing>(each));
        }
        m_missing = GetWorkers();
    }
}

void
AllReduceMergedRing::DoDispose()
{
    m_first = nullptr;
    m_ring.clear();
    GradientExchange::DoDispose();
}

std::vector<uint32_t>
AllReduceMergedRing::GetNeighbours() const
{
    return std::vector<uint32_t>(GetWorkers() > 1 ? 1 : 0, (GetRank() + 1) % GetWorkers());
}

void
AllReduceMergedRing::DoBegin(uint32_t version)
{
    if (GetRank() == 0)
    {
        m_announced = version;
    }
    m_first->NoticeReady();
}

void
AllReduceMergedRing::NoticeReady()
{
    if (--m_missing > 0)
    {
        return;
    }
    m_missing = GetWorkers();
    if (GetWorkers() == 1)
    {
        Release();
        return;
    }
    Time latency;
    for (const auto& each : m_ring)
    {
        latency += each->GetStepLatency();
    }
    const int64_t workers = GetWorkers();
    m_furtherLatency = latency * (2 * (workers - 1) - 1) / workers;
    for (const auto& each : m_ring)
    {
        each->SendAll();
    }
}

std::vector<uint64_t>
AllReduceMergedRing::GetHelloBytes() const
{
    return {DATA_PARALLEL_NOTICE_BYTES, PROBE_BYTES, 2 * PROBE_BYTES};
}

Time
AllReduceMergedRing::GetStepLatency() const
{
    return GetHelloTime(1) * 2 - GetHelloTime(2);
}

void
AllReduceMergedRing::SendAll()
{
    // AllReduceRing::SendStep leaves out another chunk in each half.
    const uint32_t n = GetWorkers();
    const uint64_t left = AllReduceRing::GetChunkBytes(GetBytes(), n, GetRank() + 1) +
                          AllReduceRing::GetChunkBytes(GetBytes(), n, GetRank() + 2);
    Send((GetRank() + 1) % n, DataParallelTag::GRADIENTS, 0, 0, 2 * GetBytes() - left);
}

void
AllReduceMergedRing::DoReceive(const Message& message, const DataParallelTag& tag)
{
    m_first->NoticeArrival();
}

void
AllReduceMergedRing::NoticeArrival()
{
    if (--m_missing == 0)
    {
        Simulator::Schedule(m_furtherLatency,
                            &AllReduceMergedRing::Release,
                            Ptr<AllReduceMergedRing>(this));
    }
}

void
AllReduceMergedRing::Release()
{
    m_missing = GetWorkers();
    const auto ring = m_ring; // the run may end meanwhile
    const uint32_t version = m_announced;
    for (const auto& each : ring)
    {
        each->m_version = version;
        each->RequestUpdate();
    }
}

void
AllReduceMergedRing::DoNotifyUpdated()
{
    Finish(m_version);
}

std::string
AllReduceMergedRing::DoDescribeWait() const
{
    return "waits for the all-reduce of iteration " + std::to_string(GetIteration());
}

} // namespace edgepipe
} // namespace ns3
