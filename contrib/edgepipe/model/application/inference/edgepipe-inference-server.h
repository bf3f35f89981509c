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
 * Once all tensors of a frame have arrived that its plan makes cross, its other layers are one
 * task, behind those of frames that were complete before, whosever they are. The results go back
 * as one message. Behind the first results after its load has changed by more than LoadThreshold of
 * what a device was told last, the device is told its load; and when it asks. A device that has
 * asked for it is also told what the others take of the server and of its radio cell
 * (ServerSharing), as soon as a frame of its own has arrived after SharingPeriod: work and payload
 * that has arrived from them, over the time since it was told last. Of the backlog it is the least
 * that a frame has found, the standing queue (K. Nichols and V. Jacobson, "Controlling queue
 * delay", ACM Queue 10(5), 2012), of one to two periods: what comes and goes with the others'
 * frames is in their share of the server already.
 */
class InferenceServer : public EdgeApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    InferenceServer()
        : EdgeApplication(INFERENCE_SERVER_PORT)
    {
    }

    /**
     * Serve a device; before the application starts.
     *
     * @param device id of its node
     * @param problem its model
     * @param parameterBytes by layer, bytes of its weights
     * @param cell that it sends in, see InferenceJob
     */
    void AddDevice(uint32_t device,
                   TwoWayCutProblem problem,
                   std::vector<uint64_t> parameterBytes,
                   uint32_t cell = 0)
    {
        m_clients[device] = {std::move(problem), std::move(parameterBytes), {}, {}, 1, cell};
    }

    /** @return which frames wait for what, in words; empty if none does */
    std::string DescribeWait() const override;

    /**
     * TracedCallback signature of the frame trace sources.
     *
     * @param [in] device whose frame
     * @param [in] frame which one, from 0
     */
    typedef void (*FrameTracedCallback)(uint32_t device, uint64_t frame);

  private:
    /// Least backlog where no frame has come.
    static constexpr double NONE = std::numeric_limits<double>::infinity();

    /** A plan of a device. */
    struct Plan
    {
        uint64_t firstFrame;  //!< first frame that it is for
        InferenceSplit split; //!< how to carry it out
    };

    /** What is known of a device. */
    struct Client
    {
        TwoWayCutProblem problem;               //!< its model
        std::vector<uint64_t> parameterBytes;   //!< by layer
        std::deque<Plan> plans;                 //!< those that frames may still come under
        std::map<uint64_t, std::size_t> frames; //!< tensors that have arrived, by frame
        double toldShare{1};                    //!< see ServerLoad, as told last
        uint32_t cell{0};                       //!< that it sends in; 0: none
        double seconds{0};                      //!< work of its frames
        double bytes{0};                        //!< payload that it has sent
        Time lastWork{Time::Min()};             //!< when its last frame arrived
        Time lastBytes{Time::Min()};            //!< when its last bytes arrived
        Time told{Time::Min()};                 //!< when told of the others last, or asked first
        double toldSeconds{0};                  //!< work of the others by then
        double toldBytes{0};                    //!< payload of the others in its cell by then
    };

    void StopApplication() override
    {
        m_clients.clear();
    }

    void Receive(const Message& message) override;

    /**
     * @param device whose frame
     * @param frame a tensor of which has arrived
     */
    void TakeTensor(uint32_t device, uint64_t frame);

    /**
     * Send a device a message.
     *
     * @param device its id
     * @param tag what it is
     * @param bytes payload
     * @param body real bytes; may be empty
     */
    void Tell(uint32_t device,
              const InferenceTag& tag,
              uint64_t bytes,
              const std::string& body = "")
    {
        m_socket.Send(device, INFERENCE_DEVICE_PORT, tag.Pack(), bytes, body);
    }

    /**
     * Tell a device the load.
     * @param device the device
     */
    void TellLoad(uint32_t device)
    {
        const double share = m_compute->GetAvailableShare();
        m_clients[device].toldShare = share;
        const std::string body = WriteBody(ServerLoad{share});
        Tell(device, {InferenceTag::LOAD}, INFERENCE_NOTICE_BYTES + body.size(), body);
    }

    /** End the present period if it is over. */
    void TurnPeriod();

    /** Count what waits or runs on the server, as a frame finds it. */
    void CountBacklog()
    {
        TurnPeriod();
        m_leastBacklog[1] = std::min(m_leastBacklog[1], m_compute->GetBacklogSeconds());
    }

    /**
     * Tell a device what the others take, unless it asks for the first time.
     * @param device the device
     */
    void TellSharing(uint32_t device);
    double m_loadThreshold;               //!< relative change of load that a device is told
    Time m_sharingPeriod;                 //!< least time between two ServerSharing for a device
    std::map<uint32_t, Client> m_clients; //!< by device
    Time m_periodStart;                   //!< of the present period
    std::array<double, 2> m_leastBacklog{{NONE, NONE}}; //!< of the last period, of the present one
    double m_seconds{0};                                //!< work of all
    std::map<uint32_t, double> m_cellBytes;             //!< payload of all, by cell

    /// Fires when all tensors of a frame have arrived.
    TracedCallback<uint32_t /* device */, uint64_t /* frame */> m_uploadedTrace;
    /// Fires when the server's part of a frame is computed.
    TracedCallback<uint32_t /* device */, uint64_t /* frame */> m_servedTrace;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_INFERENCE_SERVER_H */
