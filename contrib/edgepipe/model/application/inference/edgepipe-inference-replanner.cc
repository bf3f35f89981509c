/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-inference-replanner.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/edgepipe-inference-message.h"
#include "ns3/edgepipe-time.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <cmath>
#include <utility>

namespace ns3
{
namespace edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeInferenceReplanner");

NS_OBJECT_ENSURE_REGISTERED(InferenceReplanner);

TypeId
InferenceReplanner::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::edgepipe::InferenceReplanner")
            .SetParent<Object>()
            .SetGroupName("Edgepipe")
            .AddConstructor<InferenceReplanner>()
            .AddAttribute("Replan",
                          "Whether to decide anew during the run.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&InferenceReplanner::m_replan),
                          MakeBooleanChecker())
            .AddAttribute("ReplanThreshold",
                          "Relative change of a bandwidth, from what the last decision was made "
                          "for, above which a decision is due.",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&InferenceReplanner::m_threshold),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("ReplanPeriod",
                          "Time after which a decision is due anyway; 0: never.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&InferenceReplanner::m_period),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("FixedPlanningTime",
                          "What a decision costs the device whatever the planner took.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&InferenceReplanner::m_fixedTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("PlanningScale",
                          "What a decision costs the device over the wall-clock time that the "
                          "planner took here; 0: nothing.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&InferenceReplanner::m_scale),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("BothHoldModel",
                          "Whether both sides hold all weights from the start.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&InferenceReplanner::m_bothHoldModel),
                          MakeBooleanChecker())
            .AddTraceSource("Bandwidth",
                            "The monitor has a new estimate; also the first, at the start.",
                            MakeTraceSourceAccessor(&InferenceReplanner::m_bandwidthTrace),
                            "ns3::edgepipe::InferenceReplanner::BandwidthTracedCallback");
    return tid;
}

void
InferenceReplanner::DoDispose()
{
    m_nextPeriod.Cancel();
    if (m_monitor)
    {
        m_monitor->Dispose();
    }
    m_monitor = nullptr;
    m_compute = nullptr;
    m_socket = TensorSocket();
    m_changed = PlanCallback();
    Object::DoDispose();
}

void
InferenceReplanner::Start(const TensorSocket& socket,
                          Ptr<ComputeDevice> compute,
                          const InferenceJob& job,
                          PlanCallback changed)
{
    m_socket = socket;
    m_server = job.server;
    m_compute = compute;
    m_decider = std::make_unique<CutDecider>(job.problem, job.planner);
    m_parameterBytes = job.parameterBytes;
    m_monitor = job.monitor;
    m_changed = changed;
    m_uplink = job.problem.uplinkBitsPerSecond;
    m_downlink = job.problem.downlinkBitsPerSecond;
    const CutDecision decision = m_decider->Decide(m_uplink, m_downlink);
    ++m_decisions;
    m_plan = {m_socket.GetNode(),
              Time(),
              Time(),
              m_uplink,
              m_downlink,
              decision.plan,
              decision.predictedSeconds,
              decision.decisionSeconds,
              decision.uplinkBytes};
    m_isOnDevice = decision.plan.isOnDevice;
    m_isOnServer = m_isOnDevice;
    m_isOnServer.flip();
    m_bandwidthTrace(m_uplink, m_downlink);
    m_monitor->Start({m_socket.GetNode(), m_server, m_socket.GetTransport(), job.capacity},
                     m_uplink,
                     m_downlink,
                     MakeCallback(&InferenceReplanner::NoticeBandwidth, this));
    if (m_replan && m_period.IsStrictlyPositive())
    {
        m_nextPeriod = Simulator::Schedule(m_period, &InferenceReplanner::NoticePeriod, this);
    }
    m_changed(m_plan);
}

void
InferenceReplanner::Stop()
{
    m_nextPeriod.Cancel();
    m_monitor->Stop();
    m_changed = PlanCallback();
}

void
InferenceReplanner::NoticeBandwidth(double uplinkBitsPerSecond, double downlinkBitsPerSecond)
{
    m_bandwidthTrace(uplinkBitsPerSecond, downlinkBitsPerSecond);
    DecideIfDue();
}

void
InferenceReplanner::NoticePeriod()
{
    m_nextPeriod = Simulator::Schedule(m_period, &InferenceReplanner::NoticePeriod, this);
    m_isPeriodOver = true;
    m_monitor->Refresh();
    DecideIfDue();
}

