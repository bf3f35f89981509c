/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_WIFI_CAPACITY_H
#define EDGEPIPE_WIFI_CAPACITY_H

#include "ns3/edgepipe-radio-cell.h"
#include "ns3/edgepipe-wifi-airtime.h"
#include "ns3/edgepipe-wifi-capacity-table.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Capacity of a Wi-Fi cell in a FlowNetwork: the cell offers one second of airtime per second, and
 * a flow of x IP bytes/s from station i to station j, through the access point, uses x (t_i + t_j)
 * of it, with t = GetSecondsPerByte(distance). With k active flows the airtime is worth
 * GetEfficiency(k) times that with one flow.
 *
 * WifiAirtime derives t_0 = seconds per byte without contention. A table of packet-level
 * measurements calibrates it. Each of its rows was measured in one cell at one distance; with g the
 * total goodput of k flows, least squares of the relative errors over the row give
 *
 *   1 / (2 g) = a + b (k - 1),    so that    t = a,    efficiency(k) = a / (a + b (k - 1)).
 *
 * a and b are piecewise linear functions of t_0 through the rows of the same standard, band (5 and
 * 6 GHz are one), channel width and rate control, proportional to t_0 outside of them: rows need
 * not match the guard interval or the distance. a never falls as t_0 rises.
 */
class WifiCapacity : public RadioCell
{
  public:
    /**
     * @param cell the network
     * @param tablePath file with the measurements, see ReadWifiCapacityTable
     * @throws InputError if the table is malformed or has no row for such a cell
     */
    WifiCapacity(const WifiCell& cell, const std::string& tablePath);

    bool IsDuplex() const override
    {
        return false;
    }

    uint32_t GetMostFlows() const override
    {
        return 8; // no more were measured; at packet level, 32 get as much
    }

    double GetSecondsPerByte(double distanceMeters,
                             RadioDirection direction = RadioDirection::UP) const override;
    double GetEfficiency(uint32_t activeFlows,
                         double distanceMeters = 0,
                         RadioDirection direction = RadioDirection::UP) const override;
    void AddHop(const RadioHop& hop, FlowRoute& route) override;

    /**
     * @param distanceMeters between a station and the access point, m
     * @return latency of a lone small message on the hop between them, s, infinite beyond the range
     */
    double GetAccessSeconds(double distanceMeters) const;

  private:
    /** Measured airtime at one derived airtime; s per byte on one hop. */
    struct Point
    {
        double derived; //!< t_0
        double one;     //!< a: with one flow
        double more;    //!< b: added by every further flow
    };

    /**
     * @param row a row with some goodput
     * @param derived its t_0
     * @return the least-squares fit
     */
    static Point MakeFit(const WifiCapacityRow& row, double derived);

    /**
     * @param derived t_0
     * @return a and b
     */
    Point Calibrate(double derived) const;

    WifiAirtime m_airtime;       //!< of the network
    std::vector<Point> m_points; //!< by rising t_0
    double m_accessFactor{1};    //!< measured over derived latency
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_WIFI_CAPACITY_H */
