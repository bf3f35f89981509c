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

/** What the user knows of devices that reach each other in a way no FlowMedium reads. */
struct DeclaredCapacity
{
    DataRate rate;       //!< of IP packets
    Time delay;          //!< one way
    bool isShared{true}; //!< whether all devices share the rate, or each sends at it
};

/** From one node to the next. */
struct FlowHop
{
    Ptr<NetDevice> from; //!< by which a packet leaves a node
    Ptr<NetDevice> to;   //!< by which it comes to the next
};

/** What every medium of a FlowNetwork has to know. */
struct FlowMediumSettings
{
    Ptr<FlowNetwork> network;        //!< gets the links
    double packetBytes{1500};        //!< a full IP packet
    double acknowledgementBytes{52}; //!< an acknowledgement, an IP packet
    double answerShare{0};           //!< acknowledgement bytes per byte of packets
};

/**
 * @ingroup edgepipe
 *
 * What a channel of ns-3, or a cell, is in a FlowNetwork.
 *
 * There is a class derived from it for every kind of channel. FlowTopology finds them all among the
 * TypeIds, so that a kind of one's own needs no edit elsewhere. It makes one object for every
 * channel that a route crosses. Bytes are those of IP packets.
 */
class FlowMedium : public Typed<FlowMedium, Object>
{
  public:
    static constexpr const char* TYPE = "ns3::edgepipe::FlowMedium"; //!< see Typed

    /**
     * @param hop a hop
     * @return what all hops of the same medium have in common, such as a channel; null if the hop
     *         is none of this kind
     */
    virtual Ptr<Object> FindKey(const FlowHop& hop) const = 0;

    /**
     * Add the links of a hop to a route, new ones to the network if it has not been seen before.
     *
     * @param settings the network
     * @param hop a hop over this medium
     * @param route gets the links and the delay
     * @throws InputError if that hop cannot be told
     */
    virtual void AddHop(const FlowMediumSettings& settings,
                        const FlowHop& hop,
                        FlowRoute& route) = 0;

    /**
     * Take up what has changed, such as capacities and positions. Routes are asked for again after
     * that.
     *
     * @param settings the network
     */
    virtual void Update([[maybe_unused]] const FlowMediumSettings& settings)
    {
    }
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_FLOW_MEDIUM_H */
