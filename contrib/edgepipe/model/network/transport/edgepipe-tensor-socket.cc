/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-tensor-socket.h"

#include "edgepipe-tensor-endpoint.h"

namespace ns3::edgepipe
{

TensorSocket::TensorSocket(Ptr<TensorTransport> transport, uint32_t node, uint32_t job)
    : m_transport(std::move(transport)),
      m_node(node),
      m_firstPort(PORTS_PER_JOB * job)
{
}

TensorSocket::TensorSocket(Ptr<Node> node, uint32_t job)
    : TensorSocket(TensorEndpoint::FindTransport(node), node->GetId(), job)
{
}

void
TensorSocket::Send(uint32_t to,
                   uint16_t port,
                   uint64_t tag,
                   uint64_t bytes,
                   const std::string& body,
                   TensorTransport::DeliveredCallback delivered,
                   TensorTransport::SentCallback sent) const
{
    m_transport->Send({m_node, to, static_cast<uint16_t>(m_firstPort + port), tag, bytes, body},
                      std::move(delivered),
                      std::move(sent));
}

void
TensorSocket::SendControl(uint32_t to,
                          uint16_t port,
                          uint64_t tag,
                          uint64_t bytes,
                          const std::string& body,
                          TensorTransport::DeliveredCallback delivered) const
{
    const auto known = static_cast<uint16_t>(m_firstPort + port);
    m_transport->Send({m_node, to, known, tag, bytes, body, true}, std::move(delivered));
}

} // namespace ns3::edgepipe
