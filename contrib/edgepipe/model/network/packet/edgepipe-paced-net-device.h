/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PACED_NET_DEVICE_H
#define EDGEPIPE_PACED_NET_DEVICE_H

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-link-pacer.h"
#include "ns3/edgepipe-step-cursor.h"
#include "ns3/event-id.h"
#include "ns3/mac48-address.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simple-net-device.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * One end of a point-to-point link that sends at the pace of a LinkPacer: a SimpleNetDevice with
 * its own transmitter, on a SimpleChannel of two devices.
 *
 * The pacer's bytes are those of IP packets. Packets leave in order; a full queue drops new
 * packets. A sent packet takes the channel's delay, that of SetDelays when its last bit is sent and
 * up to Jitter more, and never overtakes another. An idle device has no events.
 */
class PacedNetDevice : public Typed<PacedNetDevice, SimpleNetDevice>
{
  public:
    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    PacedNetDevice();

    /**
     * @param pacer says when to send, from now on
     */
    void SetPacer(std::unique_ptr<LinkPacer> pacer)
    {
        m_pacer = std::move(pacer);
    }

    /**
     * @param seconds delay beside the channel's, >= 0
     */
    void SetDelays(std::unique_ptr<StepSource> seconds)
    {
        m_delays.emplace(std::move(seconds));
    }

    /**
     * Assign fixed random streams to the jitter.
     *
     * @param stream first one to use
     * @return how many are used
     */
    int64_t AssignStreams(int64_t stream);

    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocolNumber) override;

  protected:
    void NotifyConstructionCompleted() override;
    void DoDispose() override;

  private:
    /** A packet and where it goes. */
    struct Frame
    {
        Ptr<Packet> packet; //!< an IP packet
        uint16_t protocol;  //!< its protocol
        Mac48Address to;    //!< receiver
        Mac48Address from;  //!< sender
    };

    /** Send what the pacer allows by now. */
    void Serve();
    /** Schedule Serve for when it can send. */
    void Arm();
    /**
     * Hand a sent packet to the channel, after its delay and jitter.
     * @param frame the packet
     */
    void Finish(const Frame& frame);

    std::unique_ptr<LinkPacer> m_pacer;        //!< says when to send
    std::deque<Frame> m_frames;                //!< being sent, and waiting
    double m_leftBytes{0};                     //!< unsent bytes of the first one
    bool m_isServing{false};                   //!< whether Serve is running
    EventId m_next;                            //!< calls Serve
    Time m_nextTime;                           //!< when
    Ptr<UniformRandomVariable> m_jitterShares; //!< from 0 to 1
    std::optional<StepCursor> m_delays;        //!< beside the channel's, s
    Time m_lastRelease;                        //!< when the last packet went to the channel

    uint32_t m_queuePackets; //!< behind the packet that is being sent
    Time m_jitter;           //!< largest additional delay

    TracedCallback<Ptr<const Packet> /* packet */> m_txEndTrace;  //!< sent
    TracedCallback<Ptr<const Packet> /* packet */> m_txDropTrace; //!< dropped
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PACED_NET_DEVICE_H */
