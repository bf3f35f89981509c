/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-actor-device.h"

#include "ns3/abort.h"
#include "ns3/edgepipe-attributes.h"
#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"

namespace ns3::edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeActorDevice");

NS_OBJECT_ENSURE_REGISTERED(ActorDevice);

TypeId
ActorDevice::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("JoinAtStart",
             "Whether the actor joins when the application starts; otherwise on Join.",
             {&ActorDevice::m_joinsAtStart, true})
        .Add("Reporter",
             "Triggers reports on the actor's link and load.",
             {&ActorDevice::m_reporter, TypeId::ATTR_GET})
        .Add("EnvironmentSeconds",
             "Time of an environment step on the actor's idle processor, s.",
             {StringValue("ns3::ConstantRandomVariable[Constant=0.1]"),
              MakePointerAccessor(&ActorDevice::m_environmentSeconds),
              MakePointerChecker<RandomVariableStream>()})
        .Add("Unroll", "Steps per trajectory.", {&ActorDevice::m_unroll, 20, 1, ActorTag::RELEASE})
        .Add("StepBytes", "Bytes of a step in a trajectory.", {&ActorDevice::m_stepBytes, 28224})
        .Add("MostTrajectories",
             "Most trajectories in transit; at this limit no new step begins.",
             {&ActorDevice::m_mostTrajectories, 4, 1})
        .Add("StepBegin", "A step begins.", {&ActorDevice::m_beginTrace, "Begin"})
        .Add("StepEnd", "A step has ended.", {&ActorDevice::m_endTrace, "Step"});
}

ActorDevice::ActorDevice()
    : Typed(ACTOR_PORT),
      m_reporter(CreateObject<Replanner>())
{
}

void
ActorDevice::SetUp(uint32_t server, const MultiActorModel& model, const MultiActor& actor)
{
    m_server = server;
    m_outputBytes = model.outputBytes;
    m_seconds.assign(1, 0);
    uint64_t flop = 0;
    for (std::size_t i = 0; i < model.layerFlop.size(); ++i)
    {
        flop += model.layerFlop[i];
        m_seconds.push_back(actor.layerSeconds.empty() ? flop / actor.flopPerSecond
                                                       : m_seconds.back() + actor.layerSeconds[i]);
    }
}

void
ActorDevice::DoDispose()
{
    m_reporter->Dispose();
    m_reports = false;
    if (m_isWatching)
    {
        m_monitor->Dispose();
    }
    m_monitor = nullptr;
    m_capacity = nullptr;
    m_first = nullptr;
    EdgeApplication::DoDispose();
}

void
ActorDevice::StartApplication()
{
    NS_ABORT_MSG_IF(m_seconds.empty(), "SetUp was not called");
    EdgeApplication::StartApplication();
    if (m_joinsAtStart)
    {
        Join();
    }
}

void
ActorDevice::StopApplication()
{
    m_reporter->Stop();
    m_reports = false;
    if (m_isWatching)
    {
        m_monitor->Stop();
    }
    Leave();
}

void
ActorDevice::Join()
{
    NS_ABORT_MSG_UNLESS(m_compute, "an actor joins before its application starts");
    NS_ABORT_MSG_IF(m_isIn, "actor " << m_socket.GetNode() << " joins while it is in");
    m_isIn = true;
    ++m_stay;
    if (m_monitor && !m_isWatching)
    {
        m_isWatching = true;
        const double first = m_first();
        m_monitor->Start({m_socket.GetNode(), m_server, m_socket.GetTransport(), m_capacity},
                         first,
                         first,
                         Callback<void, double, double>([this](double, double) { ReportIfDue(); }));
    }
    const DeviceReport report = GetReport();
    if (m_monitor)
    {
        m_reporter->SetFigures({report.share, report.uplinkBitsPerSecond});
        m_reporter->Watch([this] {
            m_monitor->Refresh();
            ReportIfDue();
        });
    }
    m_reports = bool(m_monitor); // no report before the join message
    const std::string body = WriteBody(report);
    Send({ActorTag::JOIN, m_stay}, std::max<uint64_t>(ACTOR_NOTICE_BYTES, body.size()), {}, body);
}

DeviceReport
ActorDevice::GetReport() const
{
    DeviceReport report;
    report.share = m_compute->GetMeasuredShare();
    if (m_monitor)
    {
        report.uplinkBitsPerSecond = m_monitor->GetUplinkBitsPerSecond();
        report.downlinkBitsPerSecond = m_monitor->GetDownlinkBitsPerSecond();
    }
    return report;
}

void
ActorDevice::ReportIfDue()
{
    if (!m_reports || m_isReporting)
    {
        return;
    }
    const DeviceReport report = GetReport();
    // Eq. 6 has one rate for both directions.
    if (!m_reporter->TakeIfDue({report.share, report.uplinkBitsPerSecond}))
    {
        return;
    }
    m_isReporting = true;
    const std::string body = WriteBody(report);
    Send({ActorTag::REPORT, m_stay},
         std::max<uint64_t>(ACTOR_NOTICE_BYTES, body.size()),
         Callback<void>([self = Ptr<ActorDevice>(this)] {
             self->m_isReporting = false;
             self->ReportIfDue();
         }),
         body);
}

