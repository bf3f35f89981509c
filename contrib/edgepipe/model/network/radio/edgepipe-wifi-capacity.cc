/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-wifi-capacity.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"

#include <algorithm>

namespace ns3::edgepipe
{

namespace
{

constexpr double INFINITE = std::numeric_limits<double>::infinity();

/** A hop's share of a connection's turns on the air. */
struct WifiTurn
{
    double seconds;        //!< of a lone packet, with a mean backoff
    const uint32_t* flows; //!< under way on the hop; null: not counted
};

/** Effects of the air on one connection: those of the last cell that it crosses. */
class WifiRules : public FlowRules
{
  public:
    MaxMinSharing::Use medium{MaxMinSharing::NONE, 0}; //!< the air
    double trailSeconds{0}; //!< of the medium's weight: spacing and acknowledgement of bursts, s
    double burstBytes{0};   //!< longest burst, headers included
    std::vector<WifiTurn> turns; //!< by hop

    FlowTrail GetTrail(double bytes) const override
    {
        // What a station sends or receives at once takes one turn, which the last one pays.
        double turnSeconds = 0;
        for (const WifiTurn& turn : turns)
        {
            turnSeconds += turn.flows && *turn.flows > 0 ? 0 : turn.seconds;
        }
        // The receiver of a lone burst does not wait for its acknowledgement.
        return {medium,
                trailSeconds / medium.weight * std::min(bytes, burstBytes),
                turnSeconds / medium.weight};
    }
};

} // namespace

WifiCapacity::WifiCapacity(const WifiCell& cell, const std::string& tablePath)
    : m_airtime(cell)
{
    std::vector<double> accessFactors;
    for (const auto& row : ReadWifiCapacityTable(tablePath))
    {
        // 5 and 6 GHz differ only in the path loss.
        if (row.cell.standard != cell.standard || (row.cell.bandGhz < 5) != (cell.bandGhz < 5) ||
            row.cell.channelMhz != cell.channelMhz || row.cell.rateControl != cell.rateControl)
        {
            continue;
        }
        const WifiAirtime airtime(row.cell);
        const auto mcs = airtime.GetMcs(row.distanceMeters);
        if (!mcs)
        {
            continue;
        }
        if (std::any_of(row.goodput.begin(), row.goodput.end(), [](double g) { return g > 0; }))
        {
            m_points.push_back(MakeFit(row, airtime.GetSecondsPerByte(*mcs)));
        }
        if (row.latencySeconds > 0)
        {
            accessFactors.push_back(row.latencySeconds / (2 * airtime.GetAccessSeconds(*mcs) +
                                                          airtime.GetForwardSeconds(*mcs)));
        }
    }
    Require(!m_points.empty(),
            JoinParts(tablePath,
                      ": found no row with goodput for 802.11",
                      cell.standard,
                      " at ",
                      cell.bandGhz,
                      " GHz, ",
                      cell.channelMhz,
                      " MHz wide, ",
                      cell.rateControl,
                      " rate control, expected at least one"));
    std::sort(m_points.begin(), m_points.end(), [](const Point& a, const Point& b) {
        return a.derived < b.derived;
    });
    for (std::size_t i = 1; i < m_points.size(); ++i)
    {
        m_points[i].one = std::max(m_points[i].one, m_points[i - 1].one);
    }
    if (!accessFactors.empty())
    {
        // The median, since a rate control that tries high rates first may lose the lone message.
        const auto middle = accessFactors.begin() + (accessFactors.size() - 1) / 2;
        std::nth_element(accessFactors.begin(), middle, accessFactors.end());
        m_accessFactor = *middle;
    }
}

double
WifiCapacity::GetSecondsPerByte(double distanceMeters, RadioDirection /* direction */) const
{
    const auto mcs = m_airtime.GetMcs(distanceMeters);
    return mcs ? Calibrate(m_airtime.GetSecondsPerByte(*mcs)).one : INFINITE;
}

double
WifiCapacity::GetEfficiency(uint32_t activeFlows,
                            double distanceMeters,
                            RadioDirection /* direction */) const
{
    const auto mcs = m_airtime.GetMcs(distanceMeters);
    if (!mcs || activeFlows < 2)
    {
        return 1;
    }
    const Point point = Calibrate(m_airtime.GetSecondsPerByte(*mcs));
    return point.one / (point.one + point.more * (activeFlows - 1));
}

double
WifiCapacity::GetAccessSeconds(double distanceMeters) const
{
    const auto mcs = m_airtime.GetMcs(distanceMeters);
    return mcs ? m_accessFactor * m_airtime.GetAccessSeconds(*mcs) : INFINITE;
}

void
WifiCapacity::AddHop(const RadioHop& hop, FlowRoute& route)
{
    const uint32_t mcs = *m_airtime.GetMcs(hop.distanceMeters);
    const double weight = GetSecondsPerByte(hop.distanceMeters);
    if (Cross(hop.link, weight, GetAccessSeconds(hop.distanceMeters), route))
    {
        const double forward = m_accessFactor * m_airtime.GetForwardSeconds(mcs);
        route.delaySeconds += forward;
        route.backSeconds += forward;
    }
    auto& rules = GetRules<WifiRules>(route);
    if (rules.medium.link != hop.link)
    {
        rules.medium = {hop.link, 0};
        rules.trailSeconds = 0;
        rules.burstBytes = m_airtime.GetBurstBytes(mcs);
        rules.turns.clear();
    }
    rules.medium.weight += weight;
    rules.trailSeconds += weight * m_airtime.GetTrailShare(mcs);
    rules.turns.push_back({GetAccessSeconds(hop.distanceMeters) +
                               m_accessFactor * m_airtime.GetForwardSeconds(mcs) +
                               m_airtime.GetBackoffSeconds(),
                           hop.flows});
    rules.burstBytes = std::min(rules.burstBytes, m_airtime.GetBurstBytes(mcs));
}

WifiCapacity::Point
WifiCapacity::MakeFit(const WifiCapacityRow& row, double derived)
{
    double n = 0;
    double x = 0;
    double y = 0;
    double xx = 0;
    double xy = 0;
    for (std::size_t i = 0; i < row.goodput.size(); ++i)
    {
        if (row.goodput[i] > 0)
        {
            const double more = GetWifiPatterns()[i].transfers.size() - 1.0;
            const double cost = 1 / (2 * row.goodput[i]);
            const double weight = 1 / (cost * cost); // relative errors count
            n += weight;
            x += weight * more;
            y += weight * cost;
            xx += weight * more * more;
            xy += weight * more * cost;
        }
    }
    const double spread = n * xx - x * x;
    const double slope = spread > 0 ? std::max(0.0, (n * xy - x * y) / spread) : 0;
    // The fastest single measurement bounds a from below, however scattered the others are.
    const double fastest = 0.5 / *std::max_element(row.goodput.begin(), row.goodput.end());
    return {derived, std::max((y - slope * x) / n, fastest), slope};
}

WifiCapacity::Point
WifiCapacity::Calibrate(double derived) const
{
    const auto upper =
        std::lower_bound(m_points.begin(),
                         m_points.end(),
                         derived,
                         [](const Point& point, double value) { return point.derived < value; });
    if (upper == m_points.begin() || upper == m_points.end())
    {
        const Point& end = upper == m_points.end() ? m_points.back() : m_points.front();
        const double scale = derived / end.derived;
        return {derived, scale * end.one, scale * end.more};
    }
    const Point& lower = *(upper - 1);
    const double share = (derived - lower.derived) / (upper->derived - lower.derived);
    return {derived,
            lower.one + share * (upper->one - lower.one),
            lower.more + share * (upper->more - lower.more)};
}

} // namespace ns3::edgepipe
