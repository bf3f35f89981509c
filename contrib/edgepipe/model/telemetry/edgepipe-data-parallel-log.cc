/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-data-parallel-log.h"

#include "ns3/abort.h"
#include "ns3/edgepipe-data-parallel-message.h"
#include "ns3/edgepipe-data-parallel-reporter.h"
#include "ns3/edgepipe-tensor-endpoint.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace edgepipe
{

double
WeightUpdateRecord::GetIterationSeconds() const
{
    return (end - previousEnd).GetSeconds();
}

DataParallelLog::DataParallelLog(const ApplicationContainer& applications)
    : m_filter(applications),
      m_open(2),
      m_shares(1)
{
    NodeContainer nodes;
    for (const auto& worker : Select<DataParallelWorker>(applications))
    {
        Observe(nodes.GetN(), worker);
        nodes.Add(worker->GetNode());
        m_shares.front().samples.push_back(worker->GetSamples());
    }
    m_begun.resize(nodes.GetN());
    m_computed.resize(nodes.GetN());
    m_nodes.resize(nodes.GetN());
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
    worker->TraceConnectWithoutContext("Begin",
                                       Callback<void, uint32_t>([this, rank](uint32_t iteration) {
                                           NoticeBegin(rank, iteration);
                                       }));
    worker->TraceConnectWithoutContext(
        "Computed",
        Callback<void, uint32_t, uint64_t>([this, rank](uint32_t iteration, uint64_t samples) {
            NoticeComputed(rank, iteration, samples);
        }));
    worker->TraceConnectWithoutContext(
        "IterationEnd",
        Callback<void, uint32_t, uint32_t>([this, rank](uint32_t iteration, uint32_t version) {
            NoticeEnd(rank, iteration, version);
        }));
}

void
DataParallelLog::Observe(Ptr<DataParallelFirstNode> firstNode)
{
    firstNode->TraceConnectWithoutContext(
        "Decided",
        Callback<void, uint32_t, const std::vector<uint64_t>&>(
            [this](uint32_t version, const std::vector<uint64_t>& shares) {
                m_shares.resize(version + 1);
                m_shares[version].decided = Simulator::Now();
                m_shares[version].samples = shares;
            }));
    firstNode->TraceConnectWithoutContext("Planned", Callback<void>([this] { ++m_plans; }));
    firstNode->TraceConnectWithoutContext(
        "MetricsMissing",
        Callback<void, uint32_t, Time>([this](uint32_t rank, Time since) {
            m_missing.push_back({rank, since, Time()});
        }));
    firstNode->TraceConnectWithoutContext(
        "MetricsBack",
        Callback<void, uint32_t, Time>([this](uint32_t rank, Time since) {
            for (auto& missing : m_missing)
            {
                if (missing.rank == rank && missing.since == since)
                {
                    missing.until = Simulator::Now();
                }
            }
        }));
}

void
DataParallelLog::Observe(const NodeContainer& nodes)
{
    TensorEndpoint::FindTransport(nodes.Get(0))
        ->TraceConnectWithoutContext(
            "TransferEnd",
            Callback<void, uint64_t, const Message&>(
                [this, ranks = WorkerRanks(nodes)](uint64_t, const Message& message) {
                    const auto rank = ranks.FindRank(message.from);
                    // Monitors of links have ports of their own.
                    const bool isOurs =
                        m_filter.Has(message) || message.port >= TensorTransport::MONITOR_PORT;
                    if (rank && message.from != message.to && isOurs)
                    {
                        DataParallelNodeUse& node = m_nodes[*rank];
                        const bool isExchange =
                            TensorSocket::GetJobPort(message.port) == DATA_PARALLEL_EXCHANGE_PORT;
                        (isExchange ? node.exchangeBytes : node.controlBytes) += message.bytes;
                        m_exchangeTransfers += isExchange;
                    }
                }));
}

void
DataParallelLog::NoticeBegin(uint32_t rank, uint32_t iteration)
{
    m_begun[rank] = Simulator::Now();
    Time& start = m_open.at(iteration - m_updates.size()).start;
    start = start.IsZero() ? m_begun[rank] : start;
}

void
DataParallelLog::NoticeComputed(uint32_t rank, uint32_t iteration, uint64_t samples)
{
    const Time now = Simulator::Now();
    WeightUpdateRecord& update = m_open.at(iteration - m_updates.size());
    update.samples += samples;
    update.firstComputed = update.firstComputed.IsZero() ? now : update.firstComputed;
    update.lastComputed = now;
    m_computed[rank] = now;
    m_nodes[rank].samples += samples;
    m_nodes[rank].computeSeconds += (now - m_begun[rank]).GetSeconds();
}

void
DataParallelLog::NoticeEnd(uint32_t rank, uint32_t iteration, uint32_t version)
{
    const Time now = Simulator::Now();
    NS_ABORT_MSG_UNLESS(iteration == m_updates.size(), "a worker is an iteration ahead");
    WeightUpdateRecord& update = m_open.front();
    update.version = version;
    ShareRecord& shares = m_shares[version];
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
    update.previousEnd = m_updates.empty() ? update.start : m_updates.back().end;
    m_updates.push_back(update);
    m_open.erase(m_open.begin());
    m_open.emplace_back();
}

const std::vector<WeightUpdateRecord>&
DataParallelLog::GetUpdates() const
{
    return m_updates;
}

const std::vector<ShareRecord>&
DataParallelLog::GetShares() const
{
    return m_shares;
}

const std::vector<MissingMetrics>&
DataParallelLog::GetMissing() const
{
    return m_missing;
}

uint32_t
DataParallelLog::GetPlans() const
{
    return m_plans;
}

const std::vector<DataParallelNodeUse>&
DataParallelLog::GetNodes() const
{
    return m_nodes;
}

uint64_t
DataParallelLog::GetExchangeTransfers() const
{
    return m_exchangeTransfers;
}

} // namespace edgepipe
} // namespace ns3
