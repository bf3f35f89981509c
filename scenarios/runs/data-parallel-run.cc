/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "runs/data-parallel-run.h"

#include "runs/deployment.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/edgepipe-data-parallel-first-node.h"
#include "ns3/edgepipe-data-parallel-helper.h"
#include "ns3/edgepipe-data-parallel-message.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-message-description.h"
#include "ns3/edgepipe-table.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Longest a run may compute, s; ns-3's clock ends at 9.2e9 s, and transfers take time too.
constexpr double LONGEST_UPDATE_SECONDS = 1e9;

/// Few enough that a look is soon due, so many that looks cost nothing.
constexpr uint64_t REPORTS_PER_LOOK = 1000;

/**
 * @param nodes the workers
 * @param options how to run
 * @throws InputError if something makes no sense
 */
void
Check(const std::vector<DataParallelNode>& nodes, const DataParallelOptions& options)
{
    DataParallelHelper::CheckShares(nodes.size(), options.baseBatch);
    for (const auto& node : nodes)
    {
        const double pass = node.cost.sampleSeconds + node.cost.passSeconds;
        const double seconds = options.iterations * (static_cast<double>(options.baseBatch) * pass +
                                                     node.cost.updateSeconds);
        if (!(seconds <= LONGEST_UPDATE_SECONDS))
        {
            throw InputError(node.name + " would compute for up to " + Table::Rounded(seconds) +
                             " s, expected at most 1e9 s");
        }
    }
}

/**
 * @param nodes the workers
 * @param baseBatch samples of all
 * @return equal shares of those that are in from the start; 0 for the others
 */
std::vector<uint64_t>
SplitAtFirst(const std::vector<DataParallelNode>& nodes, uint64_t baseBatch)
{
    const auto isIn = [](const DataParallelNode& node) { return node.join.IsZero(); };
    const auto split =
        SplitBatch(baseBatch,
                   std::vector<double>(std::count_if(nodes.begin(), nodes.end(), isIn), 1));
    std::vector<uint64_t> shares;
    auto next = split.begin();
    for (const auto& node : nodes)
    {
        shares.push_back(isIn(node) ? *next++ : 0);
    }
    return shares;
}

/** A data-parallel training in the present simulation. */
class DataParallelRun
{
  public:
    /**
     * @param nodes the workers
     * @param options how to run
     * @param progress told the share of updates done; may be empty
     */
    DataParallelRun(const std::vector<DataParallelNode>& nodes,
                    const DataParallelOptions& options,
                    const std::function<void(double)>& progress);

    /** @return what comes of it */
    DataParallelResult Simulate();

  private:
    /** Build networks, devices and what watches them. */
    void Join();
    /** Put the applications on their nodes. */
    void Install();
    /**
     * Have everything about a worker recorded.
     *
     * @param rank of the worker
     * @param worker the worker
     */
    void Observe(uint32_t rank, Ptr<DataParallelWorker> worker);
    /**
     * A worker has nothing more to do.
     *
     * @param rank of the worker
     * @param refusal why it cannot go on; empty after the last iteration
     */
    void NoticeFinished(uint32_t rank, const std::string& refusal);
    /** A report has arrived, which makes up most of a long run: look now and then how far it is. */
    void NoticeReport();
    /**
     * Tell how far it is: by updates, and by the bytes of the present one.
     *
     * @param pendingBytes of its messages under way, those delivered
     */
    void ShowProgress(double pendingBytes);
    /** Fill in what came of it. */
    void Collect();

    const std::vector<DataParallelNode>& m_nodes;  //!< the workers
    const DataParallelOptions& m_options;          //!< how to run
    const std::function<void(double)>& m_progress; //!< may be empty
    Ptr<DataParallelFirstNode> m_firstNode;        //!< decides
    DataParallelLog m_log;                         //!< records
    std::unique_ptr<Deployment> m_deployment;      //!< the workers and their network
    std::optional<Network> m_control;              //!< moves metrics; none: the same
    std::set<uint32_t> m_running;                  //!< ranks in that have yet to finish
    double m_updates{0};                           //!< done
    double m_exchangedBytes{0};                    //!< since the last one
    uint64_t m_reports{0};                         //!< other messages that have arrived
    double m_share{0};                             //!< of the run that is done, as last told
    DataParallelResult m_result;                   //!< what comes of it
};

DataParallelRun::DataParallelRun(const std::vector<DataParallelNode>& nodes,
                                 const DataParallelOptions& options,
                                 const std::function<void(double)>& progress)
    : m_nodes(nodes),
      m_options(options),
      m_progress(progress),
      m_log(nodes.size(), SplitAtFirst(nodes, options.baseBatch))
{
}

