/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-data-parallel-first-node.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-edge-device.h"
#include "ns3/edgepipe-ranges.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <iterator>

namespace ns3::edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeDataParallelFirstNode");

NS_OBJECT_ENSURE_REGISTERED(DataParallelFirstNode);

TypeId
DataParallelFirstNode::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("UpdateInterval",
             "Time between checks for missing metrics.",
             {&DataParallelFirstNode::m_interval, Seconds(1), MicroSeconds(1)})
        .Add("MissingAfter",
             "Age above which metrics are reported as missing.",
             {&DataParallelFirstNode::m_missingAfter, Seconds(10), MicroSeconds(1)})
        .Add("Replanner",
             "Triggers decisions, and charges for them.",
             {&DataParallelFirstNode::m_replanner, TypeId::ATTR_GET})
        .Add("Planned",
             "A decision is complete, whether or not shares change.",
             {&DataParallelFirstNode::m_plannedTrace})
        .Add("Decided",
             "Decided shares differ from those before.",
             {&DataParallelFirstNode::m_decidedTrace, "Decided"})
        .Add("MetricsMissing",
             "A worker's metrics do not arrive.",
             {&DataParallelFirstNode::m_missingTrace, "Metrics"})
        .Add("MetricsBack",
             "A worker's metrics that were missing arrive again.",
             {&DataParallelFirstNode::m_backTrace, "Metrics"});
}

void
DataParallelFirstNode::SetUp(std::shared_ptr<const WorkerRanks> ranks,
                             Ptr<DataParallelWorker> worker,
                             Ptr<BatchSharesPlanner> planner,
                             BatchSharesProblem problem,
                             std::vector<uint64_t> shares)
{
    m_ranks = std::move(ranks);
    m_worker = worker;
    m_planner = planner;
    m_problem = std::move(problem);
    m_shares = std::move(shares);
    for (uint32_t rank = 0; rank < m_shares.size(); ++rank)
    {
        if (m_shares[rank] > 0)
        {
            m_members.push_back(rank);
        }
    }
    Listen();
}

void
DataParallelFirstNode::DoDispose()
{
    m_check.Cancel();
    m_replanner->Dispose();
    m_worker = nullptr;
    m_planner = nullptr;
    EdgeApplication::DoDispose();
}

void
DataParallelFirstNode::StartApplication()
{
    NS_ABORT_MSG_UNLESS(m_worker && m_planner, "SetUp was not called");
    EdgeApplication::StartApplication();
    m_reported.assign(m_problem.nodes.size(), Simulator::Now());
    m_unreported.insert(m_members.begin(), m_members.end());
    m_check = Simulator::Schedule(m_interval, &DataParallelFirstNode::Check, this);
    m_replanner->SetHost(m_socket, GetFromDevice<ComputeDevice>(m_worker->GetNode()));
    m_replanner->Watch();
}

void
DataParallelFirstNode::Receive(const Message& message)
{
    const DataParallelTag tag = DataParallelTag::Unpack(message.tag);
    const uint32_t rank = m_ranks->FindRank(message.from).value();
    switch (tag.kind)
    {
    case DataParallelTag::METRICS:
        TakeMetrics(rank, tag.version, ReadBody<NodeMetrics>(message.body));
        break;
    case DataParallelTag::REPORT:
        m_reports[rank] = ReadBody<DeviceReport>(message.body);
        break;
    case DataParallelTag::JOIN:
    case DataParallelTag::LEAVE: {
        // A request for the present state withdraws the opposite request.
        const bool isIn = std::binary_search(m_members.begin(), m_members.end(), rank);
        if ((tag.kind == DataParallelTag::JOIN) != isIn)
        {
            m_asking.insert(rank);
        }
        else
        {
            m_asking.erase(rank);
        }
        Form();
        break;
    }
    default:
        NS_ABORT_MSG_UNLESS(tag.kind == DataParallelTag::SHARES_TAKEN && tag.version == m_version,
                            "the first node cannot use " << tag.Describe());
        m_unconfirmed.erase(rank);
        if (m_unconfirmed.empty())
        {
            m_worker->Announce(m_version);
            Form();
            Decide();
        }
    }
}

