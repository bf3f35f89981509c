/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PACKET_LTE_H
#define EDGEPIPE_PACKET_LTE_H

#include "ns3/edgepipe-packet-radio.h"
#include "ns3/lte-helper.h"
#include "ns3/point-to-point-epc-helper.h"

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * One cell of ns-3's LTE with its core network: FDD, round-robin scheduler, RLC in unacknowledged
 * mode with room for two TCP windows, ideal RRC, no fading; powers and path loss of LteRadio. Every
 * device has the default bearer; wired ones are behind the gateway to the Internet, through which
 * devices also reach each other. Devices never look for another cell.
 */
class PacketLte : public PacketRadio
{
  public:
    using PacketRadio::PacketRadio;

  private:
    std::vector<Ipv4Address> Join(const std::set<uint32_t>& active) override;

    /**
     * Put devices on the air and attach them to the base station.
     *
     * @param nodes with an Internet stack and a position
     * @return their addresses
     */
    std::vector<Ipv4Address> Attach(const NodeContainer& nodes);

    Ptr<LteHelper> m_lte;              //!< makes the radio network
    Ptr<PointToPointEpcHelper> m_core; //!< makes the core network
    Ptr<NetDevice> m_cell;             //!< the base station's
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PACKET_LTE_H */
