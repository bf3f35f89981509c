/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_WIFI_LINK_H
#define EDGEPIPE_WIFI_LINK_H

#include "edgepipe-radio-link.h"

#include "ns3/edgepipe-wifi-capacity-table.h"

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * An 802.11 infrastructure network, log-distance path loss, the stations in a circle around the
 * access point, through which all traffic goes; losses by WifiDataLoss.
 */
class WifiLink : public RadioLink
{
  public:
    /**
     * Register this type.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    WifiLink();

    void Check(const NetworkOptions& options, const std::vector<std::string>& names) const override;
    std::shared_ptr<const RadioCell> MakeCell(const NetworkOptions& options) const override;
    PacketHub Install(const NetworkOptions& options,
                      const NodeContainer& stations,
                      const std::vector<std::string>& names,
                      PacketNetworkBuilder& builder) const override;
};

/**
 * @param options a Wi-Fi network
 * @return the same as a cell, with what the options leave open filled in
 * @throws InputError if the options make no sense
 */
WifiCell MakeWifiCell(const NetworkOptions& options);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_WIFI_LINK_H */
