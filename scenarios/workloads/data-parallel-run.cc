/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workloads/data-parallel-run.h"

#include "runs/deployment.h"
#include "runs/progress.h"

#include "ns3/edgepipe-connect.h"
#include "ns3/edgepipe-data-parallel-helper.h"
#include "ns3/edgepipe-data-parallel-message.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-message-description.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::edgepipe
{

namespace
{

/// Few enough for frequent progress updates, many enough to make their cost negligible.
constexpr uint64_t REPORTS_PER_LOOK = 1000;

/** Ends a training when all workers are done, and reports progress. */
class TrainingWatch
{
  public:
    /**
     * @param deployment that runs the training
     * @param parameterBytes of the model
     * @param progress called with the share of the run that is done; may be empty
     */
    TrainingWatch(Deployment& deployment,
                  uint64_t parameterBytes,
                  const std::function<void(double)>& progress)
        : m_deployment(deployment),
          m_parameterBytes(static_cast<double>(parameterBytes)),
          m_progress(progress)
    {
    }

    /**
     * @param rank of a worker
     * @param worker the worker
     */
    void Watch(uint32_t rank, Ptr<DataParallelWorker> worker)
    {
        if (worker->IsIn())
        {
            m_running.insert(rank);
        }
        Connect(worker, "Begin", [this, rank](uint32_t) { m_running.insert(rank); });
        Connect(worker, "Finished", [this, rank, worker = PeekPointer(worker)] {
            const std::string refusal = worker->GetRefusal();
            if (!refusal.empty())
            {
                m_refusals.push_back(m_deployment.GetNames()[rank] + ": " + refusal);
            }
            m_running.erase(rank);
            if (m_running.empty() || !refusal.empty())
            {
                m_deployment.End();
            }
        });
        if (rank == 0)
        {
            UintegerValue iterations;
            worker->GetAttribute("Iterations", iterations);
            m_iterations = static_cast<double>(iterations.Get());
            Connect(worker, "IterationEnd", [this](uint32_t iteration, uint32_t) {
                m_updates = iteration + 1;
                m_exchangedBytes = 0;
                ShowProgress(0);
            });
        }
    }

    /** @param transport of gradients, or of metrics and shares */
    void Watch(Ptr<TensorTransport> transport)
    {
        Connect(transport, "TransferEnd", [this](uint64_t, const Message& message) {
            if (message.port == DATA_PARALLEL_EXCHANGE_PORT && message.from != message.to)
            {
                m_exchangedBytes += static_cast<double>(message.bytes);
                ShowProgress(0);
            }
            else if (++m_reports % REPORTS_PER_LOOK == 0)
            {
                // During a long update most messages are reports.
                ShowProgress(CountPendingBytes());
            }
        });
    }

    /** @param outcome filled in with how the training ended */
    void Describe(CaseOutcome& outcome) const
    {
        m_deployment.Collect(m_running.empty() && m_refusals.empty(), outcome);
        if (!m_refusals.empty())
        {
            outcome.diagnosis = m_refusals;
        }
    }

  private:
    /** @return delivered bytes of the exchange's messages in flight */
    double CountPendingBytes() const
    {
        return Sum(m_deployment.GetNetwork().transport->GetPending(), [](const auto& each) {
            return each.message.port == DATA_PARALLEL_EXCHANGE_PORT ? 1.0 * each.deliveredBytes : 0;
        });
    }

    /**
     * Report progress, from finished updates and the bytes of the current one.
     * @param pendingBytes delivered bytes of its messages in flight
     */
    void ShowProgress(double pendingBytes)
    {
        if (m_progress)
        {
            // Bytes that any exchange moves in an update.
            const double bytes = std::max(1.0, 2 * (m_running.size() - 1.0) * m_parameterBytes);
            const double share = std::min(1.0, (m_exchangedBytes + pendingBytes) / bytes);
            m_share = std::max(m_share, std::min(1.0, (m_updates + share) / m_iterations));
            m_progress(m_share);
        }
    }

    Deployment& m_deployment;                      //!< that runs it
    const double m_parameterBytes;                 //!< of the model
    const std::function<void(double)>& m_progress; //!< may be empty
    std::set<uint32_t> m_running;        //!< ranks of joined workers that have yet to finish
    std::vector<std::string> m_refusals; //!< why workers cannot go on
    double m_iterations{1};              //!< of the training
    double m_updates{0};                 //!< done
    double m_exchangedBytes{0};          //!< since the last update
    uint64_t m_reports{0};               //!< other messages that have arrived
    double m_share{0};                   //!< of the run that is done, as last reported
};

} // namespace

DataParallelResult
RunDataParallel(const DataParallelSetting& setting, const std::function<void(double)>& progress)
{
    Require(!setting.nodes.empty(), "workers: found 0, expected 1 to 1024");
    const auto names = Map(setting.nodes, &DataParallelNode::name);
    DataParallelHelper helper(Map(setting.nodes, &DataParallelNode::cost));
    helper.SetPlanner(setting.planner);
    helper.SetLayers(setting.layers);
    const Stopwatch stopwatch;
    // Declared before the deployment, since the simulation must be taken down first.
    std::optional<DataParallelLog> log;
    std::optional<TrainingWatch> watch;
    Deployment deployment(setting.network, names);
    const Network& network = deployment.GetNetwork();
    std::optional<Network> control;
    if (setting.control)
    {
        control = deployment.AddNetwork(*setting.control);
        helper.SetControlNodes(control->devices);
    }
    deployment.GetMonitor()->Disregard(KeepsComing);
    deployment.SetReplays(setting.replays);
    for (uint32_t rank = 0; rank < names.size(); ++rank)
    {
        const auto& node = setting.nodes[rank];
        deployment.AddDevice(rank, node.memoryBytes);
        if (!node.join.IsZero() || !node.leave.IsZero())
        {
            helper.SetPresence(rank, node.join, node.leave);
        }
    }
    deployment.AddLoads(setting.loads, setting.load);
    if (setting.monitor != "none")
    {
        helper.SetMonitor(setting.monitor, network.capacity);
    }
    const ApplicationContainer applications = helper.Install(network.devices);
    log.emplace(applications);
    watch.emplace(deployment, setting.nodes.front().cost.parameterBytes, progress);
    watch->Watch(network.transport);
    if (control)
    {
        watch->Watch(control->transport);
    }
    uint32_t rank = 0;
    for (const auto& worker : Select<DataParallelWorker>(applications))
    {
        deployment.Watch(ApplicationContainer(worker));
        watch->Watch(rank++, worker);
    }
    deployment.Run();

    DataParallelResult result;
    watch->Describe(result);
    const auto firstNode = Select<DataParallelFirstNode>(applications).front();
    static_cast<DataParallelRecords&>(result) = log->GetRecords();
    result.failures = firstNode->GetReplanner()->GetFailures();
    result.problem = firstNode->GetProblem();
    for (rank = 0; rank < names.size(); ++rank)
    {
        result.peakMemoryBytes.push_back(
            network.devices.Get(rank)->GetObject<MemoryLedger>()->GetPeak());
    }
    if (control)
    {
        for (const auto& link : control->links)
        {
            result.links.push_back(*link);
            result.links.back().name += " (control)";
        }
    }
    result.simulationSeconds = stopwatch.GetSeconds();
    if (!result.updates.empty())
    {
        const double updates = static_cast<double>(result.updates.size());
        result.seconds =
            (result.updates.back().end - result.updates.front().start).GetSeconds() / updates;
        result.perSecond = result.seconds > 0 ? result.GetSamplesPerUpdate() / result.seconds : 0;
    }
    result.requests = result.updates.size() * names.size();
    return result;
}

} // namespace ns3::edgepipe
