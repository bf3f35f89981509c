/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TRANSPORT_HELPER_H
#define EDGEPIPE_TRANSPORT_HELPER_H

#include "ns3/attribute.h"
#include "ns3/edgepipe-tensor-transport.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"

#include <string>

namespace ns3
{
namespace edgepipe
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

  private:
    ObjectFactory m_factory;          //!< makes the transport
    Ptr<TensorTransport> m_transport; //!< made by the first Install
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_TRANSPORT_HELPER_H */
