/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PACKET_NETWORK_BUILDER_H
#define EDGEPIPE_PACKET_NETWORK_BUILDER_H

#include "ns3/edgepipe-network-helper.h"
#include "ns3/error-model.h"
#include "ns3/ipv4-address.h"
#include "ns3/net-device-container.h"

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Joins devices by ns-3's links, with an Internet stack on every node and PacketTransport on top.
 *
 * - `lan`: full-duplex Ethernet to one switch. The switch is a node that forwards in no time
 *   beyond its wires' delays. Wires are ns-3 point-to-point links whose rate is set so that a
 *   full packet takes as long as on Ethernet, with its 38 bytes of preamble, header, check
 *   sequence and gap; shorter packets are slightly too fast.
 * - `p2p`: a chain of point-to-point links in the order of the devices, which forward for each
 *   other.
 * - `wifi`: an 802.11 infrastructure network, log-distance path loss, the stations in a circle
 *   around the access point, through which all traffic goes; losses by WifiDataLoss. A device that
 *   is cut off leaves the range.
 *
 * Random streams are assigned from a fixed number on, so that a network behaves the same whatever
 * was simulated before it in the same program.
 */
class PacketNetworkBuilder
{
  public:
    /**
     * @param options how to join the devices; CheckNetworkOptions has accepted them
     * @param names of the devices
     */
    PacketNetworkBuilder(NetworkOptions options, std::vector<std::string> names);

    /**
     * Build the network in the present simulation.
     *
     * @param active devices that will send or receive. The others are wired up as well, but on
     *        Wi-Fi they stay off the air, since every station costs time for every frame.
     * @return the network
     */
    Network Build(const std::set<uint32_t>& active);

  private:
    /**
     * A star of wires around a switch.
     * @return where each device is reached
     */
    std::vector<Ipv4Address> BuildLan();
    /**
     * A chain of wires.
     * @return where each device is reached
     */
    std::vector<Ipv4Address> BuildChain();
    /**
     * An infrastructure network.
     * @param active devices that get a station
     * @return where each device is reached; off the air the loopback address
     */
    std::vector<Ipv4Address> BuildWifi(const std::set<uint32_t>& active);

    /**
     * Give a Wi-Fi device its MTU, its loss and its counter.
     *
     * @param netDevice the Wi-Fi device
     * @param name its name
     */
    void SetUpRadio(Ptr<NetDevice> netDevice, const std::string& name);

    /**
     * Join two nodes by a wire.
     *
     * @param a a node
     * @param nameA its name
     * @param b another node
     * @param nameB its name
     * @param devices whose links these are; they go dead with any of them
     * @return the wire's two ends
     */
    NetDeviceContainer Wire(Ptr<Node> a,
                            const std::string& nameA,
                            Ptr<Node> b,
                            const std::string& nameB,
                            const std::vector<std::string>& devices);

    /**
     * @param devices whose links the model is for; they go dead with any of them
     * @return a model that loses packets at the rate of the options, and later all if cut
     */
    Ptr<RateErrorModel> MakeLoss(const std::vector<std::string>& devices);

    /**
     * @param device a net device
     * @param trace name of a trace source that fires for every packet sent
     * @param name the transmitter's name
     */
    void Count(Ptr<Object> device, const std::string& trace, const std::string& name);

    /** Change the rate of every wire as the options say. */
    void ScheduleBandwidth();

    NetworkOptions m_options;         //!< how to join the devices
    std::vector<std::string> m_names; //!< of the devices
    Network m_network;                //!< under construction
    NetDeviceContainer m_wires;       //!< ends of every wire
    double m_wireShare{1};            //!< rate of a wire over the bandwidth of the options
    int64_t m_stream;                 //!< next random stream to assign
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PACKET_NETWORK_BUILDER_H */
