/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-flow-pacer.h"

#include "ns3/edgepipe-time.h"
#include "ns3/simulator.h"

#include <cmath>

namespace ns3::edgepipe
{

namespace
{

/// HyStart detects a delay when the round trip grows by this much, s, and doubles.
constexpr double HYSTART_DELAY = 4e-3;
/// Largest spacing of acknowledgements that HyStart counts as one train, s.
constexpr double HYSTART_SPACING = 2e-3;
/// Flows sampled per link to represent all, so that each message of a burst to thousands of devices
/// costs no more than in a burst to dozens.
constexpr std::size_t MOST_LOOKED_AT = 64;
/// CUBIC's mean window relative to its window at a loss: a loss leaves 0.7, and the cubic back to 1
/// averages 1 - 0.3 / 4 (RFC 9438).
constexpr double AFTER_LOSSES = 0.925;
/// Share of the bandwidth-delay product from which on a window counts as filling its path.
constexpr double FULL_ENOUGH = 0.98;
/// A window is updated every round trip where others' queues add more than this to it, s.
constexpr double LONG_ROUND = 0.5;
/// A window that has grown by this factor may delay others that it did not delay before.
constexpr double REVIEW_GROWTH = 1.25;
/// Excess of a retransmission time-out over the round trip, s: PacketTransport's MinRto.
constexpr double LEAST_TIMEOUT = 0.2;
/// Packets that arrive after a lost one before it counts as lost, not as reordered.
constexpr std::size_t REORDERED = 3;
/// Least time of the timers of RACK and probes, Linux's TCP_TIMEOUT_MIN_US, s.
constexpr double LEAST_TIMER = 2e-3;
/// Relative error of adding up bytes.
constexpr double ROUNDING = 1e-6;
/// Largest retransmission time-out, Linux's, s.
constexpr double LARGEST_TIMEOUT = 120;
/// Linux's pacing rate over the one at which acknowledgements come.
constexpr double PACE = 1.2;
/// The same in slow start: twice the window per round trip, and the window twice what is used.
constexpr double SLOW_START_PACE = 4;
/// A handshake's two packets, whose round trip is the shortest, bytes.
constexpr double HANDSHAKE_BYTES = 120;
/// Rate of a connection that waits for acknowledgements, bytes/s.
constexpr double STANDSTILL = 1;

} // namespace

void
FlowPacer::SetUp(Ptr<FlowNetwork> network, const Settings& settings)
{
    m_network = network;
    m_settings = settings;
}

void
FlowPacer::Clear()
{
    for (auto& sender : m_senders)
    {
        sender->round.Remove();
        sender->growth.Remove();
    }
    m_senders.clear();
    m_forwarding.clear();
    m_network = nullptr;
}

void
FlowPacer::AddConnection(FlowRoute route)
{
    const FlowWindow first(m_settings.packetBytes,
                           m_settings.largestBytes,
                           m_settings.initialSegments);
    m_senders.push_back(std::make_unique<Sender>(std::move(route), first));
    NoteForwarding(m_senders.back()->route);
    DrawLoss(*m_senders.back(), 0);
}

void
FlowPacer::DrawLoss(Sender& sender, double from) const
{
    const double rate = m_settings.isPacing ? sender.route.lossRate : 0;
    sender.nextLost = std::numeric_limits<double>::infinity();
    if (rate > 0)
    {
        const double kept = std::log1p(-m_settings.draws->GetValue()) / std::log1p(-rate);
        sender.nextLost = from + m_settings.packetBytes * (1 + std::floor(kept));
    }
}

std::vector<double>
FlowPacer::TakeLosses(Sender& sender, double begun) const
{
    std::vector<double> lost;
    while (sender.nextLost - m_settings.packetBytes < begun)
    {
        lost.push_back(sender.nextLost);
        DrawLoss(sender, sender.nextLost);
    }
    return lost;
}

void
FlowPacer::SetRoute(uint32_t connection, FlowRoute route)
{
    Sender& sender = *m_senders[connection];
    const auto isSame =
        std::equal(route.uses.begin(),
                   route.uses.end(),
                   sender.route.uses.begin(),
                   sender.route.uses.end(),
                   [](const auto& use, const auto& old) { return use.link == old.link; });
    const uint32_t flow = sender.flow;
    const double left = flow == MaxMinSharing::NONE ? 0 : m_network->GetRemaining(flow);
    const bool isMoved = left > 0 && !isSame;
    if (isMoved)
    {
        m_network->StopFlow(flow);
        Leave(sender);
    }
    if (flow != MaxMinSharing::NONE && !isMoved)
    {
        route.tallies = sender.route.tallies;
    }
    const bool isDelayed = route.delaySeconds != sender.route.delaySeconds ||
                           route.backSeconds != sender.route.backSeconds;
    const bool losesOtherwise = route.lossRate != sender.route.lossRate;
    sender.route = std::move(route);
    NoteForwarding(sender.route);
    sender.host = {};
    if (losesOtherwise)
    {
        DrawLoss(sender, sender.sentBytes - left);
    }
    if (isMoved)
    {
        Enter(connection, left);
    }
    else if (flow != MaxMinSharing::NONE && isSame)
    {
        for (const auto& use : sender.route.uses)
        {
            m_network->SetWeight(flow, use.link, use.weight);
        }
        // The bound of one that has no event soon is of the old delay.
        if (isDelayed && m_settings.isPacing && left > sender.window.GetBytes() &&
            (sender.isSteady || !sender.hasRound))
        {
            sender.roundEnd = Simulator::Now();
            EndRound(connection);
        }
    }
}

double
FlowPacer::GetWindowBytes(uint32_t connection) const
{
    const Sender& sender = *m_senders[connection];
    if (!m_settings.isPacing)
    {
        return MaxMinSharing::UNBOUNDED;
    }
    const double path = GetIdleRoundTripSeconds(sender) * GetRouteRate(*m_network, sender.route);
    return std::min(sender.window.GetBytes(), AFTER_LOSSES * (path + sender.route.queueBytes));
}

template <typename Find>
double
FlowPacer::GetLinkSeconds(uint32_t number, uint32_t link, Find find)
{
    const double capacity = m_network->GetCapacity(link);
    if (capacity <= 0)
    {
        return 0;
    }
    const std::size_t flows = m_network->GetFlowCount(link);
    const std::size_t looked = std::min(flows, MOST_LOOKED_AT);
    const int64_t now = Simulator::Now().GetNanoSeconds();
    double queued = 0;
    for (std::size_t i = 0; i < looked; ++i)
    {
        const uint32_t owner = m_network->GetOwner(link, i);
        // What follows a message on the air has no sender.
        if (owner != number && owner < m_senders.size())
        {
            Sender& other = *m_senders[owner];
            const double left = m_network->GetRemaining(other.flow, now);
            if (!other.hasRound)
            {
                Acknowledge(other, left);
            }
            const double most = GetMostQueued(other, link);
            queued += most > 0 ? find(other, most, left, flows) : 0;
        }
    }
    return looked > 0 ? queued / capacity * flows / looked : 0;
}

FlowPacer::Queue
FlowPacer::FindQueued(uint32_t number)
{
    Queue all;
    double longest = 0;
    const FlowRoute& route = m_senders[number]->route;
    for (const auto& use : route.uses)
    {
        const uint32_t link = use.link;
        const bool isWire = m_network->GetReverse(link) != MaxMinSharing::NONE;
        if (m_settings.isPacing && m_settings.hasQueues && (isWire || route.station))
        {
            // On a shared medium each device has its own buffer.
            const double seconds =
                GetLinkSeconds(number,
                               link,
                               [&](const auto& other, double most, double left, auto) {
                                   const bool isAhead =
                                       isWire || other.route.station == route.station;
                                   return isAhead ? std::min(most, left) * use.weight : 0;
                               });
            all.seconds += seconds;
            if (seconds > longest)
            {
                longest = seconds;
                all.link = link;
            }
        }
    }
    return all;
}

double
FlowPacer::GetAcknowledgementSeconds(uint32_t number)
{
    Sender& sender = *m_senders[number];
    const std::size_t entered = sender.flow == MaxMinSharing::NONE ? 0 : 1;
    sender.isAlone =
        std::all_of(sender.route.uses.begin(), sender.route.uses.end(), [&](const auto& use) {
            const uint32_t reverse = m_network->GetReverse(use.link);
            return reverse != MaxMinSharing::NONE && m_network->GetFlowCount(use.link) == entered &&
                   m_network->GetFlowCount(reverse) <= 1;
        });
    // In flight or sent at once.
    const double own =
        entered == 0 ? 0 : std::min(sender.window.GetBytes(), m_network->GetRemaining(sender.flow));
    const double ahead = sender.isAlone ? GetIdleRoundTripSeconds(sender) / 2 : 0;
    double seconds = 0;
    for (const auto& use : sender.route.uses)
    {
        const uint32_t link = m_network->GetReverse(use.link);
        if (link == MaxMinSharing::NONE || !m_settings.queuesAcknowledgements)
        {
            continue;
        }
        const std::size_t ownFlows = m_network->GetFlowCount(use.link);
        seconds += GetLinkSeconds(
            number,
            link,
            [&](const auto& other, double most, double left, auto flows) {
                const double capacity = m_network->GetCapacity(link);
                const double idle = GetIdleRoundTripSeconds(other);
                // The bytes still left when the acknowledgements get there.
                const double under =
                    std::clamp(left - capacity * ahead, 0.0, other.window.GetBytes());
                const double sent = std::min(under, most);
                const double waiting = std::clamp(under - capacity * idle, 0.0, most);
                // For the bytes that both ends send, acknowledgements come in one bunch after the
                // other's data, and the wires, which carry no other flow, are idle while the bunch
                // travels.
                const double bunch = std::min(sent, own);
                const double travels =
                    m_settings.hasLatency ? capacity * other.route.delaySeconds : 0;
                const bool isSeen = flows == 1 && ownFlows == 1;
                return isSeen ? std::max(waiting, bunch - capacity * idle + travels) : waiting;
            });
    }
    return seconds;
}

double
FlowPacer::GetRoundTripSeconds(const Sender& sender, double bytes) const
{
    const double rate = GetRouteRate(*m_network, sender.route);
    return GetDelaySeconds(sender) +
           (m_settings.storesAndForwards ? GetForwardSeconds(*m_network, sender.route, bytes, bytes)
                                         : 0) +
           (rate > 0 ? bytes / rate : 0);
}

const SmallQueue&
FlowPacer::GetHostQueue(const Sender& sender) const
{
    const double window = sender.window.GetBytes();
    HostQueue& host = sender.host;
    if (host.windowBytes != window || host.capacities != m_capacities)
    {
        host = {SmallQueue(PACE * m_network->GetCapacity(sender.route.hostLink),
                           GetRoundTripSeconds(sender, HANDSHAKE_BYTES),
                           window,
                           m_settings.packetBytes),
                window,
                m_capacities};
    }
    return host.queue;
}

double
FlowPacer::GetMostQueued(const Sender& sender, uint32_t link) const
{
    if (FindQueue(*m_network, sender.route) != link)
    {
        return 0;
    }
    const double window = sender.window.GetBytes();
    if (!m_settings.hasSmallQueues || link != sender.route.hostLink)
    {
        return window;
    }
    // A bunch is sent when two are left.
    const SmallQueue& queue = GetHostQueue(sender);
    return std::min(window, queue.bytes + queue.bunchBytes / 2);
}

double
FlowPacer::GetMostInFlight(const Sender& sender) const
{
    const uint32_t wire = sender.route.hostLink;
    if (!m_settings.hasSmallQueues || wire == MaxMinSharing::NONE ||
        FindQueue(*m_network, sender.route) != wire)
    {
        return MaxMinSharing::UNBOUNDED;
    }
    const double capacity = m_network->GetCapacity(wire);
    const SmallQueue queue = sender.window.IsSlowStart()
                                 ? SmallQueue(SLOW_START_PACE * capacity,
                                              GetRoundTripSeconds(sender, HANDSHAKE_BYTES),
                                              sender.window.GetBytes(),
                                              m_settings.packetBytes)
                                 : GetHostQueue(sender);
    return queue.bytes + queue.bunchBytes +
           sender.roundTripSeconds * capacity /
               std::max<std::size_t>(1, m_network->GetFlowCount(wire));
}

void
FlowPacer::Start(uint32_t connection, double bytes)
{
    if (!m_settings.isPacing)
    {
        Enter(connection, bytes);
        return;
    }
    Sender& sender = *m_senders[connection];
    const double idle = (Simulator::Now() - sender.ended).GetSeconds();
    if (Simulator::Now() >= sender.roundEnd)
    {
        Acknowledge(sender, 0);
        sender.burstBytes = idle > 0 ? sender.sentBytes : sender.burstBytes;
    }
    else if (const double used = sender.sentBytes - sender.acknowledgedBytes;
             idle > 0 && used < std::min(bytes, sender.window.GetBytes() - used))
    {
        // Most of the window leaves now, and is acknowledged a round trip after that.
        sender.roundEnd = Simulator::Now();
    }
    if (idle > sender.roundTripSeconds)
    {
        sender.window.Skip(idle, Simulator::Now().GetSeconds());
    }
    if (m_settings.restartsAfterIdle)
    {
        // The window's excess over its path was queued, so it was sent that much earlier.
        const double rate = GetRouteRate(*m_network, sender.route);
        const double used = sender.window.GetUsedBytes();
        const double queued = rate > 0 ? std::max(0.0, used / rate - sender.roundTripSeconds) : 0;
        sender.window.Restart((idle + queued) / (LEAST_TIMEOUT + sender.roundTripSeconds + queued));
    }
    // A message begins with a packet of its own.
    DrawLoss(sender, sender.sentBytes);
    const double all = bytes + std::exchange(sender.owedBytes, 0);
    sender.sentBytes += all;
    sender.mostBytes = std::max(sender.mostBytes, sender.sentBytes - sender.acknowledgedBytes);
    Enter(connection, all);
}

void
FlowPacer::Enter(uint32_t connection, double left)
{
    Sender& sender = *m_senders[connection];
    const double bound =
        m_settings.isPacing ? FindBound(connection, left) : MaxMinSharing::UNBOUNDED;
    sender.isCounted = left > sender.route.tallyBytes;
    for (uint32_t* tally : sender.route.tallies)
    {
        *tally += sender.isCounted;
    }
    sender.flow = m_network->StartFlow(sender.route.uses, left, bound, connection);
    LimitByHost(connection, left, bound);
    // A single packet delays no one for long.
    if (m_settings.isPacing && left > m_settings.packetBytes)
    {
        sender.reviewedBytes = sender.window.GetBytes();
        ReviewOthers(connection);
    }
}

void
FlowPacer::Leave(Sender& sender)
{
    sender.flow = MaxMinSharing::NONE;
    for (uint32_t* tally : sender.route.tallies)
    {
        *tally -= sender.isCounted;
    }
}

FlowPacer::Repair
FlowPacer::Finish(uint32_t connection, bool isFollowed)
{
    Sender& sender = *m_senders[connection];
    Leave(sender);
    if (!m_settings.isPacing)
    {
        return {};
    }
    sender.ended = Simulator::Now();
    sender.round.Remove();
    sender.hasRound = false;
    sender.growth.Remove();
    Repair repair{0, std::exchange(sender.againBytes, 0)};
    const auto lost = TakeLosses(sender, sender.sentBytes);
    if (!lost.empty())
    {
        const double again = lost.size() * m_settings.packetBytes;
        repair.bytes += again;
        repair.seconds = isFollowed ? sender.roundTripSeconds : RepairEnd(sender, lost);
        if (isFollowed)
        {
            sender.window.Lose(false);
            sender.owedBytes = again;
        }
        sender.acknowledgedBytes = sender.sentBytes;
        sender.roundEnd = sender.ended;
    }
    else if (Simulator::Now() >= sender.roundEnd)
    {
        Acknowledge(sender, 0);
    }
    return repair;
}

double
FlowPacer::RepairEnd(Sender& sender, const std::vector<double>& lost) const
{
    const double packet = m_settings.packetBytes;
    const double rate = GetRouteRate(*m_network, sender.route);
    const double spacing = rate > 0 ? packet / rate : 0;
    const auto count = [&](double from) {
        return static_cast<std::size_t>(
            std::max(0.0, std::ceil((sender.sentBytes - from) / packet - ROUNDING)));
    };
    const std::size_t inFlight = count(sender.acknowledgedBytes);
    const double roundTrip = std::max(sender.roundTripSeconds, inFlight * spacing);
    const double timeout = roundTrip + LEAST_TIMEOUT;
    std::size_t tail = 0; // packets lost at the very end
    while (tail < lost.size() && count(lost[lost.size() - 1 - tail]) <= tail)
    {
        ++tail;
    }
    bool isTimeout = false;
    double seconds = 0;
    if (tail == 0)
    {
        // Packets that arrive after it tell: three at once, fewer after a quarter of a round trip.
        const std::size_t after = count(lost.back());
        seconds = after < REORDERED ? 1.25 * roundTrip + LEAST_TIMER
                                    : roundTrip - (after - REORDERED) * spacing;
    }
    else if (tail < lost.size())
    {
        seconds = 2 * roundTrip; // what is sent again for others tells
    }
    else if (inFlight == 1)
    {
        seconds = timeout;
        isTimeout = true;
    }
    else
    {
        // A probe two round trips after the last acknowledgement tells.
        seconds = std::min(2 * roundTrip + LEAST_TIMER, timeout) +
                  (inFlight > tail ? roundTrip : 0) + (tail > 1 ? roundTrip : 0);
    }
    std::size_t again = tail > 0 ? tail : lost.size();
    for (double next = isTimeout ? 2 * timeout : timeout; again > 0;)
    {
        std::size_t lostAgain = 0;
        for (std::size_t i = 0; i < again; ++i)
        {
            lostAgain += m_settings.draws->GetValue() < sender.route.lossRate;
        }
        if (lostAgain == again)
        {
            seconds += next;
            next = std::min(2 * next, LARGEST_TIMEOUT);
            isTimeout = true;
        }
        else if (lostAgain > 0)
        {
            seconds += roundTrip;
        }
        again = lostAgain;
    }
    sender.window.Lose(isTimeout);
    return std::max(0.0, seconds);
}

double
FlowPacer::FindHandshakeQueue(uint32_t number)
{
    return FindQueued(number).seconds + GetAcknowledgementSeconds(number);
}

std::pair<double, double>
FlowPacer::FindRoundTrip(uint32_t number)
{
    // Data and acknowledgements of two connections on a wire delay each other. The bytes under way
    // in one direction are one or the other, so the longer of both delays counts.
    Sender& sender = *m_senders[number];
    const double idle = GetIdleRoundTripSeconds(sender);
    sender.acknowledgementQueueSeconds = GetAcknowledgementSeconds(number);
    return {idle, idle + std::max(FindQueued(number).seconds, sender.acknowledgementQueueSeconds)};
}

double
FlowPacer::FindBound(uint32_t number, double left)
{
    Sender& sender = *m_senders[number];
    const Time now = Simulator::Now();
    const auto [idle, roundTrip] = FindRoundTrip(number);
    const double acknowledging = sender.acknowledgementQueueSeconds;
    if (now >= sender.measured + RoundSeconds(idle))
    {
        // An acknowledgement waits only for what is queued when it arrives.
        sender.leastSeconds = GetLeastSeconds(sender);
        sender.measured = now;
    }
    sender.roundTripSeconds = roundTrip;
    const double window = sender.window.GetBytes();
    // A window that almost fills the path is not worth an event every round trip.
    const double rate = GetRouteRate(*m_network, sender.route);
    const bool loses = std::isfinite(sender.nextLost);
    if (window >= FULL_ENOUGH * roundTrip * rate && loses && rate > 0)
    {
        if (now >= sender.roundEnd)
        {
            const double own = sender.flow == MaxMinSharing::NONE
                                   ? rate
                                   : std::max(STANDSTILL, m_network->GetRate(sender.flow));
            sender.isSteady = false;
            SetRound(number, now + RoundSeconds(std::max(roundTrip, window / own)));
        }
        else if (!sender.hasRound)
        {
            SetRound(number, sender.roundEnd);
        }
        return MaxMinSharing::UNBOUNDED;
    }
    if (window >= FULL_ENOUGH * roundTrip * rate)
    {
        const double bytes = sender.window.GetBytesToGrow(REVIEW_GROWTH);
        if (sender.isAlone && acknowledging > 0 && rate > 0 && left > bytes &&
            sender.growth.IsExpired())
        {
            sender.growth =
                Simulator::Schedule(RoundSeconds(bytes / rate), &FlowPacer::EndRound, this, number);
        }
        return MaxMinSharing::UNBOUNDED;
    }
    const double used = sender.sentBytes - left - sender.acknowledgedBytes;
    double allowed = window - used;
    if (now >= sender.roundEnd)
    {
        // A window at its maximum needs no event before the last one is sent, unless it is too
        // small only because of others' queues, which come and go.
        sender.isSteady = !loses && sender.window.IsLargest() && roundTrip - idle < LONG_ROUND &&
                          window < idle * rate;
        const double rounds = sender.isSteady ? std::max(1.0, std::floor(left / window)) : 1;
        allowed += (rounds - 1) * window;
        SetRound(number, now + RoundSeconds(rounds * roundTrip));
    }
    else if (!sender.hasRound)
    {
        SetRound(number, sender.roundEnd);
    }
    const Time rest = sender.roundEnd - now;
    // What fits into the rest of the window may leave at once.
    if (left <= allowed)
    {
        return MaxMinSharing::UNBOUNDED;
    }
    return std::max(STANDSTILL, allowed / rest.GetSeconds());
}

void
FlowPacer::NoteForwarding(const FlowRoute& route)
{
    for (std::size_t i = 1; i < route.uses.size(); ++i)
    {
        m_forwarding.insert(route.uses[i].link);
    }
}

void
FlowPacer::LimitByHost(uint32_t number, double left, double bound)
{
    Sender& sender = *m_senders[number];
    const uint32_t wire = sender.route.hostLink;
    if (!m_settings.isPacing || !m_settings.hasSmallQueues || wire == MaxMinSharing::NONE ||
        m_network->GetFlowCount(wire) < 2 || m_forwarding.count(wire) == 0)
    {
        return;
    }
    const double own = GetMostQueued(sender, wire);
    const double capacity = m_network->GetCapacity(wire);
    const double forwarded =
        GetLinkSeconds(number, wire, [&](const auto& other, double most, double rest, auto flows) {
            // What is on wires does not wait.
            const double onWires = capacity / flows * GetIdleRoundTripSeconds(other);
            return other.route.hostLink == wire ? 0.0
                                                : std::max(0.0, std::min(most, rest) - onWires);
        });
    if (own == 0 || forwarded == 0 || left <= own)
    {
        return;
    }
    const double rate = own / (forwarded + own / capacity);
    if (rate < bound)
    {
        m_network->SetBound(sender.flow, std::max(STANDSTILL, rate));
        if (!sender.hasRound)
        {
            SetRound(number, Simulator::Now() + RoundSeconds(sender.roundTripSeconds + forwarded));
        }
    }
}

void
FlowPacer::SetRound(uint32_t number, const Time& end)
{
    Sender& sender = *m_senders[number];
    sender.round.Remove();
    sender.roundEnd = end;
    sender.hasRound = true;
    sender.round = Simulator::Schedule(end - Simulator::Now(), [this, number] {
        m_senders[number]->hasRound = false;
        EndRound(number);
    });
}

void
FlowPacer::EndRound(uint32_t number)
{
    Sender& sender = *m_senders[number];
    double left = m_network->GetRemaining(sender.flow);
    const double sent = sender.sentBytes - left;
    const auto lost = TakeLosses(sender, sent - m_settings.packetBytes);
    if (lost.empty())
    {
        Acknowledge(sender, left);
    }
    else
    {
        const double again = lost.size() * m_settings.packetBytes;
        sender.window.Lose(false);
        sender.acknowledgedBytes = sent;
        sender.sentBytes += again;
        sender.againBytes += again;
        m_network->Extend(sender.flow, again);
        left += again;
    }
    const double bound = FindBound(number, left);
    m_network->SetBound(sender.flow, bound);
    LimitByHost(number, left, bound);
    if (sender.isAlone && sender.acknowledgementQueueSeconds > 0 &&
        sender.window.GetBytes() >= REVIEW_GROWTH * sender.reviewedBytes)
    {
        sender.reviewedBytes = sender.window.GetBytes();
        ReviewOthers(number);
    }
}

void
FlowPacer::NoticeCapacity(uint32_t link)
{
    ++m_capacities;
    const uint32_t reverse = m_network->GetReverse(link);
    if (!m_settings.isPacing || reverse == MaxMinSharing::NONE)
    {
        return;
    }
    const Time now = Simulator::Now();
    for (const uint32_t one : {link, reverse})
    {
        for (std::size_t i = 0; i < m_network->GetFlowCount(one); ++i)
        {
            const uint32_t number = m_network->GetOwner(one, i);
            Sender& sender = *m_senders[number];
            const Time rest = sender.roundEnd - now;
            if (!sender.hasRound || rest <= RoundSeconds(GetIdleRoundTripSeconds(sender)))
            {
                continue;
            }
            double longest = FindRoundTrip(number).second;
            if (std::isfinite(sender.nextLost))
            {
                const double own = std::max(STANDSTILL, m_network->GetRate(sender.flow));
                longest = std::max(longest, sender.window.GetBytes() / own);
            }
            if (rest > RoundSeconds(longest))
            {
                sender.round.Remove();
                sender.hasRound = false;
                sender.roundEnd = now;
                EndRound(number);
            }
        }
    }
}

void
FlowPacer::ReviewOthers(uint32_t number)
{
    for (const auto& use : m_senders[number]->route.uses)
    {
        const uint32_t reverse = m_network->GetReverse(use.link);
        if (reverse == MaxMinSharing::NONE || !m_settings.reviews)
        {
            continue;
        }
        for (const uint32_t link : {use.link, reverse})
        {
            const std::size_t flows = m_network->GetFlowCount(link);
            for (std::size_t i = 0; i < std::min(flows, MOST_LOOKED_AT); ++i)
            {
                const uint32_t owner = m_network->GetOwner(link, i);
                const Sender& other = *m_senders[owner];
                // The end of a message that fits into the window is queued already.
                if (owner != number && !other.hasRound &&
                    m_network->GetRemaining(other.flow) > other.window.GetBytes())
                {
                    EndRound(owner);
                }
            }
        }
    }
}

void
FlowPacer::Acknowledge(Sender& sender, double left)
{
    const double sent = sender.sentBytes - left;
    Grow(sender, sent - sender.acknowledgedBytes, Simulator::Now());
    sender.acknowledgedBytes = sent;
}

void
FlowPacer::Grow(Sender& sender, double bytes, const Time& time) const
{
    // Only windows in slow start need to know where it ends.
    const FlowWindow::Full full =
        sender.window.IsSlowStart() ? GetFull(sender) : FlowWindow::Full{};
    const double most = m_settings.growsWhereLimited
                            ? std::min(GetMostInFlight(sender),
                                       std::max(bytes, sender.sentBytes - sender.burstBytes))
                            : MaxMinSharing::UNBOUNDED;
    sender.window.Acknowledge(bytes, most, full, time.GetSeconds());
}

bool
FlowPacer::BeginLap(uint32_t connection, const Time& last, std::vector<double>& state)
{
    Sender& sender = *m_senders[connection];
    const double rest = (sender.roundEnd - Simulator::Now()).GetSeconds();
    state.insert(state.end(),
                 {std::max(0.0, rest),
                  sender.sentBytes - sender.acknowledgedBytes,
                  sender.roundTripSeconds,
                  sender.leastSeconds});
    // A window that limits no message and does not shrink after a pause may grow without changing a
    // time.
    const double most = std::exchange(sender.mostBytes, 0);
    const bool isWide = sender.window.GetBytes() >= most &&
                        (!m_settings.restartsAfterIdle || last.GetSeconds() < LEAST_TIMEOUT);
    return sender.route.rules.empty() && sender.route.lossRate == 0 &&
           (isWide || !m_settings.isPacing);
}

void
FlowPacer::RepeatLap(uint32_t connection,
                     const std::vector<double>& messages,
                     const Time& last,
                     uint32_t laps)
{
    Sender& sender = *m_senders[connection];
    for (uint32_t lap = 1; lap <= laps && m_settings.isPacing; ++lap)
    {
        for (const double bytes : messages)
        {
            Grow(sender, bytes, Simulator::Now() + lap * last);
        }
    }
    for (Time* time : {&sender.ended, &sender.roundEnd, &sender.measured})
    {
        *time += last * laps;
    }
}

double
FlowPacer::GetLeastSeconds(const Sender& sender) const
{
    return sender.leastSeconds == 0 ? sender.roundTripSeconds
                                    : std::min(sender.leastSeconds, sender.roundTripSeconds);
}

FlowWindow::Full
FlowPacer::GetFull(const Sender& sender) const
{
    if (!m_settings.hasHyStart)
    {
        return {m_settings.largestBytes, 0};
    }
    const double rate = GetRouteRate(*m_network, sender.route);
    const double least = GetLeastSeconds(sender);
    if (sender.window.IsWatched() &&
        sender.roundTripSeconds > least + std::max(least, HYSTART_DELAY))
    {
        return {sender.isAlone ? 0.0 : 1.0, 0}; // HyStart detects the delay by others
    }
    const double delay = GetDelaySeconds(sender);
    if (SEGMENTS_PER_ACKNOWLEDGEMENT * m_settings.packetBytes <= HYSTART_SPACING * rate)
    {
        // Rounds begin within a window. So slow start ends once windows' acknowledgements follow
        // each other as one train, when that has lasted as long as the idle path's delay.
        return {rate * delay, rate * delay};
    }
    // Acknowledgements are too far apart for one train: slow start ends in the round trip after the
    // one in which the delay doubled.
    return {4 * rate * std::max(delay, HYSTART_DELAY), 0};
}

} // namespace ns3::edgepipe
