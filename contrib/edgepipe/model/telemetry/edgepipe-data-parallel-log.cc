/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-data-parallel-log.h"

#include "ns3/abort.h"
#include "ns3/edgepipe-data-parallel-message.h"
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

DataParallelLog::DataParallelLog(uint32_t workers, std::vector<uint64_t> shares, JobFilter filter)
    : m_filter(std::move(filter)),
      m_open(2),
      m_begun(workers),
      m_computed(workers),
      m_nodes(workers)
{
    m_shares.emplace_back();
    m_shares.front().samples = std::move(shares);
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
DataParallelLog::Observe(Ptr<TensorTransport> transport, const NodeContainer& nodes)
{
    transport->TraceConnectWithoutContext(
        "TransferEnd",
        Callback<void, uint64_t, const Message&>(
            [this, ranks = WorkerRanks(nodes)](uint64_t, const Message& message) {
                const auto rank = ranks.FindRank(message.from);
                if (rank && message.from != message.to && m_filter.Has(message))
                {
                    DataParallelNodeUse& node = m_nodes[*rank];
                    const uint16_t port = TensorSocket::GetJobPort(message.port);
                    (port == DATA_PARALLEL_EXCHANGE_PORT ? node.exchangeBytes
                                                         : node.controlBytes) += message.bytes;
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

} // namespace edgepipe
} // namespace ns3