void
InferenceReplanner::DecideIfDue()
{
    if (!m_replan || m_isDeciding || m_changed.IsNull())
    {
        return;
    }
    const double up = m_monitor->GetUplinkBitsPerSecond();
    const double down = m_monitor->GetDownlinkBitsPerSecond();
    if (m_isPeriodOver || std::abs(up - m_uplink) > m_threshold * m_uplink ||
        std::abs(down - m_downlink) > m_threshold * m_downlink)
    {
        m_isPeriodOver = false;
        m_uplink = up;
        m_downlink = down;
        Decide();
    }
}

void
InferenceReplanner::Decide()
{
    NS_LOG_FUNCTION(this << m_uplink << m_downlink);
    m_isDeciding = true;
    ++m_decisions;
    const CutDecision decision = m_decider->Decide(m_uplink, m_downlink);
    const PlanRecord plan{m_socket.GetNode(),
                          Time(),
                          Time(),
                          m_uplink,
                          m_downlink,
                          decision.plan,
                          decision.predictedSeconds,
                          decision.decisionSeconds,
                          decision.uplinkBytes};
    const auto take = [self = Ptr<InferenceReplanner>(this), plan] {
        if (plan.plan.isOnDevice == self->m_plan.plan.isOnDevice || self->m_changed.IsNull())
        {
            self->Settle();
            return;
        }
        self->m_plan = plan;
        self->m_plan.decided = Simulator::Now();
        self->Prepare();
    };
    const double seconds = m_fixedTime.GetSeconds() + m_scale * decision.decisionSeconds;
    if (seconds > 0)
    {
        m_compute->Run(InferenceTag{InferenceTag::PLANNING, 0, m_socket.GetNode()}.Pack(),
                       seconds,
                       Callback<void>(take));
        return;
    }
    // The estimate may come from within a transport's or another application's callback.
    Simulator::ScheduleNow(take);
}

void
InferenceReplanner::Prepare()
{
    const std::vector<bool>& isOnDevice = m_plan.plan.isOnDevice;
    std::vector<bool> up(isOnDevice.size(), false);
    std::vector<bool> down(isOnDevice.size(), false);
    uint64_t upBytes = 0;
    bool isFetchNeeded = false;
    for (std::size_t i = 0; i < isOnDevice.size() && !m_bothHoldModel; ++i)
    {
        down[i] = isOnDevice[i] && !m_isOnDevice[i] && m_parameterBytes[i] > 0;
        up[i] = !isOnDevice[i] && !m_isOnServer[i] && m_parameterBytes[i] > 0;
        isFetchNeeded = isFetchNeeded || down[i];
        upBytes += up[i] ? m_parameterBytes[i] : 0;
        (isOnDevice[i] ? m_isOnDevice : m_isOnServer)[i] = true;
    }
    if (upBytes > 0)
    {
        Send(InferenceTag::WEIGHTS, up, upBytes);
    }
    if (isFetchNeeded)
    {
        m_isFetching = true;
        Send(InferenceTag::FETCH, down, 0);
        return;
    }
    Use();
}

void
InferenceReplanner::TakeWeights()
{
    m_isFetching = false;
    Use();
}

void
InferenceReplanner::Use()
{
    if (!m_changed.IsNull())
    {
        m_changed(m_plan);
    }
    Settle();
}

void
InferenceReplanner::Settle()
{
    m_isDeciding = false;
    DecideIfDue();
}

void
InferenceReplanner::Send(uint8_t kind, const std::vector<bool>& isIncluded, uint64_t weightBytes)
{
    const std::string body = InferenceLayers{0, isIncluded}.ToBytes();
    m_socket.Send(m_server,
                  INFERENCE_SERVER_PORT,
                  InferenceTag{static_cast<InferenceTag::Kind>(kind)}.Pack(),
                  body.size() + weightBytes,
                  body);
}

const PlanRecord&
InferenceReplanner::GetPlan() const
{
    return m_plan;
}

const TwoWayCutProblem&
InferenceReplanner::GetProblem() const
{
    return m_decider->GetProblem();
}

uint64_t
InferenceReplanner::GetDecisions() const
{
    return m_decisions;
}

std::string
InferenceReplanner::DescribeWait() const
{
    return m_isFetching ? "the next plan waits for weights from the server" : "";
}

} // namespace edgepipe
} // namespace ns3
