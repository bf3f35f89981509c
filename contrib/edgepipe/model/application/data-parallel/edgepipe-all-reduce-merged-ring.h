/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ALL_REDUCE_MERGED_RING_H
#define EDGEPIPE_ALL_REDUCE_MERGED_RING_H

#include "ns3/edgepipe-gradient-exchange.h"

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * AllReduceRing for many workers at flow level: the 2(N - 1) chunks that a worker sends the next
 * one are one flow.
 *
 * No step of a ring can be over before the slowest worker has begun, so the flows begin when all
 * workers have their gradients. The all-reduce is over for all at once, when the last flow has
 * ended and the latencies of the other 2(N - 1) - 1 steps have passed, the mean of those that
 * Greet measured, for chunks of more than a packet. That is exact where all hops are alike and the
 * workers begin together. A ring that is not lets workers that are far behind the slowest one take
 * some steps early, and pays for uneven hops at each step; neither is modelled.
 */
class AllReduceMergedRing : public GradientExchange
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    std::string GetName() const override;
    bool NeedsFlows() const override;
    void Meet(const std::vector<Ptr<GradientExchange>>& all) override;

  protected:
    void DoDispose() override;

  private:
    std::vector<uint32_t> GetNeighbours() const override;
    std::vector<uint64_t> GetHelloBytes() const override;
    void DoBegin(uint32_t version) override;
    void DoReceive(const Message& message, const DataParallelTag& tag) override;
    void DoNotifyUpdated() override;
    std::string DoDescribeWait() const override;

    /** @return time of a chunk but for that of its bytes, as two hellos tell, one twice the other
     */
    Time GetStepLatency() const;
    /** At the first worker: another worker has its gradients. */
    void NoticeReady();
    /** At the first worker: a flow has ended. */
    void NoticeArrival();
    /** At the first worker: the all-reduce is over. */
    void Release();
    /** Start this worker's flow. */
    void SendAll();

    Ptr<AllReduceMergedRing> m_first;             //!< the first worker's
    std::vector<Ptr<AllReduceMergedRing>> m_ring; //!< at the first worker: all, by rank
    uint32_t m_missing{0};                        //!< at the first worker: not ready, or arrived
    uint32_t m_announced{0};                      //!< at the first worker: of the next iteration
    Time m_furtherLatency;                        //!< at the first worker: of all steps but one
    uint32_t m_version{0};                        //!< of the next iteration
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ALL_REDUCE_MERGED_RING_H */
