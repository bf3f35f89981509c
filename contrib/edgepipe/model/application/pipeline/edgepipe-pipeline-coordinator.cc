/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-pipeline-coordinator.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-ranges.h"
#include "ns3/log.h"

namespace ns3::edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipePipelineCoordinator");

NS_OBJECT_ENSURE_REGISTERED(PipelineCoordinator);

TypeId
PipelineCoordinator::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("Iterations",
             "Iterations (mini-batches) to train.",
             {&PipelineCoordinator::m_iterations, 1, 1, (1 << 24) - 1})
        .Add("Planner",
             "Makes the first plan when the application starts.",
             {&PipelineCoordinator::m_planner})
        .Add("Replanner",
             "Changes plans between iterations; null: the first plan stays.",
             {&PipelineCoordinator::m_replanner})
        .Add("ShareCuts",
             "Whether neighbouring stages share the layers at their cuts, each for a part of "
             "the samples, where that makes iterations shorter.",
             {&PipelineCoordinator::m_sharesCuts, false})
        .Add("SharedCuts",
             "With ShareCuts: the shares, as CUT:LAYER:SAMPLES separated by commas, see "
             "CutSharing::Read; empty: the coordinator finds them.",
             {&PipelineCoordinator::m_sharedCuts, ""})
        .Add("SharingPassTime",
             "Cost of finding the shares on the coordinator's device, per pass of a stage over "
             "a micro-batch evaluated; the default is a few times the 12 ns of a server's "
             "core.",
             {&PipelineCoordinator::m_sharingPassTime, NanoSeconds(40), Time(0)})
        .Add("FeedSamples",
             "Whether the first device of the first stage holds all samples and sends those of "
             "the others that share the stage; otherwise each has its own.",
             {&PipelineCoordinator::m_feedsSamples, false})
        .Add("RouteThroughHeads",
             "Whether tensors between stages pass through the first device of each group, which "
             "gathers and scatters them; otherwise devices exchange them directly. Predictions "
             "are of direct exchange.",
             {&PipelineCoordinator::m_routesThroughHeads, false})
        .Add("Plan",
             "There is a plan; the training begins.",
             {&PipelineCoordinator::m_planTrace, "Plan"})
        .Add("Sharing",
             "The stages share the layers at their cuts.",
             {&PipelineCoordinator::m_sharingTrace, "Sharing"})
        .Add("IterationStart",
             "The workers are told to begin an iteration.",
             {&PipelineCoordinator::m_iterationStartTrace, "Iteration"})
        .Add("IterationEnd",
             "Every worker has reported the end of an iteration.",
             {&PipelineCoordinator::m_iterationEndTrace, "Iteration"});
}

PipelineCoordinator::PipelineCoordinator()
    : Typed(PIPELINE_COORDINATOR_PORT)
{
}

void
PipelineCoordinator::DoDispose()
{
    m_planner = nullptr;
    m_job = PipelineJob();
    if (m_replanner)
    {
        m_replanner->Dispose();
    }
    m_replanner = nullptr;
    EdgeApplication::DoDispose();
}

void
PipelineCoordinator::StartApplication()
{
    NS_ABORT_MSG_UNLESS(m_job.problem && (m_planner || !m_plan.stages.empty()),
                        "a coordinator needs a job, and a planner or a plan");
    EdgeApplication::StartApplication();
    if (m_plan.stages.empty())
    {
        m_plan = m_planner->Plan(*m_job.problem);
    }
    m_job.feedsSamples = m_feedsSamples;
    m_job.routesThroughHeads = m_routesThroughHeads;
    m_stages = MakePlacements(m_job, m_plan, m_iterations);
    m_planTrace(m_plan, PipelineCostModel(*m_job.problem).IterationSeconds(m_plan));
    if (m_replanner)
    {
        m_replanner->SetUp(m_socket,
                           m_compute,
                           {m_job, m_plan, m_iterations},
                           [this](const std::vector<PipelinePlacement>& plan) {
                               if (!plan.empty())
                               {
                                   m_stages = plan;
                               }
                               StartIteration();
                           });
    }
    m_sharesCuts ? ShareCuts() : SendAssignments();
}

