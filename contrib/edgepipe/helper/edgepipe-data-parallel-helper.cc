/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-data-parallel-helper.h"

#include "edgepipe-least-data-rate.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/edgepipe-data-parallel-first-node.h"
#include "ns3/edgepipe-data-parallel-reporter.h"
#include "ns3/edgepipe-data-parallel-worker.h"
#include "ns3/edgepipe-edge-device.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-flow-transport.h"
#include "ns3/edgepipe-pair-monitors.h"
#include "ns3/edgepipe-tensor-endpoint.h"
#include "ns3/edgepipe-traces-folder.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <set>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Most workers: what the step of a DataParallelTag has room for.
constexpr std::size_t MOST_WORKERS = 1024;
/// Samples of a worker where nobody says.
constexpr uint64_t WORKER_SAMPLES = 32;

/**
 * Have reports end with the training, or when a worker refuses to take part and the others would
 * wait for ever, since a simulation would never run out of them.
 *
 * @param workers all
 * @param reporters theirs
 * @param firstNode decides shares
 */
void
RestAtEnd(const ApplicationContainer& workers,
          const std::vector<Ptr<DataParallelReporter>>& reporters,
          Ptr<DataParallelFirstNode> firstNode)
{
    const auto left = std::make_shared<std::set<uint32_t>>();
    for (uint32_t rank = 0; rank < workers.GetN(); ++rank)
    {
        const auto worker = PeekPointer(DynamicCast<DataParallelWorker>(workers.Get(rank)));
        if (worker->IsIn())
        {
            left->insert(rank);
        }
        worker->TraceConnectWithoutContext(
            "Begin",
            Callback<void, uint32_t>([left, rank](uint32_t) { left->insert(rank); }));
        worker->TraceConnectWithoutContext(
            "Finished",
            Callback<void>([left, rank, worker, reporters, firstNode] {
                left->erase(rank);
                if (!left->empty() && worker->GetRefusal().empty())
                {
                    return;
                }
                firstNode->Rest();
                for (const auto& reporter : reporters)
                {
                    reporter->Rest();
                }
            }));
    }
}

/**
 * Refuse what cannot be shared.
 *
 * @param workers how many there are
 * @param baseBatch samples of all of them
 * @throws InputError unless there are 1 to 1024 workers and a sample or more for each
 */
void
CheckShares(std::size_t workers, uint64_t baseBatch)
{
    if (workers == 0 || workers > MOST_WORKERS)
    {
        throw InputError("workers: found " + std::to_string(workers) + ", expected 1 to " +
                         std::to_string(MOST_WORKERS));
    }
    if (baseBatch < workers)
    {
        throw InputError("base-batch: found " + std::to_string(baseBatch) +
                         ", expected a sample or more for each of " + std::to_string(workers) +
                         " workers");
    }
}

} // namespace

NS_OBJECT_ENSURE_REGISTERED(DataParallelHelper);

TypeId
DataParallelHelper::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::edgepipe::DataParallelHelper")
            .SetParent<ObjectBase>()
            .SetGroupName("Edgepipe")
            .AddAttribute("Exchange",
                          "Name of the GradientExchange.",
                          StringValue("ring"),
                          MakeStringAccessor(&DataParallelHelper::m_exchange),
                          MakeStringChecker())
            .AddAttribute(
                "BaseBatch",
                "Samples of all workers together in each iteration, at least one for each "
                "worker; 0: 32 for each.",
                UintegerValue(0),
                MakeUintegerAccessor(&DataParallelHelper::m_baseBatch),
                MakeUintegerChecker<uint64_t>(0, LARGEST_BASE_BATCH))
            .AddAttribute("Normalize",
                          "Whether bno scales its shares so that they make the base batch.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&DataParallelHelper::m_normalize),
                          MakeBooleanChecker())
            .AddAttribute("ReplanThreshold",
                          "Share by which something that workers measure must change before shares "
                          "are decided anew; 0: whenever all have reported.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&DataParallelHelper::m_replanThreshold),
                          MakeDoubleChecker<double>(0, 1e6));
    return tid;
}

TypeId
DataParallelHelper::GetInstanceTypeId() const
{
    return GetTypeId();
}

DataParallelHelper::DataParallelHelper(const std::string& model)
    : DataParallelHelper(ReadDnnGraph(FindTracesFile("model", model, "models")))
{
}

DataParallelHelper::DataParallelHelper(DnnGraph graph)
    : DataParallelHelper(std::vector<DataParallelCost>())
{
    m_graph = std::make_shared<const DnnGraph>(std::move(graph));
}

DataParallelHelper::DataParallelHelper(std::vector<DataParallelCost> costs)
    : m_costs(std::move(costs))
{
    m_worker.SetTypeId(DataParallelWorker::GetTypeId());
    m_reporter.SetTypeId(DataParallelReporter::GetTypeId());
    m_decider.SetTypeId(DataParallelFirstNode::GetTypeId());
    ConstructSelf(AttributeConstructionList());
}

