/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PACED_QUEUE_DISC_H
#define EDGEPIPE_PACED_QUEUE_DISC_H

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-link-pacer.h"
#include "ns3/ipv4-address.h"
#include "ns3/queue-disc.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Lets IPv4 packets leave at the pace of a LinkPacer for each destination, as an access point does
 * that limits each of its clients: first in, first out, and a full queue drops new packets. All
 * else leaves at once. Packets that the device does not take when they may leave wait in the queue.
 */
class PacedQueueDisc : public Typed<PacedQueueDisc, QueueDisc>
{
  public:
    PacedQueueDisc();

    /**
     * @param to destination of the packets; Ipv4Address::GetAny(): all that have no pacer
     * @param pacer says when they leave; its bytes are those of IP packets
     * @param queuePackets that wait for it at most
     */
    void AddPacer(Ipv4Address to, std::unique_ptr<LinkPacer> pacer, uint32_t queuePackets);

  private:
    bool DoEnqueue(Ptr<QueueDiscItem> item) override;
    Ptr<QueueDiscItem> DoDequeue() override;
    bool CheckConfig() override;
    void InitializeParams() override;

    /** Packets that share a pacer. */
    struct Lane
    {
        uint32_t queue;                   //!< number of their queue
        std::unique_ptr<LinkPacer> pacer; //!< says when they leave
        Time last;                        //!< when the last one may
    };

    std::map<Ipv4Address, Lane> m_lanes; //!< by destination
    std::deque<uint32_t> m_ready;        //!< for each packet that may leave now, its queue
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PACED_QUEUE_DISC_H */
