/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_CSMA_MEDIUM_H
#define EDGEPIPE_CSMA_MEDIUM_H

#include "ns3/edgepipe-flow-medium.h"

#include <optional>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * A CsmaChannel: one medium, which a frame of n bytes takes for
 *
 *   1.05 n / rate + delay + min(0.7 delay, 333 us).                                        (1)
 *
 * The last term is how long a sender sleeps on after its last frame has propagated: mean of
 * ns3::Backoff's at its defaults, slots of 1 us and twice as many at each attempt up to 1000. The
 * 5 % are what is left idle when another sender's turn comes: measured over 10 and 100 Mbit/s with
 * one to five transfers, 2 to 9 %. A full IP packet takes (1) for its frame and for its part of an
 * acknowledgement's. Senders get turns in an order of their own, so single transfers among several
 * end earlier or later than here; all together take as long.
 */
class CsmaMedium : public FlowMedium
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    Ptr<Object> FindKey(const FlowHop& hop) const override;
    void AddHop(const FlowMediumSettings& settings, const FlowHop& hop, FlowRoute& route) override;

  private:
    std::optional<uint32_t> m_link; //!< one second of use per second
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_CSMA_MEDIUM_H */
