/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_EDGE_APPLICATION_H
#define EDGEPIPE_EDGE_APPLICATION_H

#include "ns3/application.h"
#include "ns3/edgepipe-compute-device.h"
#include "ns3/edgepipe-layer-replay.h"
#include "ns3/edgepipe-tensor-socket.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <string>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Base class of all workload applications: belongs to a job, listens at a port of the job from its
 * start on, describes what it waits for, and announces its end if it has one.
 */
class EdgeApplication : public Typed<EdgeApplication, Application>
{
  public:
    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    /** @return number of its job among those of its nodes, see TensorEndpoint::TakeJob */
    uint32_t GetJobNumber() const
    {
        return m_number;
    }

    /** @return what it waits for, in words; empty if it waits for nothing */
    virtual std::string DescribeWait() const = 0;

    /** TracedCallback signature of the trace source Finished. */
    typedef void (*FinishedTracedCallback)();

  protected:
    /** @param port of its job that it listens at; 0: none */
    explicit EdgeApplication(uint16_t port = 0)
        : m_port(port)
    {
    }

    void DoDispose() override
    {
        m_socket = TensorSocket();
        m_compute = nullptr;
        m_replay = nullptr;
        Application::DoDispose();
    }

    /// Look up the node's processor, and listen.
    void StartApplication() override
    {
        m_compute = GetNode()->GetObject<ComputeDevice>();
        m_replay = GetNode()->GetObject<LayerReplay>();
        Listen();
    }

    /** Open the socket and receive messages now, rather than from the start on. */
    void Listen();

    /** Announce that there is nothing more to do. */
    void NotifyFinished()
    {
        m_finishedTrace();
    }

    /**
     * @param pass number of a micro-batch, frame or update
     * @param layers whether its task executes each layer
     * @param direction of the task
     * @return the task's recorded time over that by the profile; 1: no recording is replayed
     */
    double GetStretch(uint64_t pass,
                      const std::vector<bool>& layers,
                      LayerReplay::Direction direction) const
    {
        return m_replay ? m_replay->GetStretch(pass, layers, direction) : 1;
    }

    TensorSocket m_socket;        //!< sends and receives its messages
    Ptr<ComputeDevice> m_compute; //!< processor of its node, from the start on
    Ptr<LayerReplay> m_replay; //!< recording that its node replays, from the start on; may be null

  private:
    /**
     * A message has arrived at its port.
     * @param message the message
     */
    virtual void Receive([[maybe_unused]] const Message& message)
    {
    }

    uint16_t m_port;                  //!< that it listens at; 0: none
    bool m_isListening{false};        //!< whether it listens
    uint32_t m_number;                //!< of its job
    TracedCallback<> m_finishedTrace; //!< fires once, when there is nothing more to do
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_EDGE_APPLICATION_H */
