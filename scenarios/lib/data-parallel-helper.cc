/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/data-parallel-helper.h"

#include "ns3/boolean.h"
#include "ns3/edgepipe-batch-shares-planner.h"
#include "ns3/edgepipe-data-parallel-first-node.h"
#include "ns3/edgepipe-data-parallel-message.h"
#include "ns3/edgepipe-data-parallel-reporter.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-gradient-exchange.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-load-player.h"
#include "ns3/edgepipe-stall-monitor.h"
#include "ns3/edgepipe-table.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <set>
#include <utility>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Most workers: what the step of a DataParallelTag has room for.
constexpr std::size_t MOST_WORKERS = 1024;
/// Longest a run may compute, s; ns-3's clock ends at 9.2e9 s, and transfers take time too.
constexpr double LONGEST_UPDATE_SECONDS = 1e9;

/** Steps from memory. */
class GivenSteps : public StepSource
{
  public:
    /** @param steps the steps */
    explicit GivenSteps(std::vector<TraceStep> steps)
        : m_steps(std::move(steps))
    {
    }

    bool Next(TraceStep& step) override
    {
        if (m_next == m_steps.size())
        {
            return false;
        }
        step = m_steps[m_next++];
        return true;
    }

  private:
    std::vector<TraceStep> m_steps; //!< the steps
    std::size_t m_next{0};          //!< index of the next one
};

/**
 * @param nodes the workers
 * @param options how to run
 * @throws InputError if something makes no sense
 */
void
Check(const std::vector<DataParallelNode>& nodes, const DataParallelOptions& options)
{
    if (nodes.empty() || nodes.size() > MOST_WORKERS)
    {
        throw InputError("workers: found " + std::to_string(nodes.size()) + ", expected 1 to " +
                         std::to_string(MOST_WORKERS));
    }
    if (options.baseBatch < nodes.size() || options.baseBatch > LARGEST_BASE_BATCH)
    {
        throw InputError("base-batch: found " + std::to_string(options.baseBatch) +
                         ", expected a sample or more for each of " + std::to_string(nodes.size()) +
                         " workers");
    }
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
    if (FindByName<GradientExchange>("exchange", options.exchange)->NeedsFlows() &&
        options.network.fidelity != "flow")
    {
        throw InputError("exchange: found \"" + options.exchange +
                         "\", whose merged steps are no messages, expected ring or " +
                         "parameter-server with --fidelity=packet");
    }
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
    ~DataParallelRun();

    /** @return what comes of it */
    DataParallelResult Simulate();

  private:
    /** Build networks, and what watches them. */
    void Join();
    /**
     * Put a worker's applications on its node.
     * @param rank of the worker
     */
    void BuildWorker(uint32_t rank);
    /** Put what decides shares on the first node. */
    void BuildFirstNode();
    /**
     * A worker has nothing more to do.
     *
     * @param rank of the worker
     * @param refusal why it cannot go on; empty after the last iteration
     */
    void NoticeFinished(uint32_t rank, const std::string& refusal);
    /** Fill in what came of it. */
    void Collect();

    const std::vector<DataParallelNode>& m_nodes;       //!< the workers
    const DataParallelOptions& m_options;               //!< how to run
    const std::function<void(double)>& m_progress;      //!< may be empty
    const std::vector<uint64_t> m_shares;               //!< at first
    std::vector<std::string> m_names;                   //!< of the workers
    DataParallelLog m_log;                              //!< records
    Network m_network;                                  //!< joins the workers
    Network m_control;                                  //!< moves metrics; may be the same
    Ptr<StallMonitor> m_stall;                          //!< ends a run that is stuck
    std::vector<Ptr<GradientExchange>> m_exchanges;     //!< by worker
    std::vector<Ptr<DataParallelWorker>> m_workers;     //!< by worker
    std::vector<Ptr<MemoryLedger>> m_ledgers;           //!< by worker
    std::vector<std::unique_ptr<LoadPlayer>> m_players; //!< replay loads
    std::size_t m_running{0};                           //!< workers that have yet to finish
    DataParallelResult m_result;                        //!< what comes of it
};

DataParallelRun::DataParallelRun(const std::vector<DataParallelNode>& nodes,
                                 const DataParallelOptions& options,
                                 const std::function<void(double)>& progress)
    : m_nodes(nodes),
      m_options(options),
      m_progress(progress),
      m_shares(SplitBatch(options.baseBatch, std::vector<double>(nodes.size(), 1))),
      m_log(nodes.size(), m_shares),
      m_running(nodes.size())
{
}

DataParallelRun::~DataParallelRun()
{
    m_players.clear();
    for (const auto& network : {m_network, m_control})
    {
        if (network.transport)
        {
            network.transport->Dispose();
        }
    }
    Simulator::Destroy();
}

DataParallelResult
DataParallelRun::Simulate()
{
    Join();
    for (uint32_t rank = 0; rank < m_nodes.size(); ++rank)
    {
        BuildWorker(rank);
    }
    for (const auto& exchange : m_exchanges)
    {
        exchange->Meet(m_exchanges);
    }
    BuildFirstNode();
    m_stall->Start();
    Simulator::Run();
    Collect();
    m_stall->Dispose();
    return std::move(m_result);
}

