/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-pipeline-coordinator.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <utility>

namespace ns3
{
namespace edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipePipelineCoordinator");

NS_OBJECT_ENSURE_REGISTERED(PipelineCoordinator);

TypeId
PipelineCoordinator::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::edgepipe::PipelineCoordinator")
            .SetParent<Application>()
            .SetGroupName("Edgepipe")
            .AddConstructor<PipelineCoordinator>()
            .AddAttribute("Iterations",
                          "Number of training iterations (mini-batches) to run.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&PipelineCoordinator::m_iterations),
                          MakeUintegerChecker<uint32_t>(1, (1 << 24) - 1))
            .AddTraceSource("IterationStart",
                            "The workers are told to begin an iteration.",
                            MakeTraceSourceAccessor(&PipelineCoordinator::m_iterationStartTrace),
                            "ns3::edgepipe::PipelineCoordinator::IterationTracedCallback")
            .AddTraceSource("IterationEnd",
                            "Every worker has reported the end of an iteration.",
                            MakeTraceSourceAccessor(&PipelineCoordinator::m_iterationEndTrace),
                            "ns3::edgepipe::PipelineCoordinator::IterationTracedCallback");
    return tid;
}

void
PipelineCoordinator::SetUp(uint32_t device,
                           Ptr<TensorTransport> transport,
                           std::vector<Placement> plan)
{
    m_device = device;
    m_transport = transport;
    m_plan = std::move(plan);
}

void
PipelineCoordinator::SetReplanner(Ptr<ComputeDevice> compute,
                                  Ptr<PipelineReplanner> replanner,
                                  PipelineReplanner::Task task)
{
    m_replanner = replanner;
    m_replanner->SetUp(m_device,
                       m_transport,
                       compute,
                       std::move(task),
                       [this](const std::vector<Placement>& plan) { Proceed(plan); });
}

void
PipelineCoordinator::SetFinishedCallback(Callback<void> finished)
{
    m_finishedCallback = finished;
}

void
PipelineCoordinator::DoDispose()
{
    m_transport = nullptr;
    if (m_replanner)
    {
        m_replanner->Dispose();
    }
    m_replanner = nullptr;
    m_finishedCallback = Callback<void>();
    Application::DoDispose();
}

void
PipelineCoordinator::StartApplication()
{
    NS_ABORT_MSG_UNLESS(m_transport && !m_plan.empty(), "SetUp was not called");
    m_transport->Listen(m_device,
                        PIPELINE_COORDINATOR_PORT,
                        MakeCallback(&PipelineCoordinator::Receive, this));
    for (auto& [device, assignment] : m_plan)
    {
        m_missing.insert(device);
        assignment.coordinator = m_device;
        const std::string body = assignment.ToText();
        m_transport->Send({m_device,
                           device,
                           PIPELINE_WORKER_PORT,
                           PipelineTag{PipelineTag::ASSIGNMENT}.Pack(),
                           body.size(),
                           body});
    }
}

void
PipelineCoordinator::StopApplication()
{
    m_missing.clear();
}

void
PipelineCoordinator::Receive(const Message& message)
{
    const PipelineTag tag = PipelineTag::Unpack(message.tag);
    if (tag.kind == PipelineTag::READY && !message.body.empty())
    {
        m_refusal = message.body;
        Finish();
        return;
    }
    if (m_replanner && m_replanner->Take(message))
    {
        return;
    }
    m_missing.erase(message.from);
    if (!m_missing.empty() || !m_refusal.empty())
    {
        return;
    }
    if (m_training)
    {
        m_iterationEndTrace(m_iteration);
        ++m_iteration;
    }
    const bool isReplanned = m_training && m_replanner;
    m_training = true;
    if (m_iteration == m_iterations)
    {
        m_finished = true;
        Finish();
        return;
    }
    if (isReplanned)
    {
        m_replanner->Consider(m_iteration, m_iterations - m_iteration);
        return;
    }
    StartIteration();
}

void
PipelineCoordinator::Proceed(const std::vector<Placement>& plan)
{
    if (!plan.empty())
    {
        m_plan = plan;
    }
    StartIteration();
}

void
PipelineCoordinator::StartIteration()
{
    NS_LOG_FUNCTION(this << m_iteration);
    m_iterationStartTrace(m_iteration);
    for (const auto& placement : m_plan)
    {
        m_missing.insert(placement.device);
        m_transport->Send({m_device,
                           placement.device,
                           PIPELINE_WORKER_PORT,
                           PipelineTag{PipelineTag::START, m_iteration}.Pack(),
                           PIPELINE_NOTICE_BYTES,
                           ""});
    }
}

void
PipelineCoordinator::Finish()
{
    if (!m_finishedCallback.IsNull())
    {
        m_finishedCallback();
    }
}

bool
PipelineCoordinator::IsFinished() const
{
    return m_finished;
}

std::string
PipelineCoordinator::GetRefusal() const
{
    return m_refusal;
}

std::string
PipelineCoordinator::DescribeWait() const
{
    std::string stages;
    for (const auto& placement : m_plan)
    {
        if (m_missing.count(placement.device))
        {
            stages += (stages.empty() ? "" : ", ") + std::to_string(placement.assignment.stage);
        }
    }
    if (stages.empty())
    {
        return m_replanner && !m_finished ? m_replanner->DescribeWait() : "";
    }
    return "coordinator waits for stages " + stages +
           (m_training ? " to finish iteration " + std::to_string(m_iteration)
                       : " to accept their assignments");
}

} // namespace edgepipe
} // namespace ns3
