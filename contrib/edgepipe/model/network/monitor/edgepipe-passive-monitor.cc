/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-link-probe.h"
#include "ns3/edgepipe-medium-use.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace ns3::edgepipe
{

namespace
{

/// Payload that fits into a packet with all headers, bytes.
constexpr uint64_t SMALL_BYTES = 1000;

/// Shortest time between two pings.
const Time PING_INTERVAL = Seconds(1);

/// A latency is the shortest of the present such period and of the one before.
const Time LATENCY_PERIOD = Seconds(2);

/// How far TCP's window and round trip may be from what they are taken for, and how far the rates
/// that follow may be apart for a sample.
constexpr double INEXACT = 0.1;
constexpr double MOST_APART = 4.0 / 3;

/// Payload of a packet, whose acknowledgement ends TCP's waiting, bytes.
constexpr double SEGMENT_BYTES = 1448;

/// Factor within which a rate is found, and largest one by which it is above the goodput.
constexpr double PRECISION = 1.001;
constexpr double MOST_ABOVE = 1e4;

/** What is known of a message that has arrived. */
struct Transfer
{
    double bytes;     //!< of it
    double seconds;   //!< from the arrival of its first byte to that of its last
    double window;    //!< of TCP when it was sent, bytes
    double largest;   //!< the window at its end, bytes
    double before;    //!< bytes whose acknowledgements may have been due when it was sent
    double roundTrip; //!< of a small message, s; infinite: not known
    bool isNext;      //!< whether its time runs from the arrival of another message
};

/**
 * @param transfer a message
 * @param rate of the link, bytes/s
 * @return how long it takes from the arrival of its first byte: a window lasts as long as its
 * bytes, or until its first packet is acknowledged, and doubles
 */
double
FindSeconds(const Transfer& transfer, double rate)
{
    const double round = transfer.roundTrip + SEGMENT_BYTES / rate;
    double seconds = 0;
    double bytes = transfer.bytes;
    // A full path needs no larger window.
    for (double window = transfer.window; bytes > window && window / rate < round;
         window = std::min(2 * window, transfer.largest))
    {
        bytes -= window;
        seconds += round;
    }
    return seconds + bytes / rate;
}

/**
 * @param transfer a message
 * @return the rate of a link at which it takes as long as it did, bytes/s; infinite if it waited
 * all the time
 */
double
FindRate(const Transfer& transfer)
{
    double low = transfer.bytes / transfer.seconds;
    double high = MOST_ABOVE * low;
    if (FindSeconds(transfer, high) > transfer.seconds)
    {
        return std::numeric_limits<double>::infinity();
    }
    while (high > PRECISION * low)
    {
        const double middle = std::sqrt(low * high);
        (FindSeconds(transfer, middle) > transfer.seconds ? low : high) = middle;
    }
    return low;
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
 * time that a message of at most one packet has taken in the last 2 to 4 s, or any message if that
 * is less. So that there is one, a ping of 16 bytes and its answer follow an uplink message that
 * could give a sample, at most once a second.
 *
 * A message of several windows waits for acknowledgements where a window is smaller than what the
 * link carries in a round trip. That waiting, of one round trip for each such window, doubled after
 * each, is not the link's and left out. Windows and round trips are known to 10 %. Where the rates
 * that are possible then are over a third apart, or a latency counts that is not known since no
 * small message has crossed either way, the message gives no sample, but an estimate below its
 * goodput or above the largest of those rates moves towards that one. A real device can know all of
 * this, from TCP's acknowledgements and its own receptions. Where the plan makes others share its
 * links or its medium, the sample is what it would be without them (SetSlowdown, SetMedium). A new
 * estimate is
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
        double used{0};                                         //!< of the medium then, s
        double window{std::numeric_limits<double>::infinity()}; //!< of TCP then, bytes
    };

    /** One direction between device and server. */
    struct Direction
    {
        std::map<uint64_t, Start> starts; //!< of messages under way, by id
        Time lastEnd;                     //!< of the last message
        double lastUsed{0};               //!< of the medium then, s
        double bytes{0};            //!< of the last ones, sent within a round trip of each other
        Time since;                 //!< start of the present period
        Time shortest{Time::Max()}; //!< latency in the present period
        Time before{Time::Max()};   //!< latency in the period before it

        /** @return the latency; Time::Max(): not known */
        Time GetLatency() const
        {
            return std::min(shortest, before);
        }

        /**
         * @param bytes of a message that arrives now
         * @param took how long it took
         */
        void NoticeLatency(uint64_t bytes, const Time& took)
        {
            if (bytes <= SMALL_BYTES && starts.empty() &&
                Simulator::Now() >= since + LATENCY_PERIOD)
            {
                since = Simulator::Now();
                before = std::exchange(shortest, Time::Max());
            }
            // The latency is no longer than what any message took.
            if (bytes <= SMALL_BYTES || GetLatency() != Time::Max())
            {
                shortest = std::min(shortest, took);
            }
        }
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
            Start& start = direction->starts[id];
            start.sent = Simulator::Now();
            if (MediumUse* medium = GetMedium())
            {
                start.used = medium->GetSeconds();
                medium->Begin(id);
            }
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
     * @param transfer a message that has arrived
     * @return the smallest and the largest rate of the link by it, bit/s; equal: it gives a sample
     */
    static std::pair<double, double> FindRates(const Transfer& transfer)
    {
        const auto find = [&transfer](double inexact) {
            Transfer other = transfer;
            other.window *= 1 + inexact;
            other.largest = std::max(other.window, transfer.largest * (1 + inexact));
            other.roundTrip *= 1 - inexact;
            if (inexact < 0)
            {
                other.window = std::max(SEGMENT_BYTES, other.window - transfer.before);
            }
            return 8 * FindRate(other);
        };
        const double goodput = 8 * transfer.bytes / transfer.seconds;
        if (!std::isfinite(transfer.roundTrip))
        {
            const bool isSure = transfer.isNext && transfer.bytes <= transfer.window;
            return {goodput, isSure ? goodput : transfer.roundTrip};
        }
        const double fastest = find(-INEXACT);
        if (std::isfinite(fastest) && fastest <= MOST_APART * find(INEXACT))
        {
            const double rate = find(0);
            return {rate, rate};
        }
        return {goodput, fastest};
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
        const bool isKnown = m_up.GetLatency() != Time::Max() && m_down.GetLatency() != Time::Max();
        const double roundTrip = isKnown ? (m_up.GetLatency() + m_down.GetLatency()).GetSeconds()
                                         : std::numeric_limits<double>::infinity();
        const Time least = isKnown ? direction->GetLatency() : Time();
        const bool isNext = sent + least <= direction->lastEnd;
        const double seconds = (now - (isNext ? direction->lastEnd : sent + least)).GetSeconds();
        if ((sent - direction->lastEnd).GetSeconds() > roundTrip)
        {
            direction->bytes = 0;
        }
        const double before = std::exchange(direction->bytes, direction->bytes + message.bytes);
        double alone = 1; // share of the time in which it would have arrived alone
        if (MediumUse* medium = GetMedium())
        {
            const Time from = std::max(sent, direction->lastEnd);
            medium->End(id);
            const double used = medium->GetSeconds();
            alone = (used - std::max(begin.used, direction->lastUsed)) / (now - from).GetSeconds();
            direction->lastUsed = used;
        }
        direction->lastEnd = now;
        direction->NoticeLatency(message.bytes, now - sent);
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
        const double slowdown = GetSlowdown(isUp) > 1 ? GetSlowdown(isUp) : 1 / alone;
        const double old = isUp ? GetUplinkBitsPerSecond() : GetDownlinkBitsPerSecond();
        const double window = std::max(1.0, begin.window);
        const double largest = GetPlace().transport->GetWindowBytes(message.from, message.to);
        const double bytes = message.bytes;
        const auto [low, high] =
            FindRates({bytes, seconds, window, largest, before, roundTrip, isNext});
        m_lastSample = isUp && low == high ? now : m_lastSample;
        const double sample = std::clamp(old, slowdown * low, slowdown * high);
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
