/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_INFERENCE_SERVER_H
#define EDGEPIPE_INFERENCE_SERVER_H

#include "ns3/edgepipe-cut-decider.h"
#include "ns3/edgepipe-edge-application.h"
#include "ns3/edgepipe-inference-message.h"
#include "ns3/edgepipe-two-way-cut-problem.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * The server of cooperative inference, for any number of devices.
 *
 * Once all tensors that cross under a frame's plan have arrived, the server's layers run as one
 * task, first come, first served over all devices. The results go back as one message. A device is
 * told the server's load when it asks, and after a result if the load has changed by more than
 * LoadThreshold of the value it was told last.
 *
 * A device that has asked for it is also told the load of the other devices on the server and its
 * radio cell (ServerSharing), when a frame of its own arrives SharingPeriod or more after the last
 * report: the work and payload that arrived from them since then. The backlog reported is the least
 * that any frame found in the last one to two periods, the standing queue (K. Nichols and V.
 * Jacobson, "Controlling queue delay", ACM Queue 10(5), 2012): backlog that comes and goes with the
 * others' frames is already in their share of the server.
 */
class InferenceServer : public Typed<InferenceServer, EdgeApplication>
{
  public:
    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    InferenceServer()
        : Typed(INFERENCE_SERVER_PORT)
    {
    }

    /**
     * Serve a device; call before the application starts.
     *
     * @param device id of its node
     * @param problem its model
     * @param parameterBytes by layer, bytes of its weights
     * @param cell radio cell it sends in, see InferenceJob
     */
    void AddDevice(uint32_t device,
                   TwoWayCutProblem problem,
                   SharedVector<uint64_t> parameterBytes,
                   uint32_t cell = 0)
    {
        m_clients[device] = {std::move(problem), std::move(parameterBytes), {}, {}, 1, cell};
    }

    /** @return incomplete frames, in words; empty if none */
    std::string DescribeWait() const override;

    /**
     * TracedCallback signature of the frame trace sources.
     *
     * @param [in] device that sent the frame
     * @param [in] frame its number, from 0
     */
    typedef void (*FrameTracedCallback)(uint32_t device, uint64_t frame);

  private:
    /// Least backlog of a period without frames.
    static constexpr double NONE = std::numeric_limits<double>::infinity();

    /** A plan of a device. */
    struct Plan
    {
        uint64_t firstFrame;  //!< first frame under the plan
        InferenceSplit split; //!< the plan in executable form
    };

    /** State of a device. */
    struct Client
    {
        TwoWayCutProblem problem;               //!< its model
        SharedVector<uint64_t> parameterBytes;  //!< by layer
        std::deque<Plan> plans;                 //!< plans that arriving frames may use
        std::map<uint64_t, std::size_t> frames; //!< tensors that have arrived, by frame
        double toldShare{1};                    //!< ServerLoad::share last reported to it
        uint32_t cell{0};                       //!< radio cell it sends in; 0: none
        double seconds{0};                      //!< work of its frames
        double bytes{0};                        //!< payload received from it
        Time lastWork{Time::Min()};             //!< when its last frame arrived
        Time lastBytes{Time::Min()};            //!< when its last bytes arrived
        Time told{Time::Min()}; //!< time of its last sharing report or first request
        double toldSeconds{0};  //!< work of the others by then
        double toldBytes{0};    //!< payload of the others in its cell by then
    };

    void StopApplication() override
    {
        m_clients.clear();
    }

    void Receive(const Message& message) override;

    /**
     * @param device the sender
     * @param frame frame of the tensor that has arrived
     */
    void TakeTensor(uint32_t device, uint64_t frame);

    /**
     * Send a device a message.
     *
     * @param device its id
     * @param tag message tag
     * @param bytes payload
     * @param body real bytes; may be empty
     */
    void SendNotice(uint32_t device,
                    const InferenceTag& tag,
                    uint64_t bytes,
                    const std::string& body = "")
    {
        m_socket.Send(device, INFERENCE_DEVICE_PORT, tag.Pack(), bytes, body);
    }

    /**
     * Send a device the load.
     * @param device the device
     */
    void TellLoad(uint32_t device)
    {
        const double share = m_compute->GetAvailableShare();
        m_clients[device].toldShare = share;
        const std::string body = WriteBody(ServerLoad{share});
        SendNotice(device, {InferenceTag::LOAD}, INFERENCE_NOTICE_BYTES + body.size(), body);
    }

    /** End the present period if it is over. */
    void TurnPeriod();

    /** Record the backlog, waiting or running, that a frame finds. */
    void CountBacklog()
    {
        TurnPeriod();
        m_leastBacklog[1] = std::min(m_leastBacklog[1], m_compute->GetBacklogSeconds());
    }

    /**
     * Send a device a ServerSharing, unless this is its first request.
     * @param device the device
     */
    void TellSharing(uint32_t device);
    double m_loadThreshold; //!< relative change of load to report
    Time m_sharingPeriod;   //!< interval of ServerSharing to a device that does not poll
    std::map<uint32_t, Client> m_clients;               //!< by device
    Time m_periodStart;                                 //!< start of the present period
    std::array<double, 2> m_leastBacklog{{NONE, NONE}}; //!< in the last and the present period
    double m_seconds{0};                                //!< work of all frames
    uint64_t m_passes{0};                               //!< frames of all devices so far
    std::map<uint32_t, double> m_cellBytes;             //!< payload received, by cell

    /// Fires when all tensors of a frame have arrived.
    TracedCallback<uint32_t /* device */, uint64_t /* frame */> m_uploadedTrace;
    /// Fires when the server's part of a frame is computed.
    TracedCallback<uint32_t /* device */, uint64_t /* frame */> m_servedTrace;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_INFERENCE_SERVER_H */
