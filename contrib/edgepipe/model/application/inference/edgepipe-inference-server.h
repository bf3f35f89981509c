/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_INFERENCE_SERVER_H
#define EDGEPIPE_INFERENCE_SERVER_H

#include "ns3/edgepipe-compute-device.h"
#include "ns3/edgepipe-edge-application.h"
#include "ns3/edgepipe-inference-split.h"
#include "ns3/edgepipe-server-use.h"
#include "ns3/edgepipe-tensor-socket.h"
#include "ns3/edgepipe-two-way-cut-problem.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
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
 * asked for it is also told what the others take (ServerSharing), as soon as a frame of its own has
 * arrived after SharingPeriod.
 */
class InferenceServer : public EdgeApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

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
                   uint32_t cell = 0);

    /** @return which frames wait for what, in words; empty if none does */
    std::string DescribeWait() const override;

    /**
     * TracedCallback signature of the frame trace sources.
     *
     * @param [in] device whose frame
     * @param [in] frame which one, from 0
     */
    typedef void (*FrameTracedCallback)(uint32_t device, uint64_t frame);

  protected:
    void DoDispose() override;

  private:
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
    };

    void StartApplication() override;
    void StopApplication() override;

    /**
     * A message for the server has arrived.
     * @param message the message
     */
    void Receive(const Message& message);
    /**
     * @param device whose plan
     * @param message the plan
     */
    void TakePlan(uint32_t device, const Message& message);
    /**
     * @param device whose frame
     * @param frame a tensor of which has arrived
     */
    void TakeTensor(uint32_t device, uint64_t frame);
    /**
     * Send weights that a device lacks.
     * @param device the device
     * @param message its request
     */
    void SendWeights(uint32_t device, const Message& message);
    /**
     * Tell a device the load.
     * @param device the device
     */
    void TellLoad(uint32_t device);
    /**
     * Count a frame that has arrived among what its device takes, and tell the device of the others
     * if it is time.
     * @param device whose frame
     * @param seconds of work that it is
     */
    void CountFrame(uint32_t device, double seconds);
    /**
     * Tell a device what the others take, unless it asks for the first time.
     * @param device the device
     */
    void TellSharing(uint32_t device);
    /**
     * The server's part of a frame is computed.
     * @param device whose frame
     * @param frame which one
     * @param resultBytes what comes of it
     */
    void FinishPart(uint32_t device, uint64_t frame, uint64_t resultBytes);

    double m_loadThreshold;               //!< relative change of load that a device is told
    Time m_sharingPeriod;                 //!< least time between two ServerSharing for a device
    ServerUse m_use;                      //!< what devices take
    TensorSocket m_socket;                //!< moves messages
    Ptr<ComputeDevice> m_compute;         //!< runs tasks
    std::map<uint32_t, Client> m_clients; //!< by device

    /// Fires when all tensors of a frame have arrived.
    TracedCallback<uint32_t /* device */, uint64_t /* frame */> m_uploadedTrace;
    /// Fires when the server's part of a frame is computed.
    TracedCallback<uint32_t /* device */, uint64_t /* frame */> m_servedTrace;
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_INFERENCE_SERVER_H */
