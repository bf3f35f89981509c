/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_INFERENCE_DEVICE_H
#define EDGEPIPE_INFERENCE_DEVICE_H

#include "ns3/edgepipe-cut-decider.h"
#include "ns3/edgepipe-edge-application.h"
#include "ns3/edgepipe-inference-replanner.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * The end device of cooperative inference: takes frames, runs its layers, sends what crosses.
 *
 * A frame is computed as one task, then every tensor that crosses is sent, as a message of its
 * own, once. It ends when the device has computed its part and the server's results, if the server
 * has a part, have arrived. The next frame is computed meanwhile, so frames pipeline across
 * device, link and server.
 *
 * With FramesPerSecond above 0 a camera takes frames at that rate, from when the server has
 * answered the first plan. One that finds the device computing waits; one that finds QueueFrames
 * waiting is dropped. A computed frame is written to the transport, and dropped if QueueFrames
 * frames wait behind the one that is being written: that whose last byte has yet to find room in
 * the send buffer. What is in that buffer is out of the device's hands. Frames arrived = ended +
 * dropped + under way. With a rate of 0 a frame is taken whenever the device is free and fewer than
 * FramesInFlight have begun and not ended; none is dropped.
 *
 * A frame belongs to the plan in force when it is begun. A new plan is told to the server with the
 * number of the first frame that it is for, ahead of that frame's tensors.
 */
class InferenceDevice : public EdgeApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    InferenceDevice();

    /**
     * Say what is inferred; before the application starts.
     *
     * @param job with a server that serves this device
     */
    void SetJob(InferenceJob job)
    {
        m_replanner->SetJob(std::move(job));
    }

    /** @return what decides for the device */
    Ptr<InferenceReplanner> GetReplanner() const
    {
        return m_replanner;
    }

    /** @return whether every frame has ended or been dropped */
    bool IsFinished() const
    {
        return m_ended == m_frames;
    }

    /** @return what it waits for, in words; empty if it waits for nothing */
    std::string DescribeWait() const override;

    /**
     * TracedCallback signature of the frame trace sources.
     *
     * @param [in] frame which one, from 0
     */
    typedef void (*FrameTracedCallback)(uint64_t frame);

    /**
     * TracedCallback signature of the trace source PlanChange.
     *
     * @param [in] plan what the next frames are begun under
     */
    typedef void (*PlanTracedCallback)(const PlanRecord& plan);

  protected:
    void DoDispose() override
    {
        m_camera.Cancel();
        m_replanner->Dispose();
        EdgeApplication::DoDispose();
    }

  private:
    /** Where a frame is. */
    enum Phase
    {
        COMPUTING,
        SENDING,
        AWAITING_RESULT,
    };

    /** A frame that has begun and not ended. */
    struct Flight
    {
        std::shared_ptr<const InferenceSplit> split; //!< what it is computed by
        Phase phase;                                 //!< where it is
        std::size_t unsent;                          //!< tensors that have yet to arrive
    };

    void StartApplication() override;

    void StopApplication() override
    {
        m_isStopped = true;
        m_camera.Cancel();
        m_replanner->Stop();
    }

    void Receive(const Message& message) override;

    /**
     * Begin further frames under a plan, and tell the server.
     * @param plan the plan
     */
    void UsePlan(const PlanRecord& plan);
    /** The server knows the first plan: begin. */
    void Open();
    /** The camera takes a frame. */
    void TakeFrame();
    /** Have the camera take the next frame when it is due. */
    void ArmCamera();
    /** Begin a frame, if one is there and the device is free. */
    void BeginNext();
    /**
     * @param frame to compute
     */
    void Begin(uint64_t frame);
    /** The device's part of the present frame is computed. */
    void FinishPart();
    /**
     * Send what crosses.
     * @param frame a computed frame
     */
    void SendTensors(uint64_t frame);
    /**
     * @param frame that has its result
     */
    void End(uint64_t frame);

    /**
     * @param frame for which there is no room
     */
    void Drop(uint64_t frame)
    {
        m_dropTrace(frame);
        CountEnded();
    }

    /** A frame has ended or been dropped. */
    void CountEnded();

    uint64_t m_frames;                             //!< to take
    double m_framesPerSecond;                      //!< of the camera; 0: back to back
    double m_phase;                                //!< until the first frame, in intervals
    uint32_t m_framesInFlight;                     //!< back to back
    uint32_t m_queueFrames;                        //!< with a camera
    Ptr<InferenceReplanner> m_replanner;           //!< decides
    std::shared_ptr<const InferenceSplit> m_split; //!< in force
    bool m_isOpen{false};                          //!< whether the server knows the first plan
    bool m_isStopped{false};                       //!< whether no further frame begins
    Time m_opened;                                 //!< when the camera takes its first frame
    bool m_isComputing{false};                     //!< whether a frame is being computed
    uint64_t m_computing{0};                       //!< which
    std::deque<uint64_t> m_waiting;                //!< arrived and not begun
    std::map<uint64_t, Flight> m_flights;          //!< begun and not ended
    uint64_t m_sending{0};                         //!< frames not wholly in the send buffer
    uint64_t m_sendingBytes{0};                    //!< that these frames send, all of it
    uint64_t m_taken{0};                           //!< frames that have arrived
    uint64_t m_begun{0};                           //!< number of the next frame to begin
    uint64_t m_ended{0};                           //!< frames that have ended or been dropped
    EventId m_camera;                              //!< takes the next frame

    /// Fires when a frame arrives from the camera.
    TracedCallback<uint64_t /* frame */> m_arrivalTrace;
    /// Fires when a frame is dropped.
    TracedCallback<uint64_t /* frame */> m_dropTrace;
    /// Fires when a frame is begun.
    TracedCallback<uint64_t /* frame */> m_startTrace;
    /// Fires when the device's part of a frame is computed.
    TracedCallback<uint64_t /* frame */> m_computedTrace;
    /// Fires when a frame has its result.
    TracedCallback<uint64_t /* frame */> m_endTrace;
    /// Fires when frames can be begun under a new plan; also the first.
    TracedCallback<const PlanRecord& /* plan */> m_planTrace;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_INFERENCE_DEVICE_H */
