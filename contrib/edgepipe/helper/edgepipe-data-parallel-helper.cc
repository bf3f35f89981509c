/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-data-parallel-helper.h"

#include "ns3/double.h"
#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-connect.h"
#include "ns3/edgepipe-data-parallel-first-node.h"
#include "ns3/edgepipe-data-parallel-reporter.h"
#include "ns3/edgepipe-data-parallel-worker.h"
#include "ns3/edgepipe-edge-device.h"
#include "ns3/edgepipe-flow-transport.h"
#include "ns3/edgepipe-ranges.h"
#include "ns3/edgepipe-traces-folder.h"

namespace ns3::edgepipe
{

namespace
{

/// Limit on workers, set by the bits of the step in a DataParallelTag.
constexpr std::size_t MOST_WORKERS = 16384;
/// Default samples of a worker.
constexpr uint64_t WORKER_SAMPLES = 32;

/**
 * Stop reports, which would keep a simulation going for ever, when the training ends, or when a
 * worker refuses to take part and the others would wait for ever.
 *
 * @param workers all of them
 * @param reporters of the workers
 * @param firstNode decides shares
 */
void
RestAtEnd(const std::vector<Ptr<DataParallelWorker>>& workers,
          const std::vector<Ptr<DataParallelReporter>>& reporters,
          Ptr<DataParallelFirstNode> firstNode)
{
    const auto left = std::make_shared<std::set<uint32_t>>();
    const auto all = std::make_shared<const std::vector<Ptr<DataParallelReporter>>>(reporters);
    for (uint32_t rank = 0; rank < workers.size(); ++rank)
    {
        const auto worker = PeekPointer(workers[rank]);
        if (worker->IsIn())
        {
            left->insert(rank);
        }
        Connect(workers[rank], "Begin", [left, rank](uint32_t) { left->insert(rank); });
        Connect(workers[rank], "Finished", [left, rank, worker, all, firstNode] {
            left->erase(rank);
            if (!left->empty() && worker->GetRefusal().empty())
            {
                return;
            }
            firstNode->StopApplication();
            for (const auto& reporter : *all)
            {
                reporter->StopApplication();
            }
        });
    }
}

} // namespace

NS_OBJECT_ENSURE_REGISTERED(DataParallelHelper);

TypeId
DataParallelHelper::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("Exchange", "Name of the GradientExchange.", {&DataParallelHelper::m_exchange, "ring"})
        .Add("BaseBatch",
             "Samples of all workers together in each iteration, at least one "
             "for each worker; 0: 32 for each.",
             {&DataParallelHelper::m_baseBatch, 0, 0, LARGEST_BASE_BATCH})
        .Add("Normalize",
             "Whether bno scales its shares to add up to the base batch.",
             {&DataParallelHelper::m_normalize, false})
        .Add("ReplanThreshold",
             "Relative change of any metric of the workers above which shares "
             "are decided anew; 0: whenever all have reported.",
             {&DataParallelHelper::m_replanThreshold, 0, 0, 1e6});
}

DataParallelHelper::DataParallelHelper(const std::string& model)
    : DataParallelHelper(ReadDnnGraph(FindTracesFile("model", model, "models")))
{
}

DataParallelHelper::DataParallelHelper(DnnGraph graph)
    : DataParallelHelper(std::vector<DataParallelCost>())
{
    m_layers = Map(graph.layers, &DnnLayer::name);
    m_graph = std::make_shared<const DnnGraph>(std::move(graph));
}

