/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TENSOR_SOCKET_H
#define EDGEPIPE_TENSOR_SOCKET_H

#include "edgepipe-tensor-transport.h"

#include "ns3/node.h"

#include <cstdint>
#include <string>

namespace ns3::edgepipe
{

/**
 * One application's end of a transport: its node, and the ports of the job that it belongs to.
 *
 * Jobs that share nodes, such as two trainings, are kept apart by their ports: job j has those from
 * PORTS_PER_JOB x j on, and an application counts from there.
 */
class TensorSocket
{
  public:
    /// Ports of a job, from 0 on.
    static constexpr uint16_t PORTS_PER_JOB = 32;
    /// Jobs that can share a node.
    static constexpr uint32_t MOST_JOBS = TensorTransport::MONITOR_PORT / PORTS_PER_JOB;

    /** A socket without a transport. */
    TensorSocket() = default;

    /**
     * @param transport moves the messages
     * @param node id of the node
     * @param job number of the job, from 0
     */
    TensorSocket(Ptr<TensorTransport> transport, uint32_t node, uint32_t job = 0);

    /**
     * @param node with a TensorEndpoint
     * @param job number of the job, from 0
     * @throws InputError if the node has no transport
     */
    TensorSocket(Ptr<Node> node, uint32_t job);

    /**
     * Hand every message for a port to a callback.
     *
     * @param port of the job
     * @param receive called once per message
     */
    void Listen(uint16_t port, TensorTransport::ReceiveCallback receive) const
    {
        m_transport->Listen(m_node, m_firstPort + port, receive);
    }

    /**
     * Send a message to another application of the job.
     *
     * @param to id of the receiving node
     * @param port of the job
     * @param tag the application's own label
     * @param bytes payload, the body included
     * @param body real bytes at its start
     * @param delivered called on delivery; may be null
     * @param sent called when it has found room in the sender's buffer; may be null
     */
    void Send(uint32_t to,
              uint16_t port,
              uint64_t tag,
              uint64_t bytes,
              const std::string& body = "",
              TensorTransport::DeliveredCallback delivered = {},
              TensorTransport::SentCallback sent = {}) const;

    /**
     * Send a message by the control connection, so that it does not wait for tensors.
     *
     * @param to id of the receiving node
     * @param port of the job
     * @param tag the application's own label
     * @param bytes payload, the body included
     * @param body real bytes at its start
     * @param delivered called on delivery; may be null
     */
    void SendControl(uint32_t to,
                     uint16_t port,
                     uint64_t tag,
                     uint64_t bytes,
                     const std::string& body = "",
                     TensorTransport::DeliveredCallback delivered = {}) const;

    /** @return id of the node */
    uint32_t GetNode() const
    {
        return m_node;
    }

    /** @return number of the job */
    uint32_t GetJob() const
    {
        return GetJob(m_firstPort);
    }

    /** @return the transport, or null if there is none */
    Ptr<TensorTransport> GetTransport() const
    {
        return m_transport;
    }

    /**
     * @param port of a message
     * @return the port as its job counts it
     */
    static uint16_t GetJobPort(uint16_t port)
    {
        return port % PORTS_PER_JOB;
    }

    /**
     * @param port of a message
     * @return number of the job that it belongs to; MOST_JOBS or more if a monitor's
     */
    static uint32_t GetJob(uint16_t port)
    {
        return port / PORTS_PER_JOB;
    }

  private:
    Ptr<TensorTransport> m_transport; //!< moves the messages
    uint32_t m_node{0};               //!< id of the node
    uint16_t m_firstPort{0};          //!< of the job
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TENSOR_SOCKET_H */
