/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PACKET_WIFI_H
#define EDGEPIPE_PACKET_WIFI_H

#include "ns3/edgepipe-packet-radio.h"

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
class PacketWifi : public PacketRadio
{
  public:
    using PacketRadio::PacketRadio;

  private:
    std::vector<Ipv4Address> Join(const std::set<uint32_t>& active) override;

    /**
     * Give a Wi-Fi device its MTU, its loss and its counter.
     *
     * @param netDevice the Wi-Fi device
     * @param name its name
     */
    void SetUpRadio(Ptr<NetDevice> netDevice, const std::string& name);
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PACKET_WIFI_H */