void
DataParallelFirstNode::Form()
{
    if (IsBusy() || m_asking.empty())
    {
        return;
    }
    std::vector<uint32_t> members;
    std::set_symmetric_difference(m_members.begin(),
                                  m_members.end(),
                                  m_asking.begin(),
                                  m_asking.end(),
                                  std::back_inserter(members));
    const double mean = static_cast<double>(Sum(m_shares)) / m_members.size();
    m_members = members;
    m_formed = m_version + 1;
    m_unreported = std::set<uint32_t>(m_members.begin(), m_members.end());
    std::vector<double> weights;
    bool isKnown = true;
    for (const uint32_t rank : m_members)
    {
        auto& node = m_problem.nodes[rank];
        weights.push_back(m_shares[rank] > 0 ? m_shares[rank] : mean);
        if (m_asking.count(rank))
        {
            node = {node.name, 0, 0, {0}, 0};
            SetReported(rank);
        }
        // Response times of all pairs no longer match the members.
        isKnown &= node.opsPerSecond > 0 && node.latenciesSeconds.size() == 1;
    }
    m_asking.clear();
    std::vector<uint64_t> shares(m_shares.size());
    const auto split = SplitBatch(m_problem.baseBatch, weights);
    for (std::size_t i = 0; i < m_members.size(); ++i)
    {
        shares[m_members[i]] = split[i];
    }
    if (isKnown && m_replanner->HasPlan())
    {
        Plan(shares);
    }
    else
    {
        HandOut(shares);
    }
}

void
DataParallelFirstNode::TakeMetrics(uint32_t rank, uint32_t version, const NodeMetrics& metrics)
{
    if (version < m_formed || !std::binary_search(m_members.begin(), m_members.end(), rank))
    {
        return; // measured with other members
    }
    BatchSharesNode& node = m_problem.nodes[rank];
    node.opsPerSecond = metrics.opsPerSecond;
    node.memoryBytesInUse = static_cast<double>(metrics.memoryBytesInUse);
    node.latenciesSeconds = metrics.latenciesSeconds;
    node.communicationSeconds = metrics.communicationSeconds;
    if (m_missing.erase(rank) > 0)
    {
        m_backTrace(rank, m_reported[rank]);
    }
    SetReported(rank);
    // A worker that has not finished a share yet has no measured speed.
    if (metrics.opsPerSecond > 0)
    {
        m_unreported.erase(rank);
        Decide();
    }
}

void
DataParallelFirstNode::Decide()
{
    if (IsBusy() || !m_unreported.empty())
    {
        return;
    }
    m_unreported.insert(m_members.begin(), m_members.end());
    DoubleValue threshold;
    m_replanner->GetAttribute("ReplanThreshold", threshold);
    if (m_replanner->TakeIfDue(ListFigures()) || threshold.Get() == 0)
    {
        Plan(m_shares);
    }
}

std::vector<double>
DataParallelFirstNode::ListFigures() const
{
    std::vector<double> figures;
    for (const uint32_t rank : m_members)
    {
        const BatchSharesNode& node = m_problem.nodes[rank];
        figures.push_back(node.opsPerSecond);
        figures.push_back(node.communicationSeconds);
        figures.insert(figures.end(), node.latenciesSeconds.begin(), node.latenciesSeconds.end());
    }
    return figures;
}

