/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-wifi-capacity.h"

#include "ns3/edgepipe-input-error.h"

#include <algorithm>
#include <limits>
#include <sstream>

namespace ns3
{
namespace edgepipe
{

namespace
{

constexpr double INFINITE = std::numeric_limits<double>::infinity();

} // namespace

WifiCapacity::WifiCapacity(const WifiCell& cell, const std::string& tablePath)
    : m_cell(cell),
      m_airtime(cell)
{
    std::vector<WifiCapacityRow> near;
    std::vector<WifiCapacityRow> far;
    double accessFactors = 0;
    for (const auto& row : ReadWifiCapacityTable(tablePath))
    {
        const auto& [standard, band, width, guard, control, loss, mtu] = row.cell;
        if (standard != cell.standard || band != cell.bandGhz || width != cell.channelMhz ||
            control != cell.rateControl || DeriveSecondsPerByte(row) == INFINITE)
        {
            continue;
        }
        (row.distanceMeters <= GetRangeMeters() / 2 ? near : far).push_back(row);
        const double derived =
            2 * m_airtime.GetAccessSeconds(*m_airtime.GetMcs(row.distanceMeters));
        accessFactors += row.latencySeconds / derived;
    }
    if (near.empty())
    {
        std::ostringstream kind;
        kind << "802.11" << cell.standard << " at " << cell.bandGhz << " GHz, " << cell.channelMhz
             << " MHz wide, " << cell.rateControl << " rate control";
        throw InputError(tablePath + ": found no row within half the range for " + kind.str() +
                         ", expected at least one");
    }
    m_near = MakeFit(near);
    m_far = far.empty() ? m_near : MakeFit(far);
    // Distance never makes a station faster, whatever the noise of the measurements.
    m_far.one = std::max(m_far.one, m_near.one);
    m_accessFactor = accessFactors / (near.size() + far.size());
}

double
WifiCapacity::GetRangeMeters() const
{
    return m_airtime.GetRangeMeters();
}

double
WifiCapacity::GetSecondsPerByte(double distanceMeters) const
{
    const auto mcs = m_airtime.GetMcs(distanceMeters);
    return mcs ? GetFit(distanceMeters).one * m_airtime.GetSecondsPerByte(*mcs) : INFINITE;
}

double
WifiCapacity::GetEfficiency(uint32_t activeFlows, double distanceMeters) const
{
    const auto& [one, more] = GetFit(distanceMeters);
    return one / (one + more * (std::max(activeFlows, 1U) - 1));
}

double
WifiCapacity::GetAccessSeconds(double distanceMeters) const
{
    const auto mcs = m_airtime.GetMcs(distanceMeters);
    return mcs ? m_accessFactor * m_airtime.GetAccessSeconds(*mcs) : INFINITE;
}

double
WifiCapacity::PredictGoodput(const WifiCapacityRow& row, std::size_t pattern) const
{
    const double flows = GetWifiPatterns().at(pattern).transfers.size();
    return GetEfficiency(flows, row.distanceMeters) /
           (2 * GetFit(row.distanceMeters).one * DeriveSecondsPerByte(row));
}

WifiCapacity::Fit
WifiCapacity::MakeFit(const std::vector<WifiCapacityRow>& rows) const
{
    double n = 0;
    double x = 0;
    double y = 0;
    double xx = 0;
    double xy = 0;
    for (const auto& row : rows)
    {
        for (std::size_t i = 0; i < row.goodput.size(); ++i)
        {
            if (row.goodput[i] > 0)
            {
                const double more = GetWifiPatterns()[i].transfers.size() - 1.0;
                const double cost = 1 / (2 * row.goodput[i] * DeriveSecondsPerByte(row));
                n += 1;
                x += more;
                y += cost;
                xx += more * more;
                xy += more * cost;
            }
        }
    }
    if (n == 0)
    {
        return Fit();
    }
    const double spread = n * xx - x * x;
    Fit fit;
    fit.more = spread > 0 ? std::max(0.0, (n * xy - x * y) / spread) : 0;
    fit.one = (y - fit.more * x) / n;
    return fit;
}

double
WifiCapacity::DeriveSecondsPerByte(const WifiCapacityRow& row) const
{
    WifiCell cell = row.cell;
    cell.lossAtOneMeterDb = m_cell.lossAtOneMeterDb;
    const WifiAirtime airtime(cell);
    const auto mcs = airtime.GetMcs(row.distanceMeters);
    return mcs ? airtime.GetSecondsPerByte(*mcs) : INFINITE;
}

const WifiCapacity::Fit&
WifiCapacity::GetFit(double distanceMeters) const
{
    return distanceMeters <= GetRangeMeters() / 2 ? m_near : m_far;
}

} // namespace edgepipe
} // namespace ns3
