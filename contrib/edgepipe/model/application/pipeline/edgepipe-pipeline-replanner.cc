/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-pipeline-replanner.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-ranges.h"
#include "ns3/edgepipe-stage-migration.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

namespace ns3::edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipePipelineReplanner");

NS_OBJECT_ENSURE_REGISTERED(PipelineReplanner);

TypeId
PipelineReplanner::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("Planner", "Makes the plans.", {&PipelineReplanner::m_planner})
        .Add("ReplanHorizon",
             "Iterations within which a change of plan has to pay back.",
             {&PipelineReplanner::m_horizon, 10, 1})
        .Add("ReportTimeout",
             "Longest wait for the report of a device without a stage, after "
             "which it cannot be used.",
             {&PipelineReplanner::m_timeout, Seconds(1), Time(0)})
        .Add("Decision",
             "A decision has been made, whether the plan changes or not.",
             {&PipelineReplanner::m_decisionTrace, "PlanChange"})
        .Add("PlanChange",
             "A change of plan has been decided on.",
             {&PipelineReplanner::m_planChangeTrace, "PlanChange"})
        .Add("Migration",
             "All weights of a change of plan are in place.",
             {&PipelineReplanner::m_migrationTrace, "PlanChange"});
}

void
PipelineReplanner::SetUp(const TensorSocket& socket,
                         Ptr<ComputeDevice> compute,
                         Task task,
                         ProceedCallback proceed)
{
    SetHost(socket, compute);
    m_task = std::move(task);
    m_proceed = std::move(proceed);
    const PipelineProblem& problem = *m_task.job.problem;
    m_bitsPerSecond = problem.bandwidthBitsPerSecond;
    m_links = LinkBeliefs(problem);
    m_hasOwnRates = AnyOf(problem.devices, [](const auto& device) {
        return device.uplinkBitsPerSecond > 0 || device.downlinkBitsPerSecond > 0;
    });
    SetFigures(ListFigures(MakeState()));
    Watch();
    AskIdle();
}

void
PipelineReplanner::DoDispose()
{
    m_patience.Cancel();
    m_planner = nullptr;
    m_task = Task();
    m_proceed = ProceedCallback();
    Replanner::DoDispose();
}

bool
PipelineReplanner::HandleMessage(const Message& message)
{
    const auto tag = PipelineTag::Unpack(message.tag);
    if (tag.kind == PipelineTag::DONE || tag.kind == PipelineTag::REPORT)
    {
        // A worker without measurements sends no body.
        m_reports[message.from] =
            message.body.empty() ? DeviceReport() : ReadBody<DeviceReport>(message.body);
        m_silent.erase(message.from);
        m_asked.erase(message.from);
        if (m_asked.empty() && !m_patience.IsExpired())
        {
            m_patience.Cancel();
            Decide();
        }
        return tag.kind == PipelineTag::REPORT;
    }
    if (!m_isMigrating)
    {
        return false;
    }
    m_unready.erase(message.from);
    if (m_unready.empty())
    {
        m_isMigrating = false;
        m_change.inForce = Simulator::Now();
        m_migrationTrace(m_change);
        m_proceed(MakePlacements(m_task.job, m_task.plan, m_task.iterations));
    }
    return true;
}

void
PipelineReplanner::AskIdle()
{
    std::set<uint32_t> idle(m_task.job.nodes.begin(), m_task.job.nodes.end());
    for (const std::size_t device : ListDevices(m_task.plan))
    {
        idle.erase(m_task.job.nodes[device]);
    }
    // A device that has yet to answer is not asked again.
    for (const uint32_t device : idle)
    {
        if (!m_silent.count(device) && m_asked.insert(device).second)
        {
            SendNotice(m_socket, device, PIPELINE_METRICS_PORT, {PipelineTag::ASK});
        }
    }
}

void
PipelineReplanner::Consider(uint32_t iteration, uint32_t left)
{
    m_change.iteration = iteration;
    m_left = left;
    if (!TakeIfDue(ListFigures(MakeState())))
    {
        m_proceed({});
        return;
    }
    AskIdle();
    if (!m_asked.empty())
    {
        m_patience = Simulator::Schedule(m_timeout, &PipelineReplanner::Decide, this);
        return;
    }
    Decide();
}