void
DataParallelHelper::SetPlanner(const std::string& name)
{
    FindByName<BatchSharesPlanner>("shares", name);
    m_plannerName = name;
    m_planner = nullptr;
}

void
DataParallelHelper::SetPlanner(Ptr<BatchSharesPlanner> planner)
{
    m_planner = planner;
}

void
DataParallelHelper::SetPlannerAttribute(const std::string& name, const AttributeValue& value)
{
    m_planning.Add(name, value);
}

void
DataParallelHelper::SetFirstNode(uint32_t index)
{
    m_firstNode = index;
}

void
DataParallelHelper::SetPresence(uint32_t index, const Time& join, const Time& leave)
{
    m_presence[index] = {join, leave};
}

void
DataParallelHelper::SetMonitor(const std::string& name, BandwidthMonitor::Capacity capacity)
{
    m_monitor.SetTypeId(BandwidthMonitor::Find(name, capacity)->GetInstanceTypeId());
    m_capacity = std::move(capacity);
}

void
DataParallelHelper::SetControlNodes(const NodeContainer& nodes)
{
    m_control = nodes;
}

void
DataParallelHelper::SetWorkerAttribute(const std::string& name, const AttributeValue& value)
{
    m_worker.Set(name, value);
}

void
DataParallelHelper::SetReporterAttribute(const std::string& name, const AttributeValue& value)
{
    m_reporter.Set(name, value);
}

void
DataParallelHelper::SetReplannerAttribute(const std::string& name, const AttributeValue& value)
{
    m_replanner.Add(name, value);
}

void
DataParallelHelper::SetFirstNodeAttribute(const std::string& name, const AttributeValue& value)
{
    m_decider.Set(name, value);
}

NodeContainer
DataParallelHelper::SortByRank(const NodeContainer& nodes) const
{
    NodeContainer sorted(nodes.Get(m_firstNode));
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        if (i != m_firstNode)
        {
            sorted.Add(nodes.Get(i));
        }
    }
    return sorted;
}

std::shared_ptr<PairMonitors>
DataParallelHelper::MakeMonitors(const NodeContainer& nodes) const
{
    if (!m_monitor.IsTypeIdSet() || nodes.GetN() == 1)
    {
        return nullptr;
    }
    BandwidthMonitor::Capacity first;
    if (m_capacity)
    {
        // A link that is down at present is a slow one to a planner.
        first = [capacity = m_capacity](uint32_t from, uint32_t to) {
            return std::max(1.0, capacity(from, to));
        };
    }
    else
    {
        first = [rate = FindLeastDataRate(nodes)](uint32_t, uint32_t) { return rate; };
    }
    return std::make_shared<PairMonitors>(m_monitor,
                                          TensorEndpoint::FindTransport(nodes.Get(0)),
                                          m_capacity,
                                          std::move(first));
}

std::vector<DataParallelCost>
DataParallelHelper::FindCosts(const NodeContainer& nodes) const
{
    std::vector<DataParallelCost> costs = m_costs;
    if (!m_graph)
    {
        std::rotate(costs.begin(), costs.begin() + m_firstNode, costs.begin() + m_firstNode + 1);
        return costs;
    }
    std::vector<DeviceSpec> types;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        AddDeviceType(types, GetFromDevice<EdgeDevice>(*node)->GetSpec());
    }
    const auto byType = FindDataParallelCosts(GetTracesFolder(), *m_graph, types);
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        costs.push_back(byType.at(GetFromDevice<EdgeDevice>(*node)->GetSpec().name));
    }
    return costs;
}

std::pair<Time, Time>
DataParallelHelper::GetPresence(uint32_t rank) const
{
    const uint32_t index = rank == 0 ? m_firstNode : rank <= m_firstNode ? rank - 1 : rank;
    const auto found = m_presence.find(index);
    return found == m_presence.end() ? std::pair<Time, Time>() : found->second;
}

