/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-link-probe.h"

#include "ns3/simulator.h"

#include <cmath>
#include <numeric>

namespace ns3::edgepipe
{

namespace
{

/// Bits of a tag that hold a rate.
constexpr uint32_t RATE_BITS = 48;
/// First bytes of tags.
constexpr uint64_t ANSWER = 0xff;
constexpr uint64_t PROBE = 0xfe;

} // namespace

uint64_t
ProbeTag::Pack() const
{
    return (isAnswer ? ANSWER : PROBE) << 56 | static_cast<uint64_t>(place) << RATE_BITS |
           bitsPerSecond;
}

ProbeTag
ProbeTag::Unpack(uint64_t packed)
{
    return {(packed >> 56) == ANSWER,
            static_cast<uint8_t>(packed >> RATE_BITS),
            packed & ((uint64_t{1} << RATE_BITS) - 1)};
}

bool
ProbeTag::IsOne(uint64_t packed)
{
    return (packed >> 56) >= PROBE;
}

std::string
ProbeTag::Describe() const
{
    if (place == LinkProbe::TRAIN)
    {
        return isAnswer ? "answer to a ping" : "ping";
    }
    return std::string(isAnswer ? "answer to a probe" : "probe") + ", " +
           std::to_string(place + 1) + " of " + std::to_string(LinkProbe::TRAIN);
}

double
GetTrainRate(uint64_t bytes, const std::vector<Time>& arrivals)
{
    std::vector<double> intervals;
    for (std::size_t i = 1; i < arrivals.size(); ++i)
    {
        intervals.push_back((arrivals[i] - arrivals[i - 1]).GetSeconds());
    }
    if (intervals.empty())
    {
        return 0;
    }
    std::sort(intervals.begin(), intervals.end());
    // A third or less of long ones are pauses of the sender, such as TCP's for a round trip; more
    // mean that messages arrive in bursts.
    const std::size_t all = intervals.size();
    for (std::size_t kept = all - all / 3; kept < all && intervals[all / 2] > 0; ++kept)
    {
        if (intervals[kept] > 2 * intervals[kept - 1])
        {
            intervals.resize(kept);
            break;
        }
    }
    const double seconds = std::accumulate(intervals.begin(), intervals.end(), 0.0);
    return seconds > 0 ? 8.0 * bytes * intervals.size() / seconds : 0;
}

void
LinkProbe::SetUp(const BandwidthMonitor::Place& place, MeasuredCallback measured)
{
    m_place = place;
    m_measured = measured;
    place.transport->Listen(place.server, place.port, MakeCallback(&LinkProbe::ReceiveProbe, this));
    place.transport->Listen(place.device,
                            place.port,
                            MakeCallback(&LinkProbe::ReceiveAnswer, this));
}

void
LinkProbe::Begin(uint64_t bytes)
{
    if (m_isUnderWay)
    {
        return;
    }
    m_isUnderWay = true;
    m_atServer.clear();
    m_atDevice.clear();
    SendTrain({false, 0}, bytes / TRAIN);
}

void
LinkProbe::Send(const ProbeTag& tag, uint64_t bytes)
{
    const auto& [device, server, transport, capacity, port] = m_place;
    if (transport)
    {
        transport->Send({tag.isAnswer ? server : device,
                         tag.isAnswer ? device : server,
                         port,
                         tag.Pack(),
                         bytes,
                         ""});
    }
}

void
LinkProbe::SendTrain(ProbeTag tag, uint64_t bytes)
{
    for (tag.place = 0; tag.place < TRAIN; ++tag.place)
    {
        Send(tag, bytes);
    }
}

void
LinkProbe::ReceiveProbe(const Message& message)
{
    if (ProbeTag::Unpack(message.tag).place == TRAIN)
    {
        Send({true, TRAIN}, PING_BYTES);
        return;
    }
    m_atServer.push_back(Simulator::Now());
    if (m_atServer.size() == TRAIN)
    {
        const double most = std::ldexp(1, RATE_BITS) - 1;
        const double rate = std::min(most, std::round(GetTrainRate(message.bytes, m_atServer)));
        SendTrain({true, 0, static_cast<uint64_t>(rate)}, message.bytes);
    }
}

void
LinkProbe::ReceiveAnswer(const Message& message)
{
    if (ProbeTag::Unpack(message.tag).place == TRAIN)
    {
        return;
    }
    m_atDevice.push_back(Simulator::Now());
    const bool isFirst = m_atDevice.size() == 1;
    const bool isLast = m_atDevice.size() == TRAIN;
    m_isUnderWay = !isLast;
    if (!m_measured.IsNull() && (isFirst || isLast))
    {
        m_measured(isFirst ? ProbeTag::Unpack(message.tag).bitsPerSecond : 0,
                   isLast ? GetTrainRate(message.bytes, m_atDevice) : 0);
    }
}

} // namespace ns3::edgepipe
