/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TENSOR_ENDPOINT_H
#define EDGEPIPE_TENSOR_ENDPOINT_H

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-tensor-transport.h"
#include "ns3/ipv4-address.h"
#include "ns3/node-container.h"
#include "ns3/node.h"
#include "ns3/object.h"

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * A node's end of a TensorTransport, aggregated to the node by TransportHelper.
 *
 * ns-3's Config paths reach the transport through it:
 * /NodeList/0/$ns3::edgepipe::TensorEndpoint/Transport. The endpoints of all its nodes hold the
 * transport; the first one that Simulator::Destroy disposes of also disposes of the transport.
 */
class TensorEndpoint : public Typed<TensorEndpoint, Object>
{
  public:
    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    /**
     * @param node a node
     * @return the transport that it sends and receives by
     * @throws InputError if it has none
     */
    static Ptr<TensorTransport> FindTransport(Ptr<Node> node);

    /**
     * @param node a node
     * @return where the others reach it: the attribute Address of its endpoint, or else its first
     *         IPv4 address that is not a loopback
     * @throws InputError if it has no such address
     */
    static Ipv4Address FindAddress(Ptr<Node> node);

    /**
     * Take a job number that none of the nodes has used yet.
     *
     * @param nodes with a transport each
     * @return the number, from 0
     * @throws InputError if a node has no transport, or no ports for another job
     */
    static uint32_t TakeJob(const NodeContainer& nodes);

  protected:
    void DoDispose() override;

  private:
    Ptr<TensorTransport> m_transport; //!< of the node
    Ipv4Address m_address;            //!< of the node; any: the first
    uint32_t m_jobs{0};               //!< number of the node's next job
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TENSOR_ENDPOINT_H */