ApplicationContainer
DataParallelHelper::Install(const NodeContainer& nodes) const
{
    const uint32_t workers = nodes.GetN();
    const uint64_t baseBatch = m_baseBatch > 0 ? m_baseBatch : WORKER_SAMPLES * workers;
    CheckShares(workers, baseBatch);
    const auto require = [workers](const std::string& what, std::size_t found, bool isGood) {
        if (!isGood)
        {
            throw InputError(what + ": found " + std::to_string(found) + ", with " +
                             std::to_string(workers) + " workers");
        }
    };
    require("first node", m_firstNode, m_firstNode < workers);
    require("costs", m_costs.size(), m_graph || m_costs.size() == workers);
    require("control nodes",
            m_control.GetN(),
            m_control.GetN() == 0 || m_control.GetN() == workers);
    const NodeContainer sorted = SortByRank(nodes);
    const NodeContainer control = m_control.GetN() > 0 ? SortByRank(m_control) : sorted;
    const auto ranks = std::make_shared<const WorkerRanks>(sorted);
    const auto controlRanks = std::make_shared<const WorkerRanks>(control);
    const auto costs = FindCosts(sorted);
    std::vector<uint32_t> members;
    for (uint32_t rank = 0; rank < workers; ++rank)
    {
        if (GetPresence(rank).first.IsZero())
        {
            members.push_back(rank);
        }
    }
    const auto split = SplitBatch(baseBatch, std::vector<double>(members.size(), 1));
    std::vector<uint64_t> shares(workers);
    for (std::size_t i = 0; i < members.size(); ++i)
    {
        shares[members[i]] = split[i];
    }

    BatchSharesProblem problem;
    problem.baseBatch = baseBatch;
    problem.normalize = m_normalize;
    problem.opsPerSample = costs.front().opsPerSample;
    problem.model = costs.front().model;
    for (uint32_t rank = 0; rank < workers; ++rank)
    {
        GetFromDevice<ComputeDevice>(sorted.Get(rank));
        problem.nodes.push_back(
            {GetFromDevice<EdgeDevice>(sorted.Get(rank))->GetName(), 0, 0, {0}, 0});
    }
    const auto planner =
        m_planner ? m_planner : FindByName<BatchSharesPlanner>("shares", m_plannerName);
    m_planning.Apply(*planner);
    std::vector<Ptr<GradientExchange>> exchanges;
    for (uint32_t rank = 0; rank < workers; ++rank)
    {
        exchanges.push_back(FindByName<GradientExchange>("exchange", m_exchange));
        if (exchanges.back()->NeedsFlows() &&
            !DynamicCast<FlowTransport>(TensorEndpoint::FindTransport(sorted.Get(rank))))
        {
            throw InputError("exchange: found \"" + m_exchange +
                             "\", whose merged steps are no messages, expected ring or "
                             "parameter-server at packet level");
        }
    }
    for (const auto& [index, presence] : m_presence)
    {
        const auto& [join, leave] = presence;
        require("worker that joins or leaves", index, index < workers && index != m_firstNode);
        if (!leave.IsZero() && leave <= join)
        {
            throw InputError("worker " + std::to_string(index) +
                             ": found that it leaves before it joins, expected a later time");
        }
        if (exchanges.front()->NeedsFlows())
        {
            throw InputError("exchange: found \"" + m_exchange +
                             "\", which workers cannot join or leave, expected ring or "
                             "parameter-server");
        }
    }
    const auto firstNode = m_decider.Create<DataParallelFirstNode>();
    firstNode->GetReplanner()->SetAttribute("ReplanThreshold", DoubleValue(m_replanThreshold));
    m_replanner.Apply(*firstNode->GetReplanner());
    const auto monitors = MakeMonitors(sorted);
    const auto number = UintegerValue(TensorEndpoint::TakeJob(NodeContainer(sorted, control)));
    // From here on nothing is refused.
    for (uint32_t rank = 0; rank < workers; ++rank)
    {
        exchanges[rank]->SetUp(rank,
                               ranks,
                               TensorSocket(sorted.Get(rank), number.Get()),
                               costs[rank].parameterBytes);
    }
    ApplicationContainer training;
    std::vector<Ptr<DataParallelReporter>> reporters;
    for (uint32_t rank = 0; rank < workers; ++rank)
    {
        exchanges[rank]->Meet(exchanges);
        const auto worker = m_worker.Create<DataParallelWorker>();
        worker->SetAttribute("JobNumber", number);
        worker->SetUp(costs[rank], exchanges[rank], shares[rank], members);
        worker->SetStartTime(GetPresence(rank).first);
        sorted.Get(rank)->AddApplication(worker);
        training.Add(worker);
        const auto reporter = m_reporter.Create<DataParallelReporter>();
        reporter->SetAttribute("JobNumber", number);
        reporter->SetUp(controlRanks, TensorSocket(control.Get(rank), number.Get()), worker);
        reporter->SetStartTime(GetPresence(rank).first);
        reporter->SetLeaveTime(GetPresence(rank).second);
        reporter->SetMonitors(monitors);
        control.Get(rank)->AddApplication(reporter);
        reporters.push_back(reporter);
    }
    firstNode->SetAttribute("JobNumber", number);
    firstNode->SetUp(controlRanks,
                     TensorSocket(control.Get(0), number.Get()),
                     DynamicCast<DataParallelWorker>(training.Get(0)),
                     planner,
                     std::move(problem),
                     shares);
    control.Get(0)->AddApplication(firstNode);
    ApplicationContainer all(training);
    for (const auto& reporter : reporters)
    {
        all.Add(reporter);
    }
    all.Add(firstNode);
    RestAtEnd(training, reporters, firstNode);
    return all;
}

} // namespace edgepipe
} // namespace ns3
