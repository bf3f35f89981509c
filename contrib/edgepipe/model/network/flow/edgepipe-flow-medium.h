/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FLOW_MEDIUM_H
#define EDGEPIPE_FLOW_MEDIUM_H

#include "ns3/data-rate.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-flow-network.h"
#include "ns3/edgepipe-flow-route.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

namespace ns3::edgepipe
{

/** Capacity that the user declares between devices whose channel no FlowMedium models. */
struct DeclaredCapacity
{
    DataRate rate;       //!< of IP packets
    Time delay;          //!< one way
    bool isShared{true}; //!< whether all devices share the rate, or each sends at it
};

/** The hop from one node to the next. */
struct FlowHop
{
    Ptr<NetDevice> from; //!< device that sends
    Ptr<NetDevice> to;   //!< device that receives
};

/** Settings that all media of a FlowNetwork share. */
struct FlowMediumSettings
{
    Ptr<FlowNetwork> network;        //!< gets the links
    double packetBytes{1500};        //!< a full IP packet
    double acknowledgementBytes{52}; //!< an acknowledgement, an IP packet
    double acknowledgementShare{0};  //!< acknowledgement bytes per byte of packets
};

/**
 * @ingroup edgepipe
 *
 * An ns-3 channel or a cell in a FlowNetwork.
 *
 * Each kind of channel has a derived class. FlowTopology finds them all among the TypeIds, so that
 * a new kind needs no edit elsewhere, and makes one object for every channel that a route crosses.
 * Bytes are those of IP packets.
 */
class FlowMedium : public Typed<FlowMedium, Object>
{
  public:
    /**
     * @param hop a hop
     * @return what identifies the hop's medium, such as a channel; null if the hop is not of this
     *         kind
     */
    virtual Ptr<Object> FindKey(const FlowHop& hop) const = 0;

    /**
     * Add the links of a hop to a route, and to the network if they are new.
     *
     * @param settings the network
     * @param hop a hop over this medium
     * @param route gets the links and the delay
     * @throws InputError if the hop cannot be modelled
     */
    virtual void AddHop(const FlowMediumSettings& settings,
                        const FlowHop& hop,
                        FlowRoute& route) = 0;

    /**
     * Read again what may have changed, such as capacities and positions. Routes are found again
     * afterwards.
     *
     * @param settings the network
     */
    virtual void Update([[maybe_unused]] const FlowMediumSettings& settings)
    {
    }
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_FLOW_MEDIUM_H */
