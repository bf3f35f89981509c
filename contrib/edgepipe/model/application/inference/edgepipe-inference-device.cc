/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-inference-device.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-ranges.h"
#include "ns3/edgepipe-time.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

namespace ns3::edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeInferenceDevice");

NS_OBJECT_ENSURE_REGISTERED(InferenceDevice);

TypeId
InferenceDevice::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("Replanner",
             "Makes the device's plans.",
             {&InferenceDevice::m_replanner, TypeId::ATTR_GET})
        .Add("Frames", "Frames to take.", {&InferenceDevice::m_frames, 100, 1, UINT32_MAX})
        .Add("FramesPerSecond",
             "Rate of the camera, frames/s; 0: back to back.",
             {&InferenceDevice::m_framesPerSecond, 0, 0, 1e6})
        .Add("Phase",
             "Delay of the camera's first frame after the server has answered the first plan, "
             "as a share of the time between two frames.",
             {&InferenceDevice::m_phase, 0, 0, 1})
        .Add("FramesInFlight",
             "Back to back: most frames that have started but not ended.",
             {&InferenceDevice::m_framesInFlight, 1, 1, 1000000})
        .Add("QueueFrames",
             "With a camera: most frames that wait for the device, and for the uplink.",
             {&InferenceDevice::m_queueFrames, 1, 0, 1000000})
        .Add("FrameArrival",
             "A frame arrives from the camera.",
             {&InferenceDevice::m_arrivalTrace, "Frame"})
        .Add("FrameDrop",
             "A queue has no room for a frame.",
             {&InferenceDevice::m_dropTrace, "Frame"})
        .Add("FrameStart", "A frame starts.", {&InferenceDevice::m_startTrace, "Frame"})
        .Add("FrameComputed",
             "The device's part of a frame is computed.",
             {&InferenceDevice::m_computedTrace, "Frame"})
        .Add("FrameEnd", "A frame has its result.", {&InferenceDevice::m_endTrace, "Frame"})
        .Add("PlanChange",
             "Frames can start under a new plan, including the first.",
             {&InferenceDevice::m_planTrace, "Plan"});
}

InferenceDevice::InferenceDevice()
    : Typed(INFERENCE_DEVICE_PORT),
      m_replanner(CreateObject<InferenceReplanner>())
{
}

void
InferenceDevice::StartApplication()
{
    NS_ABORT_MSG_UNLESS(m_replanner->GetJob().planner, "an inference device needs a job");
    EdgeApplication::StartApplication();
    m_replanner->Start(m_socket, m_compute, MakeCallback(&InferenceDevice::UsePlan, this));
}

void
InferenceDevice::Receive(const Message& message)
{
    const InferenceTag tag = InferenceTag::Unpack(message.tag);
    NS_LOG_LOGIC("device " << m_socket.GetNode() << ": " << tag.Describe());
    switch (tag.kind)
    {
    case InferenceTag::READY:
        Open();
        break;
    case InferenceTag::WEIGHTS:
        m_replanner->TakeWeights();
        break;
    case InferenceTag::RESULT:
        End(tag.frame);
        break;
    case InferenceTag::LOAD:
        m_replanner->TakeServerShare(ReadBody<ServerLoad>(message.body).share);
        break;
    case InferenceTag::SHARING:
        m_replanner->TakeSharing(ReadBody<ServerSharing>(message.body));
        break;
    default:
        NS_ABORT_MSG("a device cannot use " << tag.Describe());
    }
}

void
InferenceDevice::UsePlan(const PlanRecord& plan)
{
    m_split = std::make_shared<const InferenceSplit>(
        MakeInferenceSplit(m_replanner->GetJob().executed.value_or(m_replanner->GetProblem()),
                           plan.plan));
    const std::string body = InferenceLayers{m_begun, plan.plan.isOnDevice}.ToBytes();
    m_socket.Send(m_replanner->GetJob().server,
                  INFERENCE_SERVER_PORT,
                  InferenceTag{InferenceTag::PLAN}.Pack(),
                  body.size(),
                  body);
    if (m_isOpen)
    {
        PlanRecord inForce = plan;
        inForce.inForce = Simulator::Now();
        m_planTrace(inForce);
    }
}

void
InferenceDevice::Open()
{
    if (m_isStopped)
    {
        return;
    }
    m_isOpen = true;
    PlanRecord inForce = m_replanner->GetPlan();
    inForce.inForce = Simulator::Now();
    m_planTrace(inForce);
    if (m_framesPerSecond > 0)
    {
        m_opened = Simulator::Now() + RoundSeconds(m_phase / m_framesPerSecond);
        ArmCamera();
    }
    else
    {
        BeginNext();
    }
}

