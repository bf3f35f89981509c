/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_RADIO_LINK_H
#define EDGEPIPE_RADIO_LINK_H

#include "edgepipe-network-options.h"

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
class RadioLink : public Typed<RadioLink, DuplexLink>
{
  public:
    /// @copydoc Typed::AddAttributes
    static TypeId AddAttributes(TypeId tid);

    void Check(const NetworkOptions& network, const std::vector<std::string>& names) const override;
    Topology MakeTopology(const NetworkOptions& network,
                          const std::vector<std::string>& names) const override;

    /** @return name of the transmitter to the stations */
    const std::string& GetTransmitter() const
    {
        return m_transmitter;
    }

    /** @return distance of every device from the hub, at first, m */
    double GetDistance() const
    {
        return m_distanceMeters;
    }

    /** @return whether the devices move, if their speed is not 0 */
    bool IsMobile() const
    {
        return m_mobility != "static";
    }

    /** @return speed of the devices, 0 if they stay, m/s */
    double GetSpeed() const
    {
        return IsMobile() ? m_speedMetersPerSecond : 0;
    }

    /** @return whether devices that move walk at random, and do not go straight outwards */
    bool IsRandomWalk() const
    {
        return m_mobility == "random-walk";
    }

    /** @return further stations that upload all the time */
    uint32_t GetCompetitors() const
    {
        return m_competitors;
    }

    /** @return limits of what a device sends and receives, infinite where there is none; nothing
     * without any */
    std::optional<std::array<LinkRate, 2>> GetLimits() const;

    /**
     * @param mtuBytes largest IP packet, bytes
     * @return capacity model of the cell
     * @throws InputError if an input file cannot be used
     */
    virtual std::shared_ptr<RadioCell> MakeCell(uint32_t mtuBytes) const = 0;

    /**
     * Build the cell at packet level.
     *
     * @param mtuBytes largest IP packet, bytes
     * @param stations those with a position, which get an Internet stack and an address
     * @param names of the stations
     * @param builder of the network
     * @return the hub, with an Internet stack
     */
    virtual PacketHub Install(uint32_t mtuBytes,
                              const NodeContainer& stations,
                              const std::vector<std::string>& names,
                              PacketNetworkBuilder& builder) const = 0;

  protected:
    /**
     * @param largestMtu largest IP packet, bytes
     * @param mostStations that a cell can have at packet level
     * @param transmitter name of the transmitter to the stations
     * @param hub name of the node where cables end
     */
    RadioLink(uint32_t largestMtu,
              std::size_t mostStations,
              const std::string& transmitter,
              const std::string& hub);

  private:
    std::size_t m_mostStations;    //!< at packet level
    std::string m_transmitter;     //!< name of the transmitter to the stations
    std::string m_hub;             //!< name of the node where cables end
    double m_distanceMeters;       //!< of every device from the hub, at first
    std::string m_mobility;        //!< static, away or random-walk
    double m_speedMetersPerSecond; //!< of a device that moves
    uint32_t m_competitors;        //!< further stations that upload all the time
};

/**
 * @param network of stations on Wi-Fi
 * @return the same as a cell, with what the options leave open filled in
 * @throws InputError if the options make no sense
 */
WifiCell MakeWifiCell(const NetworkOptions& network);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_RADIO_LINK_H */