DataParallelResult
DataParallelRun::Simulate()
{
    Join();
    Install();
    m_deployment->Run();
    Collect();
    return std::move(m_result);
}

void
DataParallelRun::Join()
{
    std::vector<std::string> names;
    std::set<uint32_t> active;
    for (const auto& node : m_nodes)
    {
        active.insert(names.size());
        names.push_back(node.name);
    }
    m_deployment =
        std::make_unique<Deployment>(m_options.network, names, active, m_options.stallTimeout);
    const auto& network = m_deployment->GetNetwork();
    m_log.Observe(network.transport, network.devices);
    if (m_options.control)
    {
        m_control = m_deployment->AddNetwork(*m_options.control);
        m_log.Observe(m_control->transport, m_control->devices);
        m_control->transport->TraceConnectWithoutContext(
            "TransferEnd",
            Callback<void, uint64_t, const Message&>(
                [this](uint64_t, const Message&) { NoticeReport(); }));
    }
    network.transport->TraceConnectWithoutContext(
        "TransferEnd",
        Callback<void, uint64_t, const Message&>([this](uint64_t, const Message& message) {
            if (message.port == DATA_PARALLEL_EXCHANGE_PORT && message.from != message.to)
            {
                ++m_result.exchangeTransfers;
                m_exchangedBytes += static_cast<double>(message.bytes);
                ShowProgress(0);
            }
            else
            {
                NoticeReport();
            }
        }));
    m_deployment->GetMonitor()->Disregard(KeepsComing);
    for (uint32_t rank = 0; rank < m_nodes.size(); ++rank)
    {
        const auto& node = m_nodes[rank];
        m_deployment->AddDevice(rank, node.memoryBytes);
        m_deployment->AddLoad(rank, {node.loadTrace, node.loadSteps}, m_options.load);
    }
}

void
DataParallelRun::Install()
{
    std::vector<DataParallelCost> costs;
    NodeContainer nodes;
    for (uint32_t rank = 0; rank < m_nodes.size(); ++rank)
    {
        costs.push_back(m_nodes[rank].cost);
        nodes.Add(m_deployment->GetNetwork().devices.Get(rank));
    }
    DataParallelHelper helper(costs);
    helper.SetPlanner(m_options.planner);
    helper.SetExchange(m_options.exchange);
    helper.SetBaseBatch(m_options.baseBatch);
    for (uint32_t rank = 0; rank < m_nodes.size(); ++rank)
    {
        if (!m_nodes[rank].join.IsZero() || !m_nodes[rank].leave.IsZero())
        {
            helper.SetPresence(rank, m_nodes[rank].join, m_nodes[rank].leave);
        }
    }
    helper.SetNormalize(m_options.normalize);
    if (!m_options.monitor.empty())
    {
        helper.SetMonitor(m_options.monitor, m_deployment->GetNetwork().capacity);
    }
    helper.SetWorkerAttribute("Iterations", UintegerValue(m_options.iterations));
    helper.SetReporterAttribute("UpdateInterval", TimeValue(m_options.updateInterval));
    helper.SetReporterAttribute("AllPairs", BooleanValue(m_options.allPairs));
    helper.SetFirstNodeAttribute("UpdateInterval", TimeValue(m_options.updateInterval));
    helper.SetFirstNodeAttribute("MissingAfter", TimeValue(m_options.missingAfter));
    helper.SetReplannerAttribute("ReplanThreshold", DoubleValue(m_options.replanThreshold));
    helper.SetReplannerAttribute("ReplanPeriod", TimeValue(m_options.replanPeriod));
    helper.SetReplannerAttribute("FixedPlanningTime", TimeValue(m_options.planning.fixed));
    helper.SetReplannerAttribute("PlanningScale", DoubleValue(m_options.planning.scale));
    if (m_control)
    {
        NodeContainer control;
        for (uint32_t rank = 0; rank < m_nodes.size(); ++rank)
        {
            control.Add(m_control->devices.Get(rank));
        }
        helper.SetControlNodes(control);
    }
    const ApplicationContainer applications = helper.Install(nodes);
    for (uint32_t rank = 0; rank < m_nodes.size(); ++rank)
    {
        m_deployment->Watch(ApplicationContainer(applications.Get(rank)));
        Observe(rank, DynamicCast<DataParallelWorker>(applications.Get(rank)));
    }
    m_firstNode = DynamicCast<DataParallelFirstNode>(applications.Get(applications.GetN() - 1));
    m_log.Observe(m_firstNode);
}