PipelineState
PipelineReplanner::MakeState()
{
    PipelineState state{m_task.job.shares, 0, Simulator::Now().GetSeconds(), {}};
    state.shares.resize(m_task.job.nodes.size(), 1);
    for (const uint32_t device : m_silent)
    {
        state.shares[GetIndex(device)] = 0;
    }
    std::vector<PairRate> rates;
    for (const auto& [device, report] : m_reports)
    {
        const std::size_t index = GetIndex(device);
        state.shares[index] = report.share;
        const std::string& name = m_task.job.problem->devices[index].name;
        DeviceState known{name, {}, {}, report.share, report.backlog};
        const double least = std::min(report.uplinkBitsPerSecond, report.downlinkBitsPerSecond);
        if (least > 0)
        {
            known.uplinkBitsPerSecond = report.uplinkBitsPerSecond;
            known.downlinkBitsPerSecond = report.downlinkBitsPerSecond;
            const std::size_t other = FindWatched(m_task.job, m_task.plan, index);
            rates.push_back({index, other, report.uplinkBitsPerSecond});
            rates.push_back({other, index, report.downlinkBitsPerSecond});
        }
        state.devices.push_back(known);
        double& bandwidth = state.bandwidthBitsPerSecond;
        if (least > 0 && (bandwidth == 0 || least < bandwidth))
        {
            bandwidth = least;
        }
    }
    if (m_hasOwnRates)
    {
        m_links.SetRates(rates);
        state.uplinks = m_links.GetUplinks();
        state.downlinks = m_links.GetDownlinks();
    }
    if (state.bandwidthBitsPerSecond == 0)
    {
        state.bandwidthBitsPerSecond = m_bitsPerSecond;
    }
    return state;
}

std::vector<double>
PipelineReplanner::ListFigures(const PipelineState& state)
{
    std::vector<double> figures = state.shares;
    if (state.uplinks.empty())
    {
        figures.push_back(state.bandwidthBitsPerSecond);
    }
    figures.insert(figures.end(), state.uplinks.begin(), state.uplinks.end());
    figures.insert(figures.end(), state.downlinks.begin(), state.downlinks.end());
    return figures;
}

void
PipelineReplanner::Decide()
{
    for (const uint32_t device : m_asked)
    {
        m_reports.erase(device);
    }
    m_silent.merge(m_asked);
    const PipelineState state = MakeState();
    SetFigures(ListFigures(state));
    NS_LOG_FUNCTION(this << m_change.iteration << state.bandwidthBitsPerSecond);
    m_bitsPerSecond = state.bandwidthBitsPerSecond;
    m_change.state = state;
    m_change.decision = DecidePipeline(m_task.job.GetBelieved(),
                                       state,
                                       m_task.plan,
                                       *m_planner,
                                       {std::min(m_horizon, m_left),
                                        m_task.job.sharesMedium,
                                        GetFixedSeconds(),
                                        GetPlanningScale()});
    m_change.decided = Simulator::Now() + Seconds(m_change.decision.chargedSeconds);
    m_change.inForce = Time();
    m_decisionTrace(m_change);
    Pay(m_planner->GetDecisionSeconds(),
        PipelineTag{PipelineTag::PLANNING, m_change.iteration}.Pack(),
        [self = Ptr<PipelineReplanner>(this)] { self->Migrate(); });
}

void
PipelineReplanner::Migrate()
{
    if (!m_change.decision.isWorthIt)
    {
        m_proceed({});
        return;
    }
    m_change.decided = Simulator::Now();
    m_planChangeTrace(m_change);
    m_isMigrating = true;
    std::map<uint32_t, std::pair<StageAssignment, MigrationOrder>> orders;
    const auto& nodes = m_task.job.nodes;
    for (const std::size_t device : ListDevices(m_task.plan))
    {
        orders[nodes[device]].first.stages = 0;
    }
    m_task.plan = m_change.decision.plan;
    for (auto& [device, report] : m_reports)
    {
        report.uplinkBitsPerSecond = report.downlinkBitsPerSecond = 0; // of the old plan's pairs
    }
    for (const auto& [device, assignment] :
         MakePlacements(m_task.job, m_task.plan, m_task.iterations))
    {
        orders[device].first = assignment;
    }
    for (const auto& move : m_change.decision.moves)
    {
        const uint32_t to = nodes[move.to];
        orders[nodes[move.from]].second.shipments.push_back(
            {static_cast<uint32_t>(move.layer), to, move.bytes});
        orders[to].second.incomingLayers += 1;
        orders[to].second.incomingBytes += move.bytes;
    }
    for (auto& [device, order] : orders)
    {
        m_unready.insert(device);
        order.first.coordinator = m_socket.GetNode();
        order.second.iteration = m_change.iteration;
        const std::string body = WriteBody(order.first) + '\n' + WriteBody(order.second);
        const PipelineTag move{PipelineTag::MOVE, m_change.iteration};
        SendNotice(m_socket, device, PIPELINE_WORKER_PORT, move, body, 0);
    }
}

std::string
PipelineReplanner::DescribeWait() const
{
    if (!m_patience.IsExpired())
    {
        return "coordinator waits for the reports of devices without a stage";
    }
    if (!m_isMigrating)
    {
        return "";
    }
    const auto names = Map(m_unready, [this](uint32_t device) {
        return m_task.job.problem->devices[GetIndex(device)].name;
    });
    return "coordinator waits for " + JoinWords(names) +
           " to take on their stages of the plan for iteration " +
           std::to_string(m_change.iteration);
}

} // namespace ns3::edgepipe