void
DataParallelRun::Join()
{
    std::set<uint32_t> active;
    for (const auto& node : m_nodes)
    {
        active.insert(m_names.size());
        m_names.push_back(node.name);
    }
    m_network = NetworkHelper(m_options.network, m_names).Build(active);
    m_control =
        m_options.control ? NetworkHelper(*m_options.control, m_names).Build(active) : m_network;
    m_log.Observe(m_network.transport);
    if (m_options.control)
    {
        m_log.Observe(m_control.transport);
    }
    m_network.transport->TraceConnectWithoutContext(
        "TransferEnd",
        Callback<void, uint64_t, const Message&>([this](uint64_t, const Message& message) {
            m_result.exchangeTransfers +=
                message.port == DATA_PARALLEL_EXCHANGE_PORT && message.from != message.to;
        }));
    m_stall = CreateObject<StallMonitor>();
    m_stall->SetAttribute("Timeout", TimeValue(m_options.stallTimeout));
    m_stall->WatchTransport(m_network.transport, m_names, [](const Message& message) {
        return DataParallelTag::Unpack(message.tag).Describe();
    });
    m_stall->DisregardPortsFrom(DATA_PARALLEL_FIRST_CONTROL_PORT);
}

void
DataParallelRun::BuildWorker(uint32_t rank)
{
    const DataParallelNode& node = m_nodes[rank];
    const auto compute = CreateObject<ComputeDevice>();
    m_stall->WatchCompute(rank, compute);
    if (!node.loadTrace.empty() || !node.loadSteps.empty())
    {
        auto steps = node.loadTrace.empty() ? std::make_unique<GivenSteps>(node.loadSteps)
                                            : OpenLoadTrace(node.loadTrace, m_options.load);
        m_players.push_back(std::make_unique<LoadPlayer>(compute, std::move(steps)));
    }
    const auto ledger = CreateObject<MemoryLedger>();
    ledger->SetAttribute("Capacity", UintegerValue(node.memoryBytes));
    m_ledgers.push_back(ledger);

    const auto exchange = FindByName<GradientExchange>("exchange", m_options.exchange);
    exchange->SetUp(rank, m_nodes.size(), m_network.transport, node.cost.parameterBytes);
    m_exchanges.push_back(exchange);

    const auto worker = CreateObject<DataParallelWorker>();
    worker->SetAttribute("Iterations", UintegerValue(m_options.iterations));
    worker->SetUp(compute, ledger, node.cost, exchange, m_shares[rank]);
    worker->SetFinishedCallback(Callback<void, const std::string&>(
        [this, rank](const std::string& refusal) { NoticeFinished(rank, refusal); }));
    m_log.Observe(rank, worker);
    m_workers.push_back(worker);
    m_network.devices.Get(rank)->AddApplication(worker);
    m_stall->WatchParty(rank, [worker] { return worker->DescribeWait(); });
    if (rank == 0 && m_progress)
    {
        worker->TraceConnectWithoutContext(
            "IterationEnd",
            Callback<void, uint32_t, uint32_t>([this](uint32_t iteration, uint32_t) {
                m_progress((iteration + 1.0) / m_options.iterations);
            }));
    }

    const auto reporter = CreateObject<DataParallelReporter>();
    reporter->SetAttribute("UpdateInterval", TimeValue(m_options.updateInterval));
    reporter->SetAttribute("AllPairs", BooleanValue(m_options.allPairs));
    reporter->SetUp(rank, m_nodes.size(), m_control.transport, worker);
    m_network.devices.Get(rank)->AddApplication(reporter);
}

void
DataParallelRun::BuildFirstNode()
{
    const auto planner = FindByName<BatchSharesPlanner>("shares", m_options.planner);
    BatchSharesProblem problem;
    problem.baseBatch = m_options.baseBatch;
    problem.normalize = m_options.normalize;
    problem.opsPerSample = m_nodes.front().cost.opsPerSample;
    for (const auto& name : m_names)
    {
        problem.nodes.push_back({name, 0, 0, {0}, 0});
    }
    const auto firstNode = CreateObject<DataParallelFirstNode>();
    firstNode->SetAttribute("UpdateInterval", TimeValue(m_options.updateInterval));
    firstNode->SetAttribute("MissingAfter", TimeValue(m_options.missingAfter));
    firstNode->SetUp(m_control.transport, m_workers.front(), planner, problem, m_shares);
    m_log.Observe(firstNode);
    m_network.devices.Get(0)->AddApplication(firstNode);
}

void
DataParallelRun::NoticeFinished(uint32_t rank, const std::string& refusal)
{
    if (!refusal.empty())
    {
        m_result.diagnosis.push_back(m_names[rank] + ": " + refusal);
    }
    --m_running;
    if (m_running == 0 || !refusal.empty())
    {
        m_stall->Stop();
        Simulator::Stop();
    }
}

void
DataParallelRun::Collect()
{
    m_result.isComplete = m_running == 0 && m_result.diagnosis.empty();
    m_result.updates = m_log.GetUpdates();
    m_result.shares = m_log.GetShares();
    m_result.plans = m_log.GetPlans();
    m_result.missing = m_log.GetMissing();
    m_result.nodes = m_log.GetNodes();
    for (const auto& ledger : m_ledgers)
    {
        m_result.peakMemoryBytes.push_back(ledger->GetPeak());
    }
    for (const auto& link : m_network.links)
    {
        m_result.links.push_back(*link);
    }
    if (m_options.control)
    {
        for (const auto& link : m_control.links)
        {
            m_result.links.push_back(*link);
            m_result.links.back().name += " (control)";
        }
    }
    m_result.end = Simulator::Now();
    m_result.events = Simulator::GetEventCount();
    if (!m_result.isComplete && m_result.diagnosis.empty())
    {
        m_result.diagnosis = m_stall->Diagnose();
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