void
PipelineCoordinator::SendAssignments()
{
    if (m_isStopped)
    {
        return; // stopped while finding shares
    }
    const PipelineTag tag{PipelineTag::ASSIGNMENT};
    for (auto& [node, assignment] : m_stages)
    {
        m_missing.insert(node);
        assignment.coordinator = m_socket.GetNode();
        SendNotice(m_socket, node, PIPELINE_WORKER_PORT, tag, WriteBody(assignment), 0);
    }
}

void
PipelineCoordinator::ShareCuts()
{
    const bool hasGroup = AnyOf(m_plan.stages, [](auto& stage) { return !stage.group.empty(); });
    if (m_replanner || m_job.isAssisted || hasGroup)
    {
        throw InputError(std::string("PipelineCoordinator: ShareCuts: found with ") +
                         (m_replanner        ? "a Replanner"
                          : m_job.isAssisted ? "AdjacentScheduling"
                                             : "a stage on a group of devices") +
                         ", expected without");
    }
    const CutSharing sharing(m_job, m_plan);
    const SharedCuts found =
        m_sharedCuts.empty() ? sharing.Solve() : SharedCuts{sharing.Read(m_sharedCuts), 0};
    sharing.Apply(found.cuts, m_stages);
    const double work = found.passes * m_sharingPassTime.GetSeconds();
    m_sharingTrace(found.cuts, work);
    m_compute->Run(PipelineTag{PipelineTag::PLANNING}.Pack(),
                   work,
                   MakeCallback(&PipelineCoordinator::SendAssignments, this),
                   GetJobNumber());
}

void
PipelineCoordinator::StopApplication()
{
    m_isStopped = true;
    m_missing.clear();
    if (m_replanner)
    {
        m_replanner->Stop();
    }
}

void
PipelineCoordinator::End()
{
    if (m_replanner)
    {
        m_replanner->Stop();
    }
    NotifyFinished();
}

void
PipelineCoordinator::Receive(const Message& message)
{
    const PipelineTag tag = PipelineTag::Unpack(message.tag);
    if (m_isStopped || !m_refusal.empty())
    {
        return;
    }
    if (tag.kind == PipelineTag::READY && !message.body.empty())
    {
        m_refusal = message.body;
        End();
        return;
    }
    if (m_replanner && m_replanner->HandleMessage(message))
    {
        return;
    }
    m_missing.erase(message.from);
    if (!m_missing.empty())
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
        End();
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
PipelineCoordinator::StartIteration()
{
    NS_LOG_FUNCTION(this << m_iteration);
    if (m_isStopped)
    {
        return; // stopped during a decision
    }
    m_iterationStartTrace(m_iteration);
    const bool isLast = m_iteration + 1 == m_iterations;
    const PipelineTag start{PipelineTag::START,
                            m_iteration,
                            isLast ? PipelineTag::LAST_ITERATION : 0};
    for (const auto& placement : m_stages)
    {
        m_missing.insert(placement.device);
        SendNotice(m_socket, placement.device, PIPELINE_WORKER_PORT, start);
    }
}

std::string
PipelineCoordinator::DescribeWait() const
{
    if (!m_refusal.empty())
    {
        return m_refusal;
    }
    std::set<uint32_t> stages;
    for (const auto& placement : m_stages)
    {
        if (m_missing.count(placement.device))
        {
            stages.insert(placement.assignment.stage);
        }
    }
    if (stages.empty())
    {
        return m_replanner && !m_finished ? m_replanner->DescribeWait() : "";
    }
    return "coordinator waits for stages " + JoinWords(stages) +
           (m_training ? " to finish iteration " + std::to_string(m_iteration)
                       : " to accept their assignments");
}

} // namespace ns3::edgepipe
