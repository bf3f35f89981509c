/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-lte-capacity.h"

#include "ns3/lte-amc.h"
#include "ns3/lte-mi-error-model.h"
#include "ns3/lte-spectrum-value-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ns3::edgepipe
{

namespace
{

/// Bandwidth of a resource block, Hz.
constexpr double RESOURCE_BLOCK_HZ = 180e3;
/// Thermal noise at 290 K, dBm/Hz, as in LteSpectrumValueHelper.
constexpr double THERMAL_DBM_PER_HZ = -174;
/// Duration of a transport block, s.
constexpr double BLOCK_SECONDS = 1e-3;
/// RLC's header in every transport block, bytes.
constexpr double BLOCK_HEADER = 2;
/// PDCP's header and RLC's length indicator for every packet, bytes.
constexpr double PACKET_HEADER = 3.5;
/// Fewest resource blocks of an uplink grant in ns-3.
constexpr uint32_t SMALLEST_GRANT = 3;
/// Uplink latency of a lone small message with its scheduling request and grant, s, measured at
/// packet level.
constexpr double UP_SECONDS = 12.45e-3;
/// Part of UP_SECONDS until the grant is used, s.
constexpr double REQUEST_SECONDS = 7e-3;
/// Downlink latency of a lone small message, s.
constexpr double DOWN_SECONDS = 3.5e-3;
/// How long an acknowledgement waits for a second segment, as in PacketTransport, s.
constexpr double DELAYED_ACKNOWLEDGEMENT = 40e-3;
/// Share of a block that counts as rounding of times.
constexpr double BLOCK_ROUNDING = 1e-6;
/// Any carrier: only the number of resource blocks matters.
constexpr uint32_t CARRIER = 100;

/**
 * @param resourceBlocks of a carrier
 * @return size of the groups in which the downlink grants them, 3GPP TS 36.213, table 7.1.6.1-1
 */
uint32_t
GetGroupSize(uint32_t resourceBlocks)
{
    return resourceBlocks <= 10 ? 1 : resourceBlocks <= 26 ? 2 : resourceBlocks <= 63 ? 3 : 4;
}

/** Effects of blocks and grants on one connection, which crosses one such cell or two. */
class LteRules : public FlowRules
{
  public:
    double beforeSeconds{-1};     //!< delay before the first such link, s; -1: not known yet
    double grantBytes{0};         //!< carried by a block of the sender, headers included
    LteGrants* sender{nullptr};   //!< of the device that sends; null if it has another link
    LteGrants* receiver{nullptr}; //!< of the device that acknowledges; null if on another link

    void Begin(const FlowMessage& message, FlowMemory& memory) override
    {
        // Data that arrive as a block begins have missed it.
        const double now = Simulator::Now().GetSeconds();
        const double there = (now + beforeSeconds) / BLOCK_SECONDS;
        const double block =
            (std::floor(there + BLOCK_ROUNDING) + 1) * BLOCK_SECONDS - beforeSeconds;
        const double early = sender ? Send(message.bytes / grantBytes, block) : 0;
        if (!message.isNext)
        {
            memory.waitedSeconds = block - now - early;
        }
    }

    double End(const FlowMessage& /* message */, const FlowMemory& memory) const override
    {
        const double now = Simulator::Now().GetSeconds();
        const double there = (now + memory.waitedSeconds + beforeSeconds) / BLOCK_SECONDS;
        const double end = std::ceil(there - BLOCK_ROUNDING) * BLOCK_SECONDS - beforeSeconds;
        // The route's delay includes a mean wait of half a block and the first block; here both are
        // known.
        return end - now - 1.5 * BLOCK_SECONDS;
    }

    void Arrive(const FlowMessage& message, FlowMemory& memory) override
    {
        // The last segment of an odd number is acknowledged with the next message, or alone if none
        // comes.
        const double now = Simulator::Now().GetSeconds();
        const double segments = message.segments + (now < memory.acknowledgementDue ? 1 : 0);
        const double count = std::floor(segments / SEGMENTS_PER_ACKNOWLEDGEMENT);
        const bool isOdd = segments > count * SEGMENTS_PER_ACKNOWLEDGEMENT;
        memory.acknowledgementDue = isOdd ? now + DELAYED_ACKNOWLEDGEMENT : 0;
        if (receiver && count > 0)
        {
            const double others = message.seconds * (count - 1) / count;
            const double lasted = std::floor(others / BLOCK_SECONDS) * BLOCK_SECONDS;
            const double granted = now + REQUEST_SECONDS;
            if (receiver->until <= now)
            {
                receiver->first = receiver->free = granted - lasted;
            }
            receiver->until = std::max(receiver->until, granted + BLOCK_SECONDS);
        }
    }

  private:
    /**
     * Request grants for a message, which may also use earlier requests' grants.
     *
     * @param blocks number of blocks that it takes
     * @param seconds start of the block that carries the request, s
     * @return how much of REQUEST_SECONDS it need not wait, s
     */
    double Send(double blocks, double seconds)
    {
        const double granted = seconds + REQUEST_SECONDS;
        double queue = blocks;
        double early = 0;
        if (seconds < sender->until)
        {
            const double ready = std::max(seconds, sender->first);
            const double begin = std::max(ready, sender->free);
            const double room = std::max(0.0, sender->until - begin);
            queue += (begin - ready) / BLOCK_SECONDS;
            // What does not fit waits for the message's own grants.
            early = blocks * BLOCK_SECONDS <= room ? granted - begin : room;
            early = std::clamp(early, 0.0, REQUEST_SECONDS);
        }
        else
        {
            sender->first = sender->free = granted;
        }
        sender->free = std::max(sender->free, granted - early + blocks * BLOCK_SECONDS);
        sender->until = std::max(sender->until, granted + std::ceil(queue) * BLOCK_SECONDS);
        return early;
    }
};

} // namespace

uint32_t
LteCapacity::GetMostFlows() const
{
    return std::max(m_resourceBlocks / SMALLEST_GRANT,
                    m_resourceBlocks / GetGroupSize(m_resourceBlocks));
}

double
LteCapacity::GetRate(uint32_t users, double distanceMeters, RadioDirection direction) const
{
    const bool isUp = direction == RadioDirection::UP;
    const double loss = LteRadio::LOSS_AT_ONE_METER_DB +
                        10 * LteRadio::LOSS_EXPONENT * std::log10(std::max(1.0, distanceMeters));
    const double noise = THERMAL_DBM_PER_HZ +
                         10 * std::log10(m_resourceBlocks * RESOURCE_BLOCK_HZ) +
                         (isUp ? LteRadio::BASE_STATION_NOISE_DB : LteRadio::DEVICE_NOISE_DB);
    const double power = isUp ? LteRadio::DEVICE_DBM : LteRadio::BASE_STATION_DBM;
    const double snr = std::pow(10, (power - loss - noise) / 10);
    const auto carrier = static_cast<uint8_t>(m_resourceBlocks);
    auto model = LteSpectrumValueHelper::GetSpectrumModel(CARRIER, carrier);

    auto amc = CreateObject<LteAmc>();
    if (isUp)
    {
        amc->SetAttribute("AmcModel", StringValue("PiroEW2010"));
    }
    SpectrumValue whole(model);
    whole = snr;
    const int cqi = amc->CreateCqiFeedbacks(whole, carrier).front();
    if (cqi <= 0)
    {
        return 0;
    }
    const int mcs = amc->GetMcsFromCqi(cqi);

    uint32_t granted; // resource blocks to one user
    uint32_t served;  // users in one millisecond
    if (isUp)
    {
        granted = std::max(SMALLEST_GRANT, m_resourceBlocks / users);
        served = std::min(users, m_resourceBlocks / granted);
    }
    else
    {
        const uint32_t size = GetGroupSize(m_resourceBlocks);
        const uint32_t groups = m_resourceBlocks / size;
        served = std::min(users, groups);
        granted = groups / served * size;
    }
    const int bits =
        isUp ? amc->GetUlTbSizeFromMcs(mcs, granted) : amc->GetDlTbSizeFromMcs(mcs, granted);
    // A device concentrates its power on its grant; the base station spreads its own.
    SpectrumValue block(model);
    block = isUp ? snr * m_resourceBlocks / granted : snr;
    std::vector<int> map(granted);
    std::iota(map.begin(), map.end(), 0);
    const double lost = LteMiErrorModel::GetTbDecodificationStats(block,
                                                                  map,
                                                                  static_cast<uint16_t>(bits / 8),
                                                                  mcs,
                                                                  HarqProcessInfoList_t())
                            .tbler;
    const double bytes = (bits / 8 - BLOCK_HEADER) * m_mtuBytes / (m_mtuBytes + PACKET_HEADER);
    return served * bytes / (BLOCK_SECONDS * (1 + lost));
}

double
LteCapacity::GetEfficiency(uint32_t activeFlows,
                           double distanceMeters,
                           RadioDirection direction) const
{
    const double alone = GetRate(1, distanceMeters, direction);
    return alone > 0 ? GetRate(std::max(1U, activeFlows), distanceMeters, direction) / alone : 1;
}

double
LteCapacity::GetAcknowledgementShare(uint32_t activeFlows, double distanceMeters) const
{
    // The rate of acknowledgements falls with the share that they take, here those of one user.
    const double alone = GetRate(1, distanceMeters, RadioDirection::UP) * BLOCK_SECONDS /
                         (SEGMENTS_PER_ACKNOWLEDGEMENT * m_mtuBytes);
    const double users = 1 + activeFlows;
    return std::min(1.0, alone / (1 + alone / users));
}

void
LteCapacity::AddHop(const RadioHop& hop, FlowRoute& route)
{
    const bool isUp = hop.direction == RadioDirection::UP;
    route.station = isUp ? hop.station : route.station;
    const double weight = GetSecondsPerByte(hop.distanceMeters, hop.direction);
    auto& rules = GetRules<LteRules>(route);
    if (rules.beforeSeconds < 0)
    {
        rules.beforeSeconds = route.delaySeconds;
    }
    (isUp ? rules.sender : rules.receiver) = &m_grants[hop.station];
    rules.grantBytes = isUp ? BLOCK_SECONDS / weight : rules.grantBytes;
    Cross(hop.link, weight, isUp ? UP_SECONDS : DOWN_SECONDS, route);
    route.backSeconds += isUp ? DOWN_SECONDS - UP_SECONDS : UP_SECONDS - DOWN_SECONDS;
    // A short message has gone before the first acknowledgement of it is granted uplink.
    route.tallyBytes = (route.delaySeconds + REQUEST_SECONDS) / weight;
}

} // namespace ns3::edgepipe