void
DataParallelFirstNode::Plan(const std::vector<uint64_t>& otherwise)
{
    const BatchSharesProblem problem = GetProblem();
    const auto present = Map(m_members, [&](uint32_t rank) { return otherwise[rank]; });
    m_planner->SetState({{Simulator::Now().GetSeconds(), {present}, FindStates()}});
    std::vector<uint64_t> shares = otherwise;
    m_replanner->SetFigures(ListFigures());
    m_replanner->Ask([&] {
        const auto batches = m_planner->Plan(problem).batches;
        for (std::size_t i = 0; i < m_members.size(); ++i)
        {
            shares[m_members[i]] = batches[i];
        }
    });
    m_isDeciding = true;
    m_replanner->Pay(m_planner->GetDecisionSeconds(),
                     DataParallelTag{DataParallelTag::PLANNING}.Pack(),
                     [self = Ptr<DataParallelFirstNode>(this), shares] {
                         self->m_isDeciding = false;
                         self->HandOut(shares);
                         self->Form();
                         self->Decide();
                     });
}

std::vector<DeviceState>
DataParallelFirstNode::FindStates() const
{
    std::vector<DeviceState> states;
    for (const uint32_t rank : m_members)
    {
        DeviceState state;
        state.name = m_problem.nodes[rank].name;
        const auto told = m_reports.find(rank);
        if (told != m_reports.end())
        {
            state.uplinkBitsPerSecond = told->second.uplinkBitsPerSecond;
            state.downlinkBitsPerSecond = told->second.downlinkBitsPerSecond;
            state.share = told->second.share;
            state.backlog = told->second.backlog;
        }
        if (rank == 0)
        {
            const auto compute = GetFromDevice<ComputeDevice>(m_worker->GetNode());
            state.share = compute->GetAvailableShare();
            state.backlog = compute->GetBacklog();
        }
        if (state.share)
        {
            states.push_back(state);
        }
    }
    return states;
}

void
DataParallelFirstNode::HandOut(const std::vector<uint64_t>& shares)
{
    m_plannedTrace();
    if (shares == m_shares || !m_worker)
    {
        return;
    }
    for (uint32_t rank = 0; rank < shares.size(); ++rank)
    {
        if (shares[rank] > 0 || m_shares[rank] > 0)
        {
            m_unconfirmed.insert(rank);
        }
    }
    m_shares = shares;
    ++m_version;
    NS_LOG_INFO("shares of version " << m_version << " decided");
    m_decidedTrace(m_version, m_shares);
    const bool isFormed = m_version == m_formed;
    for (const uint32_t rank : m_unconfirmed)
    {
        const std::string body = WriteBody(
            ShareNotice{m_version, m_shares[rank], isFormed ? m_members : std::vector<uint32_t>{}});
        m_socket.Send(m_ranks->GetNode(rank),
                      DATA_PARALLEL_REPORTER_PORT,
                      DataParallelTag{DataParallelTag::SHARES, 0, 0, m_version}.Pack(),
                      DATA_PARALLEL_NOTICE_BYTES + body.size(),
                      body);
    }
}

void
DataParallelFirstNode::Check()
{
    m_check = Simulator::Schedule(m_interval, &DataParallelFirstNode::Check, this);
    if (Simulator::Now() <= m_overdue)
    {
        return;
    }
    m_overdue = Time::Max();
    for (const uint32_t rank : m_members)
    {
        const Time overdue = m_reported[rank] + m_missingAfter;
        if (overdue >= Simulator::Now())
        {
            m_overdue = std::min(m_overdue, overdue);
        }
        else if (m_missing.insert(rank).second)
        {
            m_missingTrace(rank, m_reported[rank]);
        }
    }
}

void
DataParallelFirstNode::SetReported(uint32_t rank)
{
    m_reported[rank] = Simulator::Now();
    m_overdue = std::min(m_overdue, m_reported[rank] + m_missingAfter);
}

BatchSharesProblem
DataParallelFirstNode::GetProblem() const
{
    BatchSharesProblem problem = m_problem;
    problem.nodes = Map(m_members, [this](uint32_t rank) { return m_problem.nodes[rank]; });
    return problem;
}

} // namespace ns3::edgepipe