DataParallelHelper::DataParallelHelper(std::vector<DataParallelCost> costs)
    : JobHelper("bno"),
      m_costs(std::move(costs))
{
    m_worker.SetTypeId(DataParallelWorker::GetTypeId());
    m_reporter.SetTypeId(DataParallelReporter::GetTypeId());
    m_decider.SetTypeId(DataParallelFirstNode::GetTypeId());
    ConstructSelf(AttributeConstructionList());
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
    const auto require = [workers](const std::string& what,
                                   std::size_t found,
                                   bool isGood,
                                   const std::string& expected = "") {
        Require(isGood,
                what + ": found " + std::to_string(found) +
                    (expected.empty() ? ", with " + std::to_string(workers) + " workers"
                                      : ", expected " + expected));
    };
    require("workers",
            workers,
            workers > 0 && workers <= MOST_WORKERS,
            "1 to " + std::to_string(MOST_WORKERS));
    require("base-batch",
            baseBatch,
            baseBatch >= workers,
            "a sample or more for each of " + std::to_string(workers) + " workers");
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
    const auto initial = std::make_shared<const std::vector<uint32_t>>(std::move(members));

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
        if (const auto replay = sorted.Get(rank)->GetObject<LayerReplay>())
        {
            replay->Read(problem.model, m_layers, 0, {}, PassKind::TRAINING);
        }
    }
    const auto planner = MakePlanner();
    std::vector<Ptr<GradientExchange>> exchanges;
    for (uint32_t rank = 0; rank < workers; ++rank)
    {
        exchanges.push_back(FindByName<GradientExchange>("exchange", m_exchange));
        Require(!exchanges.back()->NeedsFlows() ||
                    DynamicCast<FlowTransport>(TensorEndpoint::FindTransport(sorted.Get(rank))),
                "exchange: found \"" + m_exchange +
                    "\", whose merged steps are no messages, expected ring or "
                    "parameter-server at packet level");
    }
    for (const auto& [index, presence] : m_presence)
    {
        const auto& [join, leave] = presence;
        require("worker that joins or leaves", index, index < workers && index != m_firstNode);
        Require(leave.IsZero() || leave > join,
                "worker " + std::to_string(index) +
                    ": found that it leaves before it joins, expected a later time");
        Require(!exchanges.front()->NeedsFlows(),
                "exchange: found \"" + m_exchange +
                    "\", which workers cannot join or leave, expected ring or "
                    "parameter-server");
    }
    const auto firstNode = m_decider.Create<DataParallelFirstNode>();
    firstNode->GetReplanner()->SetAttribute("ReplanThreshold", DoubleValue(m_replanThreshold));
    m_replanner.Apply(*firstNode->GetReplanner());
    std::shared_ptr<PairMonitors> monitors;
    if (!m_monitor.empty() && workers > 1)
    {
        // To a planner, a link that is down is a slow one.
        monitors = MakeMonitors(
            sorted,
            [oracle = m_oracle, rate = m_oracle ? 1 : FindBandwidth(sorted)](auto from, auto to) {
                return oracle ? std::max(rate, oracle(from, to)) : rate;
            });
    }
    std::vector<std::pair<Ptr<Node>, Ptr<EdgeApplication>>> parts;
    std::vector<Ptr<DataParallelWorker>> training;
    std::vector<Ptr<DataParallelReporter>> reporters;
    for (uint32_t rank = 0; rank < workers; ++rank)
    {
        training.push_back(m_worker.Create<DataParallelWorker>());
        training.back()->SetStartTime(GetPresence(rank).first);
        parts.emplace_back(sorted.Get(rank), training.back());
        reporters.push_back(m_reporter.Create<DataParallelReporter>());
        reporters.back()->SetStartTime(GetPresence(rank).first);
        parts.emplace_back(control.Get(rank), reporters.back());
    }
    parts.emplace_back(control.Get(0), firstNode);
    AddJob(parts);
    // From here on nothing throws.
    for (uint32_t rank = 0; rank < workers; ++rank)
    {
        training[rank]->SetUp(rank, ranks, costs[rank], exchanges[rank], shares[rank], initial);
        reporters[rank]->SetUp(controlRanks, training[rank], monitors, GetPresence(rank).second);
    }
    ApplicationContainer all;
    for (uint32_t rank = 0; rank < workers; ++rank)
    {
        exchanges[rank]->SetPeers(exchanges);
        all.Add(training[rank]);
    }
    for (const auto& reporter : reporters)
    {
        all.Add(reporter);
    }
    all.Add(firstNode);
    firstNode->SetUp(controlRanks, training[0], planner, std::move(problem), shares);
    RestAtEnd(training, reporters, firstNode);
    return all;
}

} // namespace ns3::edgepipe
