/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-link-probe.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace ns3::edgepipe
{

namespace
{

/// Payload that fits into a packet with all headers, bytes.
constexpr uint64_t SMALL_BYTES = 1000;

/// Shortest time between two pings.
const Time PING_INTERVAL = Seconds(5);

/// Most of a message's time that may be spent waiting for acknowledgements: the rate is inferred
/// from the rest.
constexpr double MOST_WAITING = 0.7;

/// Factor within which a rate is found.
constexpr double PRECISION = 1.001;

/**
 * @param bytes of a message
 * @param window of TCP when it was sent, bytes
 * @param largest of the window, at its end
 * @param roundTrip of a small message, s
 * @param rate of the link, bytes/s
 * @return how long the message takes from the arrival of its first byte: a window lasts as long as
 *         its bytes, or until the first one is acknowledged, and doubles
 */
double
FindSeconds(double bytes, double window, double largest, double roundTrip, double rate)
{
    double seconds = 0;
    for (; bytes > window; bytes -= window, window = std::min(2 * window, largest))
    {
        if (window / rate >= roundTrip)
        {
            break; // a full path needs no larger one
        }
        seconds += roundTrip;
    }
    return seconds + bytes / rate;
}

} // namespace

/**
 * @ingroup edgepipe
 *
 * Measures the messages that cross the link anyway.
 *
 * A message of at least MinBytes gives a sample: the rate at which a link takes the time from the
 * earliest arrival of its first byte to the arrival of its last. The former is its sending plus the
 * latency, or the arrival of the previous message, whichever is later. The latency is the shortest
 * time that a message of at most one packet has taken. So that it does not rest on a single message
 * delayed by an outage, a ping of 16 bytes and its answer follow an uplink message that could give
 * a sample, at most once in 5 s.
 *
 * A message of several windows waits for acknowledgements where a window is smaller than what the
 * link carries in a round trip. That waiting, of one round trip for each such window, doubled after
 * each, is not the link's and left out. Where it takes over 0.7 of the time, or is not
 * known since no small message has crossed either way, the message proves only that the link is no
 * slower than its goodput, and counts if the estimate is lower. A real device can know all of this,
 * from TCP's acknowledgements and its own receptions. Where the plan makes others share its links,
 * the sample is what it would be without them (SetSlowdown). A new estimate is
 *
 *   Weight x sample + (1 - Weight) x estimate
 *
 * A device that runs all layers itself sends nothing, and would never learn that a link has
 * recovered. So when the uplink has given no sample for IdleProbe and carries no message, a
 * LinkProbe measures it and replaces the estimates of both directions; the first one comes later by
 * GetPhase. An idle downlink triggers no probe: results are often too small for a sample.
 */
class PassiveMonitor : public Named<PassiveMonitor, BandwidthMonitor>
{
  public:
    static constexpr const char* NAME = "passive"; //!< see Named

    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid)
    {
        return Attributes(tid)
            .Add("Weight",
                 "Weight of a new sample in the estimate, above 0, up to 1.",
                 {&PassiveMonitor::m_weight, 0.5, 1e-6, 1})
            .Add("MinBytes",
                 "Payload of the smallest message that gives a sample, bytes.",
                 {&PassiveMonitor::m_minBytes, 16384, 1})
            .Add("IdleProbe",
                 "Time without a sample of the uplink after which it is probed; 0: never.",
                 {&PassiveMonitor::m_idleProbe, Seconds(5)})
            .Add("Bytes",
                 "Payload of a probe's burst, each way, bytes.",
                 {&PassiveMonitor::m_bytes, 32768, LinkProbe::TRAIN, 1000000000});
    }

  private:
    /** A message under way. */
    struct Start
    {
        Time sent;                                              //!< when
        double window{std::numeric_limits<double>::infinity()}; //!< of TCP then, bytes
    };

    /** One direction between device and server. */
    struct Direction
    {
        std::map<uint64_t, Start> starts; //!< of messages under way, by id
        Time lastEnd;                     //!< of the last message
        Time latency{Time::Max()};        //!< shortest of a small message
    };

    void DoStart() override
    {
        const Place& place = GetPlace();
        place.transport->ConnectPair(place.device,
                                     place.server,
                                     MakeCallback(&PassiveMonitor::NoticeStart, this),
                                     MakeCallback(&PassiveMonitor::NoticeEnd, this));
        m_probe.SetUp(place, MakeCallback(&PassiveMonitor::TakeProbe, this));
        const Time phase = GetPhase(m_idleProbe);
        m_lastSample = Simulator::Now() + phase;
        if (m_idleProbe.IsStrictlyPositive())
        {
            m_next = Simulator::Schedule(phase + m_idleProbe, &PassiveMonitor::CheckIdle, this);
        }
    }

    void DoStop() override
    {
        m_next.Cancel();
        m_probe.Cancel();
        const Place& place = GetPlace();
        if (place.transport)
        {
            place.transport->DisconnectPair(place.device,
                                            place.server,
                                            MakeCallback(&PassiveMonitor::NoticeStart, this),
                                            MakeCallback(&PassiveMonitor::NoticeEnd, this));
        }
    }

    /**
     * @param message any message
     * @return its direction; null if it does not go between device and server
     */
    Direction* FindDirection(const Message& message)
    {
        const Place& place = GetPlace();
        if (message.isControl)
        {
            return nullptr; // has its own connection; the estimate is for tensors
        }
        if (message.from == place.device && message.to == place.server)
        {
            return &m_up;
        }
        return message.from == place.server && message.to == place.device ? &m_down : nullptr;
    }

    /**
     * A message's first byte enters the network.
     * @param id its number
     * @param message the message
     */
    void NoticeStart(uint64_t id, const Message& message)
    {
        if (Direction* direction = FindDirection(message))
        {
            direction->starts[id].sent = Simulator::Now();
            // Once the transport has begun to send it, after a pause by a smaller window.
            Simulator::ScheduleNow([self = Ptr<PassiveMonitor>(this),
                                    direction,
                                    id,
                                    from = message.from,
                                    to = message.to] {
                const auto start = direction->starts.find(id);
                if (self->GetPlace().transport && start != direction->starts.end())
                {
                    start->second.window = self->GetPlace().transport->GetWindowBytes(from, to);
                }
            });
        }
    }

    /**
     * @param bytes of a message that has arrived
     * @param start of the message
     * @param seconds it took from the arrival of its first byte
     * @param largest TCP's window now, bytes
     * @param old estimate, bit/s
     * @return the rate of the link by it, bit/s; 0: it says nothing
     */
    double FindSample(double bytes,
                      const Start& start,
                      double seconds,
                      double largest,
                      double old) const
    {
        const double goodput = bytes / seconds;
        const bool isKnown = m_up.latency != Time::Max() && m_down.latency != Time::Max();
        const double roundTrip = isKnown ? (m_up.latency + m_down.latency).GetSeconds() : 0;
        const double window = std::max(1.0, start.window);
        if (bytes <= window || (isKnown && window >= goodput * roundTrip))
        {
            return 8 * goodput; // it never waited
        }
        const double most = std::max(window, largest);
        const double waiting = isKnown ? FindSeconds(bytes,
                                                     window,
                                                     most,
                                                     roundTrip,
                                                     std::numeric_limits<double>::infinity())
                                       : seconds;
        if (waiting > MOST_WAITING * seconds)
        {
            return 8 * goodput > old ? 8 * goodput : 0;
        }
        double low = goodput;
        double high = bytes / (seconds - waiting);
        while (high > PRECISION * low)
        {
            const double middle = std::sqrt(low * high);
            const bool isSlower = FindSeconds(bytes, window, most, roundTrip, middle) > seconds;
            (isSlower ? low : high) = middle;
        }
        return 8 * low;
    }

    /**
     * A message has arrived.
     * @param id its number
     * @param message the message
     */
    void NoticeEnd(uint64_t id, const Message& message)
    {
        Direction* direction = FindDirection(message);
        if (!direction)
        {
            return;
        }
        const auto start = direction->starts.find(id);
        if (start == direction->starts.end())
        {
            return;
        }
        const Time now = Simulator::Now();
        const Start begin = start->second;
        const Time sent = begin.sent;
        direction->starts.erase(start);
        if (m_isProbeDue && m_up.starts.empty())
        {
            m_isProbeDue = false;
            m_probe.Begin(m_bytes);
        }
        const Time least = direction->latency == Time::Max() ? Time() : direction->latency;
        const double seconds = (now - std::max(sent + least, direction->lastEnd)).GetSeconds();
        direction->lastEnd = now;
        if (message.bytes <= SMALL_BYTES)
        {
            direction->latency = std::min(direction->latency, now - sent);
        }
        if (message.port >= MONITOR_PORT || message.bytes < m_minBytes)
        {
            return;
        }
        const bool isUp = direction == &m_up;
        if (isUp && now >= m_nextPing)
        {
            m_nextPing = now + PING_INTERVAL;
            m_probe.Ping();
        }
        if (seconds <= 0)
        {
            return;
        }
        const double slowdown = GetSlowdown(isUp);
        const double old = isUp ? GetUplinkBitsPerSecond() : GetDownlinkBitsPerSecond();
        const double window = GetPlace().transport->GetWindowBytes(message.from, message.to);
        const double sample =
            slowdown * FindSample(message.bytes, begin, seconds, window, old / slowdown);
        if (sample <= 0)
        {
            return;
        }
        m_lastSample = isUp ? now : m_lastSample;
        const double estimate = m_weight * sample + (1 - m_weight) * old;
        SetEstimate(isUp ? estimate : 0, isUp ? 0 : estimate);
    }

    /**
     * Handle a measurement by the probe.
     * @param uplinkBitsPerSecond of the uplink
     * @param downlinkBitsPerSecond of the downlink
     */
    void TakeProbe(double uplinkBitsPerSecond, double downlinkBitsPerSecond)
    {
        m_lastSample = Simulator::Now();
        SetEstimate(uplinkBitsPerSecond, downlinkBitsPerSecond);
    }

    /** Probe if the uplink has been idle for long enough, and check again later. */
    void CheckIdle()
    {
        const Time quiet = Simulator::Now() - m_lastSample;
        // A camera's frames may be under way at every check: the probe waits for the end of one.
        m_isProbeDue = quiet >= m_idleProbe && !m_up.starts.empty();
        if (quiet >= m_idleProbe && !m_isProbeDue)
        {
            m_probe.Begin(m_bytes);
        }
        m_next = Simulator::Schedule(quiet >= m_idleProbe ? m_idleProbe : m_idleProbe - quiet,
                                     &PassiveMonitor::CheckIdle,
                                     this);
    }

    double m_weight;          //!< of a new sample
    uint64_t m_minBytes;      //!< smallest message that gives a sample
    Time m_idleProbe;         //!< longest time without a sample; 0: never probe
    uint64_t m_bytes;         //!< of a probe's train, each way
    Direction m_up;           //!< from the device
    Direction m_down;         //!< to the device
    Time m_lastSample;        //!< of the uplink
    bool m_isProbeDue{false}; //!< whether a probe waits for the end of what is under way
    Time m_nextPing;          //!< earliest time of the next ping
    LinkProbe m_probe;        //!< measures an idle link
    EventId m_next;           //!< next CheckIdle
};

NS_OBJECT_ENSURE_REGISTERED(PassiveMonitor);

} // namespace ns3::edgepipe
