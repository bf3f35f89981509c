/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PORT_QUEUE_DISC_H
#define EDGEPIPE_PORT_QUEUE_DISC_H

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/queue-disc.h"

#include <cstdint>
#include <memory>

namespace ns3::edgepipe
{

/** What waits in all ports of a switch. */
struct SwitchBuffer
{
    uint32_t portBytes;      //!< that wait in a port at most; 0: no limit
    uint32_t sharedBytes;    //!< that wait in all of them at most; 0: no limit
    uint64_t waitingBytes{}; //!< of IP packets
};

/**
 * @ingroup edgepipe
 *
 * A port of a switch: first in, first out, and packets for which the buffer has no room are
 * dropped. The device behind it should hold no more than one packet.
 */
class PortQueueDisc : public Typed<PortQueueDisc, QueueDisc>
{
  public:
    PortQueueDisc();

    /** @param buffer of the switch */
    void SetBuffer(std::shared_ptr<SwitchBuffer> buffer)
    {
        m_buffer = std::move(buffer);
    }

  private:
    bool DoEnqueue(Ptr<QueueDiscItem> item) override;
    Ptr<QueueDiscItem> DoDequeue() override;
    bool CheckConfig() override;
    void InitializeParams() override;

    std::shared_ptr<SwitchBuffer> m_buffer; //!< of the switch
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PORT_QUEUE_DISC_H */
