/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FLOW_NETWORK_BUILDER_H
#define EDGEPIPE_FLOW_NETWORK_BUILDER_H

#include "ns3/edgepipe-flow-network.h"
#include "ns3/edgepipe-flow-route.h"
#include "ns3/edgepipe-flow-transport.h"
#include "ns3/edgepipe-network-helper.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Joins devices by the links of a FlowNetwork with FlowTransport on top: what PacketNetworkBuilder
 * builds, without packets. The nodes are bare, without an Internet stack. A class derived from it
 * for each kind of link says how.
 */
class FlowNetworkBuilder
{
  public:
    /**
     * @param options how to join the devices; CheckNetworkOptions has accepted them
     * @param names of the devices
     */
    FlowNetworkBuilder(NetworkOptions options, std::vector<std::string> names);
    virtual ~FlowNetworkBuilder() = default;

    /**
     * Build the network in the present simulation. Unless the user has chosen a scheduler of
     * events, by the global value SchedulerType, the simulation's becomes PriorityQueueScheduler.
     *
     * @return the network
     */
    Network Build();

  protected:
    /**
     * Add the two directions of a wire of the options' bandwidth, which may change.
     *
     * @param nameA name of one end
     * @param nameB name of the other
     * @param devices whose links these are; they go dead with any of them
     * @return the link from a to b; the next number is that from b to a
     */
    uint32_t AddWire(const std::string& nameA,
                     const std::string& nameB,
                     const std::vector<std::string>& devices);

    /**
     * Add the two directions of a wired device's cable, of the options' backhaul.
     *
     * @param nameA name of the device
     * @param nameB what it is joined to
     * @return the link from the device; the next number is that to it
     */
    uint32_t AddCable(const std::string& nameA, const std::string& nameB);

    /**
     * @param device index of a device
     * @return whether it is joined by a cable whatever the link is
     */
    bool IsWired(uint32_t device) const;

    /**
     * @param name of a transmitter
     */
    void AddCounter(const std::string& name);

    NetworkOptions m_options;         //!< how to join the devices
    std::vector<std::string> m_names; //!< of the devices
    Network m_network;                //!< under construction
    Ptr<FlowNetwork> m_flows;         //!< the links
    Ptr<FlowTransport> m_transport;   //!< on top of them
    double m_wireShare{1};            //!< rate of a wire over the bandwidth of the options
    std::vector<uint32_t> m_cutLinks; //!< links other than wires that go dead

  private:
    /** @return routes through what was built */
    virtual FlowRouter Join() = 0;

    /**
     * Add two links that are the directions of one wire.
     *
     * @param nameA name of one end
     * @param nameB name of the other
     * @param bitsPerSecond each way
     * @return the link from a to b; the next number is that from b to a
     */
    uint32_t Connect(const std::string& nameA, const std::string& nameB, double bitsPerSecond);

    /** Change the capacity of every wire as the options say. */
    void ScheduleBandwidth();

    std::vector<uint32_t> m_wires;    //!< links that are wires and will not go dead
    std::vector<uint32_t> m_cutWires; //!< links that are wires and will
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_FLOW_NETWORK_BUILDER_H */
