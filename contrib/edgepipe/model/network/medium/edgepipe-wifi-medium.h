/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_WIFI_MEDIUM_H
#define EDGEPIPE_WIFI_MEDIUM_H

#include "ns3/edgepipe-flow-cell.h"
#include "ns3/edgepipe-flow-medium.h"
#include "ns3/wifi-net-device.h"

#include <map>
#include <memory>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * The air of an 802.11 infrastructure network, one access point and its stations, by WifiCapacity
 * and the table links/wifi-capacity.csv of the traces folder. What goes from station to station
 * crosses it twice. Access points on one channel and frequency that hear each other share the air.
 *
 * WifiCapacity is for the path loss of ns3::LogDistancePropagationLossModel and ns-3's transmit
 * power; a station counts as if at the distance where it would lose as much as it does by the
 * channel's loss model, powers and gains.
 */
class WifiMedium : public FlowMedium
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    Ptr<Object> FindKey(const FlowHop& hop) const override;
    void AddHop(const FlowMediumSettings& settings, const FlowHop& hop, FlowRoute& route) override;
    void Update(const FlowMediumSettings& settings) override;

  private:
    std::unique_ptr<FlowCell> m_cell; //!< the air
    /// Stations that routes have come to, each with its access point.
    std::map<Ptr<WifiNetDevice>, Ptr<WifiNetDevice>> m_stations;
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_WIFI_MEDIUM_H */
