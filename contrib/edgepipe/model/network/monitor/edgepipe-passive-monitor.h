/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PASSIVE_MONITOR_H
#define EDGEPIPE_PASSIVE_MONITOR_H

#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/edgepipe-link-probe.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <string>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Watches the messages that cross the link anyway.
 *
 * A message of at least MinBytes gives a sample, its goodput: payload over the time from when its
 * first byte can have arrived until its last has. That is the latency after it was sent, or the
 * arrival of the message before it, whichever is later; the latency is the least that any message
 * of at most a packet has taken. So that a single such message, delayed by an outage, does not
 * stand for it, a ping of 16 bytes and its answer follow a message that could give a sample, once
 * in 5 s. A device can know all of it: of what it sends by TCP's acknowledgements, of what it
 * receives by itself. A new estimate is
 *
 *   Weight x sample + (1 - Weight) x estimate
 *
 * A device that runs all layers itself sends nothing, and would never learn that a link has
 * recovered. So where the uplink has given no sample for IdleProbe and carries no message, it is
 * measured by a LinkProbe, which replaces the estimates of both directions. The downlink alone
 * triggers none: results are often too small to tell.
 */
class PassiveMonitor : public BandwidthMonitor
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    std::string GetName() const override;

  private:
    /** One way between device and server. */
    struct Direction
    {
        std::map<uint64_t, Time> starts; //!< of messages under way, by id
        Time lastEnd;                    //!< of the last message
        Time latency{Time::Max()};       //!< least of a small message
    };

    void DoStart() override;
    void DoStop() override;

    /**
     * @param message any message
     * @return its direction; null if it does not go between device and server
     */
    Direction* FindDirection(const Message& message);
    /**
     * A message's first byte enters the network.
     * @param id its number
     * @param message the message
     */
    void NoticeStart(uint64_t id, const Message& message);
    /**
     * A message has arrived.
     * @param id its number
     * @param message the message
     */
    void NoticeEnd(uint64_t id, const Message& message);
    /**
     * Take a measurement by the probe.
     * @param uplinkBitsPerSecond of the uplink
     * @param downlinkBitsPerSecond of the downlink
     */
    void TakeProbe(double uplinkBitsPerSecond, double downlinkBitsPerSecond);
    /** Measure if the uplink has been idle for long enough, and look again later. */
    void CheckIdle();

    double m_weight;          //!< of a new sample
    uint64_t m_minBytes;      //!< smallest message that gives a sample
    Time m_idleProbe;         //!< longest time without; 0: never probe
    uint64_t m_bytes;         //!< of a probe's train, each way
    Direction m_up;           //!< from the device
    Direction m_down;         //!< to the device
    Time m_lastSample;        //!< of the uplink
    bool m_isProbeDue{false}; //!< whether a probe waits for the end of what is under way
    Time m_nextPing;          //!< not before
    LinkProbe m_probe;        //!< measures an idle link
    EventId m_next;           //!< next look
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PASSIVE_MONITOR_H */
