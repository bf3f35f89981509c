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

#include <memory>

namespace ns3::edgepipe
{

class PacketNetworkBuilder;

/** Connects the stations of a packet-level cell to the rest of the network. */
struct PacketHub
{
    Ptr<Node> node;      //!< where cables and uploads end
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

    /** @return name of the transmitter to the stations */
    const std::string& GetTransmitter() const
    {
        return m_transmitter;
    }

    /**
     * @param options of such a link
     * @return capacity model of the cell
     * @throws InputError if an input file cannot be used
     */
    virtual std::shared_ptr<RadioCell> MakeCell(const NetworkOptions& options) const = 0;

    /**
     * Build the cell at packet level.
     *
     * @param options of such a link
     * @param stations those with a position, which get an Internet stack and an address
     * @param names of the stations
     * @param builder of the network
     * @return the hub, with an Internet stack
     */
    virtual PacketHub Install(const NetworkOptions& options,
                              const NodeContainer& stations,
                              const std::vector<std::string>& names,
                              PacketNetworkBuilder& builder) const = 0;

  protected:
    /**
     * @param options that not all radios use
     * @param largestMtu largest IP packet, bytes
     * @param mostStations that a cell can have at packet level
     * @param transmitter name of the transmitter to the stations
     * @param hub name of the node where cables end
     */
    RadioLink(std::set<std::string> options,
              uint32_t largestMtu,
              std::size_t mostStations,
              const std::string& transmitter,
              const std::string& hub);

  private:
    std::size_t m_mostStations; //!< at packet level
    std::string m_transmitter;  //!< name of the transmitter to the stations
    std::string m_hub;          //!< name of the node where cables end
};

/**
 * @param options a Wi-Fi network
 * @return the same as a cell, with what the options leave open filled in
 * @throws InputError if the options make no sense
 */
WifiCell MakeWifiCell(const NetworkOptions& options);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_RADIO_LINK_H */
