/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_HOST_QUEUE_H
#define EDGEPIPE_HOST_QUEUE_H

#include "ns3/callback.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/ipv4-address.h"
#include "ns3/node.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Counts the packets in the queue before a host's wire, which is first in, first out, so that the
 * host's sockets can keep data that would only wait there (FrtoTcpSocket). Aggregated to the
 * device.
 */
class HostQueue : public Typed<HostQueue, Object>
{
  public:
    /**
     * @param node a host
     * @param to where it sends
     * @return the queue of the wire that it uses for that; null if that is no point-to-point link
     */
    static Ptr<HostQueue> Find(Ptr<Node> node, Ipv4Address to);

    /** @return packets that have entered, the number of the one that did last */
    uint64_t GetEntered() const
    {
        return m_entered;
    }

    /** @return packets that have left */
    uint64_t GetLeft() const
    {
        return m_left;
    }

    /**
     * @param who waits
     * @param resume called once when the next packet has left
     */
    void Await(const void* who, const Callback<void>& resume);

  protected:
    void DoDispose() override;

  private:
    /** Count a packet whose transmission begins. */
    void Leave();

    uint64_t m_entered{0}; //!< packets
    uint64_t m_left{0};    //!< packets
    /// Who waits, in the order in which they began
    std::vector<std::pair<const void*, Callback<void>>> m_waiting;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_HOST_QUEUE_H */
