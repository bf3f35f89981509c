/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workloads/data-parallel-run.h"

#include "ns3/edgepipe-data-parallel-helper.h"

namespace ns3::edgepipe
{

namespace
{

/// Few enough for frequent progress updates, many enough to make their cost negligible.
constexpr uint64_t REPORTS_PER_LOOK = 1000;

} // namespace

DataParallelResult
RunDataParallel(const DataParallelSetting& setting, const std::function<void(double)>& progress)
{
    Require(!setting.nodes.empty(), "workers: found 0, expected 1 to 16384");
    const auto names = Map(setting.nodes, &DataParallelNode::name);
    DataParallelHelper helper(Map(setting.nodes, &DataParallelNode::cost));
    helper.SetPlanner(setting.planner);
    helper.SetLayers(setting.layers);
    // Declared before the deployment, since the simulation must be taken down first.
    std::optional<DataParallelLog> log;
    DataParallelResult result;
    std::set<uint32_t> running; // ranks of joined workers that have yet to finish
    double updates = 0;         // done
    double exchangedBytes = 0;  // since the last update
    double share = 0;           // of the run that is done, as last reported
    uint64_t reports = 0;       // other messages that have arrived
    Deployment deployment(setting, names);
    const Network& network = deployment.GetNetwork();
    std::optional<Network> control;
    if (setting.control)
    {
        control = deployment.AddNetwork(*setting.control);
        helper.SetControlNodes(control->devices);
    }
    for (uint32_t rank = 0; rank < names.size(); ++rank)
    {
        const auto& node = setting.nodes[rank];
        deployment.AddDevice(rank, node.memoryBytes);
        if (!node.join.IsZero() || !node.leave.IsZero())
        {
            helper.SetPresence(rank, node.join, node.leave);
        }
    }
    deployment.AddLoads();
    if (setting.monitor != "none")
    {
        helper.SetMonitor(setting.monitor, network.capacity);
    }
    const ApplicationContainer applications = helper.Install(network.devices);
    log.emplace(applications);
    const auto workers = Select<DataParallelWorker>(applications);
    UintegerValue iterations;
    workers.front()->GetAttribute("Iterations", iterations);
    const auto show = [&](double pendingBytes) {
        if (progress)
        {
            // Bytes that any exchange moves in an update.
            const double most =
                2 * (running.size() - 1.0) * setting.nodes.front().cost.parameterBytes;
            const double part =
                std::min(1.0, (exchangedBytes + pendingBytes) / std::max(1.0, most));
            share = std::max(share, std::min(1.0, (updates + part) / iterations.Get()));
            progress(share);
        }
    };
    const auto count = [&](uint64_t, const Message& message) {
        if (message.port == DATA_PARALLEL_EXCHANGE_PORT && message.from != message.to)
        {
            exchangedBytes += static_cast<double>(message.bytes);
            show(0);
        }
        else if (++reports % REPORTS_PER_LOOK == 0)
        {
            // During a long update most messages are reports.
            show(Sum(network.transport->GetPending(), [](const auto& each) {
                const bool isExchange = each.message.port == DATA_PARALLEL_EXCHANGE_PORT;
                return isExchange ? static_cast<double>(each.deliveredBytes) : 0;
            }));
        }
    };
    Connect(network.transport, "TransferEnd", count);
    if (control)
    {
        Connect(control->transport, "TransferEnd", count);
    }
    for (uint32_t rank = 0; rank < workers.size(); ++rank)
    {
        const auto& worker = workers[rank];
        deployment.Watch(ApplicationContainer(worker));
        if (worker->IsIn())
        {
            running.insert(rank);
        }
        Connect(worker, "Begin", [&, rank](uint32_t) { running.insert(rank); });
        Connect(worker, "Finished", [&, rank, worker = PeekPointer(worker)] {
            const std::string refusal = worker->GetRefusal();
            if (!refusal.empty())
            {
                result.diagnosis.push_back(names[rank] + ": " + refusal);
            }
            running.erase(rank);
            if (running.empty() || !refusal.empty())
            {
                deployment.End();
            }
        });
    }
    Connect(workers.front(), "IterationEnd", [&](uint32_t iteration, uint32_t) {
        updates = iteration + 1;
        exchangedBytes = 0;
        show(0);
    });
    deployment.Run();

    const auto refusals = result.diagnosis;
    deployment.Collect(running.empty() && refusals.empty(), result);
    result.diagnosis = refusals.empty() ? result.diagnosis : refusals;
    const auto firstNode = Select<DataParallelFirstNode>(applications).front();
    static_cast<DataParallelRecords&>(result) = log->GetRecords();
    result.failures = firstNode->GetReplanner()->GetFailures();
    result.problem = firstNode->GetProblem();
    result.peakMemoryBytes = Map(CountUp(names.size()), [&network](uint32_t rank) {
        return network.devices.Get(rank)->GetObject<MemoryLedger>()->GetPeak();
    });
    if (control)
    {
        for (const auto& link : control->links)
        {
            result.links.push_back(*link);
            result.links.back().name += " (control)";
        }
    }
    if (!result.updates.empty())
    {
        const Time whole = result.updates.back().end - result.updates.front().start;
        result.seconds = whole.GetSeconds() / static_cast<double>(result.updates.size());
        result.perSecond = result.seconds > 0 ? result.GetSamplesPerUpdate() / result.seconds : 0;
    }
    result.requests = result.updates.size() * names.size();
    return result;
}

} // namespace ns3::edgepipe