void
DataParallelRun::Observe(uint32_t rank, Ptr<DataParallelWorker> worker)
{
    m_log.Observe(rank, worker);
    if (worker->IsIn())
    {
        m_running.insert(rank);
    }
    worker->TraceConnectWithoutContext("Begin", Callback<void, uint32_t>([this, rank](uint32_t) {
                                           m_running.insert(rank);
                                       }));
    worker->TraceConnectWithoutContext("Finished",
                                       Callback<void>([this, rank, worker = PeekPointer(worker)] {
                                           NoticeFinished(rank, worker->GetRefusal());
                                       }));
    if (rank == 0)
    {
        worker->TraceConnectWithoutContext(
            "IterationEnd",
            Callback<void, uint32_t, uint32_t>([this](uint32_t iteration, uint32_t) {
                m_updates = iteration + 1;
                m_exchangedBytes = 0;
                ShowProgress(0);
            }));
    }
}

void
DataParallelRun::NoticeReport()
{
    if (++m_reports % REPORTS_PER_LOOK == 0)
    {
        double bytes = 0;
        for (const auto& each : m_deployment->GetNetwork().transport->GetPending())
        {
            bytes += each.message.port == DATA_PARALLEL_EXCHANGE_PORT ? each.deliveredBytes : 0;
        }
        ShowProgress(bytes);
    }
}

void
DataParallelRun::ShowProgress(double pendingBytes)
{
    if (m_progress)
    {
        // What every exchange moves in an update.
        const double bytes =
            2 * (m_running.size() - 1.0) * static_cast<double>(m_nodes[0].cost.parameterBytes);
        const double share =
            std::min(1.0, (m_exchangedBytes + pendingBytes) / std::max(1.0, bytes));
        m_share = std::max(m_share, std::min(1.0, (m_updates + share) / m_options.iterations));
        m_progress(m_share);
    }
}

void
DataParallelRun::NoticeFinished(uint32_t rank, const std::string& refusal)
{
    if (!refusal.empty())
    {
        m_result.diagnosis.push_back(m_deployment->GetNames()[rank] + ": " + refusal);
    }
    m_running.erase(rank);
    if (m_running.empty() || !refusal.empty())
    {
        m_deployment->End();
    }
}

void
DataParallelRun::Collect()
{
    m_result.isComplete = m_running.empty() && m_result.diagnosis.empty();
    m_result.updates = m_log.GetUpdates();
    m_result.shares = m_log.GetShares();
    m_result.plans = m_log.GetPlans();
    m_result.failures = m_firstNode->GetFailures();
    m_result.problem = m_firstNode->GetProblem();
    m_result.missing = m_log.GetMissing();
    m_result.nodes = m_log.GetNodes();
    for (uint32_t rank = 0; rank < m_nodes.size(); ++rank)
    {
        const auto node = m_deployment->GetNetwork().devices.Get(rank);
        m_result.peakMemoryBytes.push_back(node->GetObject<MemoryLedger>()->GetPeak());
    }
    m_result.links = m_deployment->GetLinks();
    m_result.bytesMoved = m_deployment->GetNetwork().transport->GetDeliveredBytes();
    if (m_control)
    {
        for (const auto& link : m_control->links)
        {
            m_result.links.push_back(*link);
            m_result.links.back().name += " (control)";
        }
    }
    m_result.end = Simulator::Now();
    m_result.events = Simulator::GetEventCount();
    if (!m_result.isComplete && m_result.diagnosis.empty())
    {
        m_result.diagnosis = m_deployment->GetMonitor()->Diagnose();
    }
}

} // namespace

double
DataParallelResult::GetMeanIterationSeconds() const
{
    return updates.empty() ? 0
                           : (updates.back().end - updates.front().start).GetSeconds() /
                                 static_cast<double>(updates.size());
}

double
DataParallelResult::GetSamplesPerUpdate() const
{
    double samples = 0;
    for (const auto& update : updates)
    {
        samples += static_cast<double>(update.samples);
    }
    return updates.empty() ? 0 : samples / static_cast<double>(updates.size());
}

double
DataParallelResult::GetSamplesPerSecond() const
{
    const double seconds = GetMeanIterationSeconds();
    return seconds > 0 ? GetSamplesPerUpdate() / seconds : 0;
}

DataParallelResult
RunDataParallel(const std::vector<DataParallelNode>& nodes,
                const DataParallelOptions& options,
                const std::function<void(double)>& progress)
{
    Check(nodes, options);
    return DataParallelRun(nodes, options, progress).Simulate();
}

} // namespace edgepipe
} // namespace ns3
