/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_RADIO_LINK_H
#define EDGEPIPE_RADIO_LINK_H

#include "edgepipe-link-type.h"

#include "ns3/edgepipe-radio-cell.h"
#include "ns3/edgepipe-wifi-airtime.h"
#include "ns3/ipv4-address.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"

#include <memory>

namespace ns3::edgepipe
{

class PacketNetworkBuilder;

/** What joins the stations of a packet-level cell to the rest of the network. */
struct PacketHub
{
    Ptr<Node> node;      //!< cables go to it, and uploads end at it
    Ipv4Address address; //!< where the stations reach it
    Ipv4Mask mask;       //!< of the network of stations and hub
    Time attached;       //!< when they have attached to the cell
};

/**
 * @ingroup edgepipe
 *
 * A cell whose time all transfers share: devices that may move around a hub, the access point or
 * base station, further stations that upload all the time, and wired devices behind the hub.
 */
class RadioLink : public LinkType
{
  public:
    void Check(const NetworkOptions& options, const std::vector<std::string>& names) const override;
    Topology MakeTopology(const NetworkOptions& options,
                          const std::vector<std::string>& names) const override;

    /** @return name of what sends to the stations */
    const std::string& GetTransmitter() const
    {
        return m_transmitter;
    }

    /**
     * @param options of such a link
     * @return what the cell carries
     * @throws InputError if an input file cannot be used
     */
    virtual std::shared_ptr<RadioCell> MakeCell(const NetworkOptions& options) const = 0;

    /**
     * Build the cell by packets.
     *
     * @param options of such a link
     * @param stations those with a position, which get an Internet stack and an address
     * @param names theirs
     * @param builder of the network
     * @return the hub, with an Internet stack
     */
    virtual PacketHub Install(const NetworkOptions& options,
                              const NodeContainer& stations,
                              const std::vector<std::string>& names,
                              PacketNetworkBuilder& builder) const = 0;

  protected:
    /**
     * @param options those that not all radios use
     * @param largestMtu largest IP packet, bytes
     * @param mostStations that a cell can have at packet level
     * @param transmitter name of what sends to the stations
     * @param hub name of what cables go to
     */
    RadioLink(std::set<std::string> options,
              uint32_t largestMtu,
              std::size_t mostStations,
              const std::string& transmitter,
              const std::string& hub);

  private:
    std::size_t m_mostStations; //!< at packet level
    std::string m_transmitter;  //!< what sends to the stations
    std::string m_hub;          //!< what cables go to
};

/**
 * @param options a Wi-Fi network
 * @return the same as a cell, with what the options leave open filled in
 * @throws InputError if the options make no sense
 */
WifiCell MakeWifiCell(const NetworkOptions& options);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_RADIO_LINK_H */
