/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-data-parallel-log.h"

#include "ns3/edgepipe-connect.h"
#include "ns3/edgepipe-data-parallel-reporter.h"
#include "ns3/edgepipe-tensor-endpoint.h"
#include "ns3/simulator.h"

namespace ns3::edgepipe
{

DataParallelLog::DataParallelLog(const ApplicationContainer& applications)
    : m_filter(applications),
      m_open(2)
{
    m_records.shares.resize(1);
    NodeContainer nodes;
    for (const auto& worker : Select<DataParallelWorker>(applications))
    {
        Observe(nodes.GetN(), worker);
        nodes.Add(worker->GetNode());
        m_records.shares.front().samples.push_back(worker->GetSamples());
    }
    m_begun.resize(nodes.GetN());
    m_computed.resize(nodes.GetN());
    m_records.nodes.resize(nodes.GetN());
    Observe(nodes);
    NodeContainer control;
    for (const auto& reporter : Select<DataParallelReporter>(applications))
    {
        control.Add(reporter->GetNode());
    }
    if (control.GetN() > 0 && control.Get(0) != nodes.Get(0))
    {
        Observe(control);
    }
    for (const auto& firstNode : Select<DataParallelFirstNode>(applications))
    {
        Observe(firstNode);
    }
}

void
DataParallelLog::Observe(uint32_t rank, Ptr<DataParallelWorker> worker)
{
    Connect(worker, "Begin", [this, rank](uint32_t iteration) {
        m_begun[rank] = Simulator::Now();
        Time& start = m_open.at(iteration - m_records.updates.size()).start;
        start = start.IsZero() ? m_begun[rank] : start;
    });
    Connect(worker, "Computed", [this, rank](uint32_t iteration, uint64_t samples) {
        const Time now = Simulator::Now();
        WeightUpdateRecord& update = m_open.at(iteration - m_records.updates.size());
        update.samples += samples;
        update.firstComputed = update.firstComputed.IsZero() ? now : update.firstComputed;
        update.lastComputed = now;
        m_computed[rank] = now;
        m_records.nodes[rank].samples += samples;
        m_records.nodes[rank].computeSeconds += (now - m_begun[rank]).GetSeconds();
    });
    Connect(worker, "IterationEnd", [this, rank](uint32_t iteration, uint32_t version) {
        const Time now = Simulator::Now();
        NS_ABORT_MSG_UNLESS(iteration == m_records.updates.size(),
                            "a worker is an iteration ahead");
        WeightUpdateRecord& update = m_open.front();
        update.version = version;
        ShareRecord& shares = m_records.shares[version];
        const uint32_t workers =
            shares.samples.size() - std::count(shares.samples.begin(), shares.samples.end(), 0);
        update.nodeSeconds += (now - m_computed[rank]).GetSeconds() / workers;
        update.exchangeSeconds += (now - update.lastComputed).GetSeconds() / workers;
        if (!shares.isInForce)
        {
            shares.isInForce = true;
            shares.iteration = iteration;
        }
        if (++m_ended < workers)
        {
            return;
        }
        m_ended = 0;
        update.end = now;
        update.previousEnd =
            m_records.updates.empty() ? update.start : m_records.updates.back().end;
        m_records.updates.push_back(update);
        m_open.erase(m_open.begin());
        m_open.emplace_back();
    });
}

void
DataParallelLog::Observe(Ptr<DataParallelFirstNode> firstNode)
{
    Connect(firstNode, "Decided", [this](uint32_t version, const std::vector<uint64_t>& samples) {
        m_records.shares.resize(version + 1);
        m_records.shares[version].decided = Simulator::Now();
        m_records.shares[version].samples = samples;
    });
    Connect(firstNode, "Planned", [this] { ++m_records.plans; });
    Connect(firstNode, "MetricsMissing", [this](uint32_t rank, Time since) {
        m_missing[rank] = m_records.missing.size();
        m_records.missing.push_back({rank, since, Time()});
    });
    Connect(firstNode, "MetricsBack", [this](uint32_t rank, Time) {
        m_records.missing[m_missing.at(rank)].until = Simulator::Now();
    });
}

void
DataParallelLog::Observe(const NodeContainer& nodes)
{
    Connect(TensorEndpoint::FindTransport(nodes.Get(0)),
            "TransferEnd",
            [this, ranks = WorkerRanks(nodes)](uint64_t, const Message& message) {
                const auto rank = ranks.FindRank(message.from);
                // Monitors' probes count, too, although their ports are not the job's.
                const bool isOurs =
                    m_filter.Has(message) || message.port >= TensorTransport::MONITOR_PORT;
                if (rank && message.from != message.to && isOurs)
                {
                    DataParallelNodeUse& node = m_records.nodes[*rank];
                    const bool isExchange =
                        TensorSocket::GetJobPort(message.port) == DATA_PARALLEL_EXCHANGE_PORT;
                    (isExchange ? node.exchangeBytes : node.controlBytes) += message.bytes;
                    m_records.exchangeTransfers += isExchange;
                }
            });
}

} // namespace ns3::edgepipe
