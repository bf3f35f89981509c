/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TRANSPORT_HELPER_H
#define EDGEPIPE_TRANSPORT_HELPER_H

#include "ns3/attribute.h"
#include "ns3/data-rate.h"
#include "ns3/edgepipe-flow-medium.h"
#include "ns3/edgepipe-tensor-transport.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"

#include <string>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Connects the user's nodes by a TensorTransport and aggregates a TensorEndpoint to each of them.
 *
 * A helper makes one transport, by which all its nodes reach each other. The transport ends with
 * the simulation; the helper is of no use after that.
 */
class TransportHelper
{
  public:
    /**
     * @param type TypeId of the transport: ns3::edgepipe::PacketTransport, FlowTransport or another
     *        TensorTransport
     * @throws InputError if there is no such transport
     */
    explicit TransportHelper(const std::string& type);

    /**
     * Set an attribute of the transport.
     *
     * @param name of the attribute
     * @param value its value
     * @throws InputError if the transport has no such attribute
     */
    void Set(const std::string& name, const AttributeValue& value);

    /**
     * Let nodes send and receive. At packet level every device in the simulation loses those
     * defaults of ns-3 with which TCP stalls, unless the user has set another value: see
     * SetPacketDefaults, and "A script of your own" in the manual.
     *
     * @param nodes none with a TensorEndpoint
     * @return the transport, the same at each call
     * @throws InputError naming a node that has an endpoint, or lacks what the transport needs
     */
    Ptr<TensorTransport> Install(const NodeContainer& nodes);

    /**
     * Declare what devices carry to each other, such as in a mesh. Only flows need this; a
     * packet-level transport ignores it.
     *
     * @param devices that reach each other in one hop
     * @param capacity between them
     */
    void DeclareCapacity(const NetDeviceContainer& devices, const DeclaredCapacity& capacity);

    /**
     * Declare traffic of ns-3's own applications, which flows cannot see: it takes its rate before
     * messages share the rest. A packet-level transport meets the traffic itself and ignores this.
     *
     * @param from its sender
     * @param to its receiver
     * @param rate of IP packets
     * @param start simulated time at which it begins; at once if that has passed
     * @param stop simulated time at which it ends
     */
    void AddBackground(Ptr<Node> from,
                       Ptr<Node> to,
                       const DataRate& rate,
                       const Time& start,
                       const Time& stop);

  private:
    /** @return the transport, made by the first call */
    Ptr<TensorTransport> MakeTransport();

    ObjectFactory m_factory;          //!< makes the transport
    Ptr<TensorTransport> m_transport; //!< made when first needed
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TRANSPORT_HELPER_H */
