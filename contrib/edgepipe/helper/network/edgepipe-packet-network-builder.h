/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PACKET_NETWORK_BUILDER_H
#define EDGEPIPE_PACKET_NETWORK_BUILDER_H

#include "ns3/edgepipe-network-helper.h"
#include "ns3/error-model.h"
#include "ns3/ipv4-address.h"
#include "ns3/net-device-container.h"

#include <array>
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
 * A class derived from it for each kind of link says how.
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
    virtual ~PacketNetworkBuilder() = default;

    /**
     * Build the network in the present simulation.
     *
     * @param active devices that will send or receive. The others are wired up as well, but on
     *        Wi-Fi they stay off the air, since every station costs time for every frame.
     * @return the network
     */
    Network Build(const std::set<uint32_t>& active);

  protected:
    /**
     * Join two nodes by a wire of the options' bandwidth, which may change, and delay.
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
     * Join a wired device to the network by a cable of its own, of the options' backhaul.
     *
     * @param a the device's node
     * @param nameA its name
     * @param b what it is joined to
     * @param nameB its name
     * @return the cable's two ends
     */
    NetDeviceContainer Cable(Ptr<Node> a,
                             const std::string& nameA,
                             Ptr<Node> b,
                             const std::string& nameB);

    /**
     * @param device index of a device
     * @return whether it is joined by a cable whatever the link is
     */
    bool IsWired(uint32_t device) const;

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

    NetworkOptions m_options;         //!< how to join the devices
    std::vector<std::string> m_names; //!< of the devices
    Network m_network;                //!< under construction
    double m_wireShare{1};            //!< rate of a wire over the bandwidth of the options
    Time m_attached;                  //!< when devices have attached to the network
    int64_t m_stream;                 //!< next random stream to assign

  private:
    /**
     * Build all links.
     *
     * @param active devices that will send or receive
     * @return where each device is reached; the loopback address if it is not
     */
    virtual std::vector<Ipv4Address> Join(const std::set<uint32_t>& active) = 0;

    /**
     * Join two nodes.
     *
     * @param nodes the two
     * @param names their names
     * @param bitsPerSecond rate of the wire as ns-3 counts it
     * @param delay one way
     * @param devices whose links these are; they go dead with any of them
     * @return the wire's two ends
     */
    NetDeviceContainer Connect(const std::array<Ptr<Node>, 2>& nodes,
                               const std::array<std::string, 2>& names,
                               double bitsPerSecond,
                               const Time& delay,
                               const std::vector<std::string>& devices);

    /** Change the rate of every wire as the options say. */
    void ScheduleBandwidth();

    NetDeviceContainer m_wires; //!< ends of every wire
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PACKET_NETWORK_BUILDER_H */
