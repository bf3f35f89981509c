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
 * The end device of cooperative inference: takes frames, runs its layers, sends crossing tensors.
 *
 * The device's part of a frame is one task; then each crossing tensor is sent once, as a message of
 * its own. A frame ends when the device's part is computed and the server's results, if the server
 * has a part, have arrived. The next frame is computed meanwhile, so frames pipeline across device,
 * link and server.
 *
 * With FramesPerSecond above 0 a camera takes frames at that rate once the server has answered the
 * first plan. A frame that finds the device computing waits; one that finds QueueFrames waiting is
 * dropped. A computed frame is written to the transport, or dropped if QueueFrames frames wait
 * behind the one being written, whose last byte is not in the send buffer yet. Frames in that
 * buffer can no longer be dropped. Frames arrived = ended + dropped + under way. With a rate of 0 a
 * frame is taken whenever the device is free and fewer than FramesInFlight have started but not
 * ended; none is dropped.
 *
 * A frame uses the plan in force when it starts. A new plan is sent to the server with the number
 * of its first frame, ahead of that frame's tensors.
 */
class InferenceDevice : public Typed<InferenceDevice, EdgeApplication>
{
  public:
    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    InferenceDevice();

    /**
     * Set the job; call before the application starts.
     *
     * @param job a job whose server serves this device
     */
    void SetJob(InferenceJob job)
    {
        m_replanner->SetJob(std::move(job));
    }

    /** @return the device's replanner */
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
     * @param [in] frame its number, from 0
     */
    typedef void (*FrameTracedCallback)(uint64_t frame);

    /**
     * TracedCallback signature of the trace source PlanChange.
     *
     * @param [in] plan plan of the next frames
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
    /** Progress of a frame. */
    enum Phase
    {
        COMPUTING,
        SENDING,
        AWAITING_RESULT,
    };

    /** A frame that has started but not ended. */
    struct Flight
    {
        std::shared_ptr<const InferenceSplit> split; //!< plan it runs under
        Phase phase;                                 //!< its progress
        std::size_t unsent;                          //!< tensors yet to reach the server
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
     * Start further frames under a plan, and send it to the server.
     * @param plan the plan
     */
    void UsePlan(const PlanRecord& plan);
    /** The server has the first plan: start taking frames. */
    void Open();
    /** The camera takes a frame. */
    void TakeFrame();
    /** Schedule the camera's next frame. */
    void ArmCamera();
    /** Start a frame if there is one and the device is free. */
    void BeginNext();
    /**
     * @param frame to compute
     */
    void Begin(uint64_t frame);
    /** The device's part of the present frame is computed. */
    void FinishPart();
    /**
     * Send the crossing tensors.
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

    uint64_t m_frames;                             //!< frames to take
    double m_framesPerSecond;                      //!< camera rate; 0: back to back
    double m_phase;                                //!< delay of the first frame, in frame intervals
    uint32_t m_framesInFlight;                     //!< most frames in flight, back to back
    uint32_t m_queueFrames;                        //!< most frames in a queue, with a camera
    Ptr<InferenceReplanner> m_replanner;           //!< makes the plans
    std::shared_ptr<const InferenceSplit> m_split; //!< plan in force
    bool m_isOpen{false};                          //!< whether the server has the first plan
    bool m_isStopped{false};                       //!< whether no further frame starts
    Time m_opened;                                 //!< when the camera takes its first frame
    bool m_isComputing{false};                     //!< whether a frame is being computed
    uint64_t m_computing{0};                       //!< its number
    std::deque<uint64_t> m_waiting;                //!< arrived but not started
    std::map<uint64_t, Flight> m_flights;          //!< started but not ended
    uint64_t m_sending{0};                         //!< frames not fully in the send buffer
    uint64_t m_sendingBytes{0};                    //!< total size of their tensors
    uint64_t m_taken{0};                           //!< frames that have arrived
    uint64_t m_begun{0};                           //!< number of the next frame to start
    uint64_t m_ended{0};                           //!< frames that have ended or been dropped
    EventId m_camera;                              //!< takes the next frame

    /// Fires when a frame arrives from the camera.
    TracedCallback<uint64_t /* frame */> m_arrivalTrace;
    /// Fires when a frame is dropped.
    TracedCallback<uint64_t /* frame */> m_dropTrace;
    /// Fires when a frame starts.
    TracedCallback<uint64_t /* frame */> m_startTrace;
    /// Fires when the device's part of a frame is computed.
    TracedCallback<uint64_t /* frame */> m_computedTrace;
    /// Fires when a frame has its result.
    TracedCallback<uint64_t /* frame */> m_endTrace;
    /// Fires when frames can start under a new plan, including the first.
    TracedCallback<const PlanRecord& /* plan */> m_planTrace;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_INFERENCE_DEVICE_H */
