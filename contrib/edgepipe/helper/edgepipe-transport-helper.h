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
 * Joins the user's nodes by a TensorTransport and aggregates a TensorEndpoint to each of them.
 *
 * A helper makes one transport; all nodes that it installs reach each other. It ends with the
 * simulation, and so does the use of the helper.
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
     * Let nodes send and receive.
     *
     * @param nodes none with a TensorEndpoint
     * @return the transport, the same at each call
     * @throws InputError naming the node, if one has an endpoint, or not what the transport needs
     */
    Ptr<TensorTransport> Install(const NodeContainer& nodes);

    /**
     * Tell flows what devices carry to each other, such as those of a mesh; packets find out
     * themselves, and are not told.
     *
     * @param devices that reach each other in one hop
     * @param capacity by which
     */
    void DeclareCapacity(const NetDeviceContainer& devices, const DeclaredCapacity& capacity);

    /**
     * Tell flows of traffic that ns-3's own applications send, which they cannot see: it takes its
     * rate before messages share the rest. Packets meet the traffic itself, and are not told.
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
