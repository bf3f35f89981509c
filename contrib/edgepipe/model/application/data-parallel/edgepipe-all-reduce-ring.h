/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ALL_REDUCE_RING_H
#define EDGEPIPE_ALL_REDUCE_RING_H

#include "ns3/edgepipe-gradient-exchange.h"

#include <deque>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Ring all-reduce: the gradients are cut into as many chunks as there are workers. In each of
 * N - 1 steps every worker sends the next one a chunk, which adds its own (reduce-scatter); in
 * N - 1 more the sums go around (all-gather). A worker begins a step when it has received the one
 * before, and updates its weights after the last. It sends 2(N - 1)/N of the gradients' bytes.
 */
class AllReduceRing : public GradientExchange
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    std::string GetName() const override;

    /**
     * @param bytes of all gradients
     * @param workers how many
     * @param chunk any whole number, taken modulo the workers
     * @return bytes of that chunk; chunks differ by at most a byte
     */
    static uint64_t GetChunkBytes(uint64_t bytes, uint32_t workers, uint32_t chunk);

  private:
    std::vector<uint32_t> GetNeighbours() const override;
    void DoBegin(uint32_t version) override;
    void DoReceive(const Message& message, const DataParallelTag& tag) override;
    void DoNotifyUpdated() override;
    std::string DoDescribeWait() const override;

    /** @return steps of an all-reduce */
    uint32_t GetSteps() const;
    /**
     * Send the chunk of a step.
     * @param step from 0
     */
    void SendStep(uint32_t step);
    /** Take the steps for which chunks have arrived. */
    void Advance();

    /// Versions that the chunks have told of which arrived and were not used yet, in order.
    std::deque<uint32_t> m_arrived;
    bool m_isActive{false}; //!< whether there are gradients to send on
    uint32_t m_received{0}; //!< chunks used in the present iteration
    uint32_t m_version{0};  //!< newest version told of
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ALL_REDUCE_RING_H */
