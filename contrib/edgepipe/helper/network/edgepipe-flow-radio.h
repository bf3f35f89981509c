/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FLOW_RADIO_H
#define EDGEPIPE_FLOW_RADIO_H

#include "ns3/edgepipe-flow-network-builder.h"

#include <memory>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * A Wi-Fi or LTE cell whose time all transfers share; in LTE uplink and downlink are two. What goes
 * from one device to another crosses the air twice, what goes to or from a wired device once, and
 * then its cable. Competitors are flows to the hub that never end.
 *
 * While devices move, each hop's time per byte and latency are those of its device's distance,
 * looked up every 100 ms, and the loss of capacity to many flows is that of the farthest device.
 * All flows in a medium get the same rate, as in Wi-Fi; LTE's scheduler gives the same time
 * instead, which is another thing where devices are not equally far away.
 */
class FlowRadio : public FlowNetworkBuilder
{
  public:
    using FlowNetworkBuilder::FlowNetworkBuilder;

  private:
    struct End;
    struct Cell;

    FlowRouter Join() override;

    /**
     * @param device index of a device
     * @param isMoving whether devices move
     * @return its end of the network
     */
    End MakeEnd(uint32_t device, bool isMoving);

    /**
     * Take up where the devices are, again and again, until the transport is disposed of.
     *
     * @param transport whose routes change
     * @param cell which the routes cross
     */
    static void FollowDevices(Ptr<FlowTransport> transport, std::shared_ptr<Cell> cell);
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_FLOW_RADIO_H */