void
InferenceDevice::TakeFrame()
{
    const uint64_t frame = m_taken++;
    m_arrivalTrace(frame);
    ArmCamera();
    if (m_isComputing && m_waiting.size() >= m_queueFrames)
    {
        Drop(frame);
        return;
    }
    m_waiting.push_back(frame);
    BeginNext();
}

void
InferenceDevice::ArmCamera()
{
    if (m_taken < m_frames)
    {
        const Time due = m_opened + RoundSeconds(m_taken / m_framesPerSecond);
        m_camera = Simulator::Schedule(due - Simulator::Now(), &InferenceDevice::TakeFrame, this);
    }
}

void
InferenceDevice::BeginNext()
{
    if (m_isComputing || !m_isOpen || m_isStopped)
    {
        return;
    }
    if (!m_waiting.empty())
    {
        const uint64_t frame = m_waiting.front();
        m_waiting.pop_front();
        Begin(frame);
    }
    else if (m_framesPerSecond == 0 && m_taken < m_frames && m_flights.size() < m_framesInFlight)
    {
        const uint64_t frame = m_taken++;
        m_arrivalTrace(frame);
        Begin(frame);
    }
}

void
InferenceDevice::Begin(uint64_t frame)
{
    m_isComputing = true;
    m_computing = frame;
    m_begun = frame + 1;
    m_flights[frame] = {m_split, COMPUTING, m_split->uplink.size()};
    m_startTrace(frame);
    m_compute->Run(
        InferenceTag{InferenceTag::DEVICE_PART, static_cast<uint32_t>(frame), m_socket.GetNode()}
            .Pack(),
        m_split->deviceSeconds,
        MakeCallback(&InferenceDevice::FinishPart, this),
        m_socket.GetJob(),
        false,
        GetStretch(frame, m_split->plan.isOnDevice, LayerReplay::FORWARD));
}

void
InferenceDevice::FinishPart()
{
    const uint64_t frame = m_computing;
    m_isComputing = false;
    m_computedTrace(frame);
    if (m_flights[frame].unsent == 0)
    {
        End(frame);
    }
    else if (m_framesPerSecond > 0 && m_sending > m_queueFrames)
    {
        m_flights.erase(frame);
        Drop(frame);
    }
    else
    {
        SendTensors(frame);
    }
    BeginNext();
}

void
InferenceDevice::SendTensors(uint64_t frame)
{
    Flight& flight = m_flights[frame];
    flight.phase = SENDING;
    ++m_sending;
    const auto bytes = Sum(flight.split->uplink, [](const auto& tensor) { return tensor.bytes; });
    m_sendingBytes += bytes;
    for (const auto& tensor : flight.split->uplink)
    {
        const InferenceTag tag{InferenceTag::TENSOR, static_cast<uint32_t>(frame), tensor.layer};
        m_socket.Send(m_replanner->GetJob().server,
                      INFERENCE_SERVER_PORT,
                      tag.Pack(),
                      tensor.bytes,
                      "",
                      Callback<void>([this, frame] {
                          Flight& sent = m_flights[frame];
                          sent.phase = --sent.unsent > 0 ? SENDING : AWAITING_RESULT;
                      }),
                      &tensor == &flight.split->uplink.back() ? Callback<void>([this, bytes] {
                          --m_sending;
                          m_sendingBytes -= bytes;
                      })
                                                              : TensorTransport::SentCallback());
    }
}

void
InferenceDevice::End(uint64_t frame)
{
    m_flights.erase(frame);
    m_endTrace(frame);
    m_replanner->NoticeFrame(m_waiting.size(), m_sendingBytes);
    CountEnded();
    BeginNext();
}

void
InferenceDevice::CountEnded()
{
    if (++m_ended == m_frames)
    {
        m_replanner->Stop();
        NotifyFinished();
    }
}

std::string
InferenceDevice::DescribeWait() const
{
    if (IsFinished())
    {
        return "";
    }
    if (!m_isOpen)
    {
        return "waits for the server to answer its first plan";
    }
    std::string text;
    for (const auto& [frame, flight] : m_flights)
    {
        const std::string unsent = std::to_string(flight.unsent) + " of " +
                                   std::to_string(flight.split->uplink.size()) +
                                   " tensors to reach the server";
        text += (text.empty() ? "frame " : ", frame ") + std::to_string(frame) + " waits for " +
                (flight.phase == COMPUTING ? "the device to compute its part"
                 : flight.phase == SENDING ? unsent
                                           : "the server's result");
    }
    const std::string weights = m_replanner->DescribeWait();
    return text + (text.empty() || weights.empty() ? "" : ", ") + weights;
}

} // namespace ns3::edgepipe
