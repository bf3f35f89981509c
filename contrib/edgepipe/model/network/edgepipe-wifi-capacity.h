/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_WIFI_CAPACITY_H
#define EDGEPIPE_WIFI_CAPACITY_H

#include "ns3/edgepipe-wifi-airtime.h"
#include "ns3/edgepipe-wifi-capacity-table.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * What a Wi-Fi cell carries, for a network of flows: the cell is one resource of one second of
 * airtime per second, and a flow of x IP bytes/s from station i to station j, which goes through
 * the access point, uses x (t_i + t_j) of it, with t = GetSecondsPerByte(distance). With k flows
 * active the cell's airtime is worth GetEfficiency(k) of that with one flow.
 *
 * WifiAirtime derives t_0 = seconds per byte without contention. A table of packet-level
 * measurements calibrates it: with g the common goodput of k flows,
 *
 *   1 / (2 g t_0) = a + b (k - 1),    t = a t_0,    efficiency(k) = a / (a + b (k - 1)),
 *
 * where a and b are fitted by least squares over the table's rows of the same standard, band,
 * channel width and rate control, whatever their guard interval. Stations beyond half the range may
 * be out of each other's range, and then collide at the access point: they have an a and b of their
 * own, from the rows beyond half the range.
 */
class WifiCapacity
{
  public:
    /**
     * @param cell the network
     * @param tablePath file of the measurements, see ReadWifiCapacityTable
     * @throws InputError if the table is broken or has no row for such a cell
     */
    WifiCapacity(const WifiCell& cell, const std::string& tablePath);

    /** @return distance from the access point at which frames are no longer noticed, m */
    double GetRangeMeters() const;

    /**
     * @param distanceMeters between a station and the access point, m
     * @return effective airtime per byte of IP packets with data on the hop between them, s,
     *         infinite beyond the range
     */
    double GetSecondsPerByte(double distanceMeters) const;

    /**
     * @param activeFlows how many flows the cell carries at the moment
     * @param distanceMeters of the station farthest from the access point, m
     * @return capacity relative to that with one flow, above 0, at most 1
     */
    double GetEfficiency(uint32_t activeFlows, double distanceMeters = 0) const;

    /**
     * @param distanceMeters between a station and the access point, m
     * @return latency that a lone small message meets on the hop between them, s, infinite beyond
     *         the range
     */
    double GetAccessSeconds(double distanceMeters) const;

    /**
     * @param row a row of a table
     * @param pattern index of a pattern
     * @return its goodput as this model has it, IP bytes/s; the row's cell should be of the kind
     *         that this object was made for
     */
    double PredictGoodput(const WifiCapacityRow& row, std::size_t pattern) const;

  private:
    /** How the measured airtime depends on the number of flows. */
    struct Fit
    {
        double one{1};  //!< a: measured over derived with one flow
        double more{0}; //!< b: what every further flow adds
    };

    /**
     * @param rows the rows to fit, none of another kind of cell
     * @return the least-squares fit
     */
    Fit MakeFit(const std::vector<WifiCapacityRow>& rows) const;

    /**
     * @param row a row
     * @return t_0 of the row's cell, infinite beyond the range
     */
    double DeriveSecondsPerByte(const WifiCapacityRow& row) const;

    /**
     * @param distanceMeters between a station and the access point, m
     * @return the fit that holds there
     */
    const Fit& GetFit(double distanceMeters) const;

    WifiCell m_cell;          //!< the network
    WifiAirtime m_airtime;    //!< its airtimes
    Fit m_near;               //!< for stations up to half the range
    Fit m_far;                //!< for those beyond
    double m_accessFactor{1}; //!< measured over derived latency
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_WIFI_CAPACITY_H */
