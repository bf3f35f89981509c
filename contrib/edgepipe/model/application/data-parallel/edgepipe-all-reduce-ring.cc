/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-gradient-exchange.h"

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-ranges.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <deque>

namespace ns3::edgepipe
{

namespace
{

// Several packets, so that each hop stores full-size ones, and with its double within a first
// window.
constexpr uint64_t PROBE_BYTES = 2800;

/**
 * @param bytes of a bucket of gradients
 * @param workers how many
 * @param chunk any whole number, taken modulo the workers
 * @return bytes of that chunk; chunks differ by at most a byte
 */
uint64_t
GetChunkBytes(uint64_t bytes, uint32_t workers, uint32_t chunk)
{
    return bytes / workers + (chunk % workers < bytes % workers ? 1 : 0);
}

} // namespace

/**
 * Ring all-reduce: a bucket of gradients is cut into as many chunks as there are workers. In each
 * of N - 1 steps every worker sends a chunk to the next one, which adds its own (reduce-scatter);
 * in N - 1 further steps the sums are passed around (all-gather). A worker begins a step when it
 * has received the chunk of the previous one, and updates its weights after the last. Of the
 * gradients' bytes, it sends 2(N - 1)/N.
 */
class AllReduceRing : public Named<AllReduceRing, GradientExchange>
{
  public:
    static constexpr const char* NAME = "ring";

  private:
    void DoBegin() override
    {
        m_received = 0;
        m_isActive = GetSteps() > 0;
        if (!m_isActive)
        {
            FinishBucket();
            return;
        }
        SendStep(0);
        Advance();
    }

    void DoReceive(const Message& message, const DataParallelTag& tag) override
    {
        m_arrived.push_back(tag.version);
        Advance();
    }

    std::string DoDescribeWait() const override
    {
        const uint32_t before = (GetRank() + GetWorkers() - 1) % GetWorkers();
        return "waits for gradients of iteration " + std::to_string(GetIteration()) + ", step " +
               std::to_string(m_received) + ", from worker " + std::to_string(GetWorker(before));
    }

    /** @return steps of an all-reduce */
    uint32_t GetSteps() const
    {
        return 2 * (GetWorkers() - 1);
    }

    /**
     * Send the chunk of a step.
     * @param step from 0
     */
    void SendStep(uint32_t step)
    {
        const uint32_t n = GetWorkers();
        // Reduce-scatter sends the chunks rank, rank - 1, ...; all-gather goes on from there.
        const uint32_t chunk = GetRank() + 2 * n - step;
        Send((GetRank() + 1) % n,
             {DataParallelTag::GRADIENTS, GetIteration(), step, m_version},
             GetChunkBytes(GetBucketBytes(), n, chunk));
    }

    /** Perform the steps for which chunks have arrived. */
    void Advance()
    {
        while (m_isActive && !m_arrived.empty())
        {
            m_version = std::max(m_version, m_arrived.front());
            m_arrived.pop_front();
            ++m_received;
            m_isActive = m_received < GetSteps();
            m_isActive ? SendStep(m_received) : FinishBucket();
        }
    }

    /// Versions in the chunks that have arrived and are not used yet, in order.
    std::deque<uint32_t> m_arrived;
    bool m_isActive{false}; //!< whether a bucket is being summed
    uint32_t m_received{0}; //!< chunks used for the present bucket
};

/**
 * AllReduceRing for many workers at flow level: the 2(N - 1) chunks from a worker to the next one
 * are one flow.
 *
 * No step of a ring can be over before the slowest worker has begun, so the flows begin when all
 * workers have their gradients. The all-reduce ends for all at once, when the last flow has ended
 * and the latencies of the other 2(N - 1) - 1 steps have passed. These are the mean of those that
 * Greet measured with messages of several packets. This is exact if all hops are alike and the
 * workers begin together. Otherwise, workers many hops after the slowest one could take some steps
 * early, and uneven hops would cost time at each step; neither is modelled.
 */
class AllReduceMergedRing : public Named<AllReduceMergedRing, GradientExchange>
{
  public:
    static constexpr const char* NAME = "merged-ring";

    bool NeedsFlows() const override
    {
        return true;
    }

    void SetPeers(const std::vector<Ptr<GradientExchange>>& all) override
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

  protected:
    void DoDispose() override
    {
        m_first = nullptr;
        m_ring.clear();
        GradientExchange::DoDispose();
    }

  private:
    std::vector<uint64_t> GetHelloBytes() const override
    {
        return {DATA_PARALLEL_NOTICE_BYTES, PROBE_BYTES, 2 * PROBE_BYTES};
    }

    void DoBegin() override
    {
        m_first->NoticeReady();
    }

    void DoReceive(const Message& message, const DataParallelTag& tag) override
    {
        m_first->NoticeArrival();
    }

    std::string DoDescribeWait() const override
    {
        return "waits for the all-reduce of iteration " + std::to_string(GetIteration());
    }

    /** @return time of a chunk without that of its bytes, from two hellos, one twice the other */
    Time GetStepLatency() const
    {
        return GetHelloTime(1) * 2 - GetHelloTime(2);
    }

    /** At the first worker: another worker has its gradients. */
    void NoticeReady()
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
        const Time latency = Sum(m_ring, [](const auto& each) { return each->GetStepLatency(); });
        const int64_t workers = GetWorkers();
        m_furtherLatency = std::max(Time(), latency * (2 * (workers - 1) - 1) / workers);
        for (const auto& each : m_ring)
        {
            each->SendAll();
        }
    }

    /** At the first worker: a flow has ended. */
    void NoticeArrival()
    {
        if (--m_missing == 0)
        {
            Simulator::Schedule(m_furtherLatency,
                                &AllReduceMergedRing::Release,
                                Ptr<AllReduceMergedRing>(this));
        }
    }

    /** At the first worker: the all-reduce is over. */
    void Release()
    {
        m_missing = GetWorkers();
        const auto ring = m_ring; // disposal at the end of the run clears the member
        const uint32_t version = m_version;
        for (const auto& each : ring)
        {
            each->m_version = version;
            each->FinishBucket();
        }
    }

    /** Start this worker's flow. */
    void SendAll()
    {
        // AllReduceRing::SendStep skips a different chunk in each half.
        const uint32_t n = GetWorkers();
        const uint64_t left = GetChunkBytes(GetBucketBytes(), n, GetRank() + 1) +
                              GetChunkBytes(GetBucketBytes(), n, GetRank() + 2);
        Send((GetRank() + 1) % n,
             {DataParallelTag::GRADIENTS, GetIteration()},
             2 * GetBucketBytes() - left);
    }

    Ptr<AllReduceMergedRing> m_first;             //!< the first worker's exchange
    std::vector<Ptr<AllReduceMergedRing>> m_ring; //!< at the first worker: all, by rank
    uint32_t m_missing{0};                        //!< at the first worker: not yet ready or arrived
    Time m_furtherLatency;                        //!< at the first worker: of all steps but one
};

NS_OBJECT_ENSURE_REGISTERED(AllReduceRing);
NS_OBJECT_ENSURE_REGISTERED(AllReduceMergedRing);

} // namespace ns3::edgepipe