void
ActorDevice::Receive(const Message& message)
{
    const ActorTag tag = ActorTag::Unpack(message.tag);
    NS_LOG_LOGIC("actor " << m_socket.GetNode() << ": " << tag.Describe());
    switch (tag.kind)
    {
    case ActorTag::CUT:
        if (m_isIn && tag.number == m_stay)
        {
            m_next = tag.index;
            m_lacks = tag.index != ActorTag::RELEASE && tag.index > m_layers;
            BeginNext();
        }
        break;
    case ActorTag::PARAMETERS:
        if (m_isIn && tag.index == m_stay)
        {
            // Parameters that the pending cut needs cover its layers, other updates the present
            // layers; parameters held beyond those are now outdated.
            m_version = tag.number;
            m_layers = m_lacks ? *m_next : m_latest;
            m_lacks = false;
            BeginNext();
        }
        break;
    case ActorTag::ACTION:
        NS_ABORT_MSG_UNLESS(m_isStepping && tag.number == m_step.step,
                            "actor " << m_socket.GetNode() << " did not ask for the "
                                     << tag.Describe());
        End();
        break;
    case ActorTag::ROUND: {
        const auto others = ReadBody<ActorRoster>(message.body).others;
        m_met = m_awaited = others.size();
        for (const uint32_t other : others)
        {
            m_socket.Send(other,
                          ACTOR_PORT,
                          ActorTag{ActorTag::MEET, tag.number}.Pack(),
                          ACTOR_NOTICE_BYTES);
        }
        if (others.empty())
        {
            FinishMeeting(tag.number);
        }
        break;
    }
    case ActorTag::MEET:
        m_socket.Send(message.from,
                      ACTOR_PORT,
                      ActorTag{ActorTag::MEETING, tag.number}.Pack(),
                      ACTOR_NOTICE_BYTES + MEETING_ENTRY_BYTES * m_outputBytes.size());
        break;
    case ActorTag::MEETING:
        if (--m_awaited == 0)
        {
            FinishMeeting(tag.number);
        }
        break;
    default:
        NS_ABORT_MSG("an actor cannot use " << tag.Describe());
    }
}

void
ActorDevice::BeginNext()
{
    if (!m_isIn || m_isStepping)
    {
        return;
    }
    if (m_isLeaving)
    {
        SendTrajectory();
        m_reporter->Stop();
        m_reports = false;
        Send({ActorTag::LEAVE, m_stay}, ACTOR_NOTICE_BYTES);
        m_isIn = false;
        m_isLeaving = false;
        m_cut.reset();
        m_next.reset();
        m_lacks = false;
        m_layers = 0;
        m_latest = 0;
        return;
    }
    if (m_next && !m_lacks)
    {
        const uint32_t told = *m_next;
        m_next.reset();
        m_cut.reset();
        if (told != ActorTag::RELEASE)
        {
            m_cut = told;
            m_latest = told;
        }
        Send({ActorTag::TAKEN, m_stay, told}, ACTOR_NOTICE_BYTES);
    }
    if (!m_cut || m_isResting || m_trajectories >= m_mostTrajectories)
    {
        return;
    }
    m_isStepping = true;
    m_step = StepRecord();
    m_step.actor = m_socket.GetNode();
    m_step.step = m_steps++;
    m_step.cut = *m_cut;
    m_step.actorVersion = m_version;
    m_step.begun = Simulator::Now();
    m_beginTrace(m_step.actor);
    m_compute->Run(ActorTag{ActorTag::ENVIRONMENT, m_step.step}.Pack(),
                   std::max(0.0, m_environmentSeconds->GetValue()),
                   MakeCallback(&ActorDevice::Observe, this),
                   m_socket.GetJob());
}

void
ActorDevice::Observe()
{
    ReportIfDue();
    m_step.observed = Simulator::Now();
    m_step.actorVersion = m_version;
    if (m_step.cut == 0)
    {
        Compute();
        return;
    }
    m_compute->Run(ActorTag{ActorTag::ACTOR_PART, m_step.step}.Pack(),
                   m_seconds[m_step.cut],
                   MakeCallback(&ActorDevice::Compute, this),
                   m_socket.GetJob());
}

void
ActorDevice::Compute()
{
    ReportIfDue();
    m_step.computed = Simulator::Now();
    if (m_step.cut + 1 == m_seconds.size())
    {
        End();
        return;
    }
    const auto index = static_cast<uint32_t>(m_step.cut);
    Send({ActorTag::TENSOR, m_step.step, index}, m_outputBytes[index], Callback<void>([this] {
             m_step.uploaded = Simulator::Now();
         }));
}

void
ActorDevice::End()
{
    m_step.ended = Simulator::Now();
    m_isStepping = false;
    if (m_step.cut > 0)
    {
        m_collectedVersion = m_collected == 0 ? m_step.actorVersion
                                              : std::min(m_collectedVersion, m_step.actorVersion);
        if (++m_collected == m_unroll)
        {
            SendTrajectory();
        }
    }
    m_endTrace(m_step);
    BeginNext();
}

void
ActorDevice::SendTrajectory()
{
    if (m_collected == 0)
    {
        return;
    }
    ++m_trajectories;
    Send({ActorTag::TRAJECTORY, m_collectedVersion, m_collected},
         m_collected * m_stepBytes,
         Callback<void>([this] {
             --m_trajectories;
             BeginNext();
         }));
    m_collected = 0;
}

std::string
ActorDevice::GetAwaited() const
{
    if (!m_isIn || (!m_isStepping && m_isResting))
    {
        return "";
    }
    if (!m_isStepping && m_awaited > 0)
    {
        return "answers of " + std::to_string(m_awaited) + " actors that it meets";
    }
    if (!m_isStepping)
    {
        return m_trajectories >= m_mostTrajectories ? "its trajectories to reach the server"
               : m_lacks                            ? "the parameters of its layers"
               : m_cut                              ? ""
                                                    : "a cut from the server";
    }
    return m_step.observed.IsZero()   ? "the environment"
           : m_step.computed.IsZero() ? "the actor to compute its layers"
           : m_step.uploaded.IsZero() ? "its cut tensor to reach the server"
                                      : "the server's action";
}

} // namespace ns3::edgepipe
