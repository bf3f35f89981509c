/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-data-parallel-reporter.h"

#include "ns3/abort.h"
#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-edge-device.h"
#include "ns3/edgepipe-replanner.h"
#include "ns3/simulator.h"

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(DataParallelReporter);

TypeId
DataParallelReporter::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("UpdateInterval",
             "Time between reports.",
             {&DataParallelReporter::m_interval, Seconds(1), MicroSeconds(1)})
        .Add("AllPairs",
             "Whether to measure the latency to every node, as in equation 4, or to the first "
             "node alone, as in algorithm 1.",
             {&DataParallelReporter::m_allPairs, false});
}

void
DataParallelReporter::SetUp(std::shared_ptr<const WorkerRanks> ranks,
                            Ptr<DataParallelWorker> worker,
                            std::shared_ptr<PairMonitors> monitors,
                            const Time& leave)
{
    m_ranks = std::move(ranks);
    m_worker = worker;
    m_monitors = std::move(monitors);
    m_leave = leave;
    Listen();
}

void
DataParallelReporter::DoDispose()
{
    m_next.Cancel();
    m_leaving.Cancel();
    m_monitor = nullptr;
    m_monitors = nullptr;
    m_worker = nullptr;
    EdgeApplication::DoDispose();
}

void
DataParallelReporter::StartApplication()
{
    NS_ABORT_MSG_UNLESS(m_worker, "SetUp was not called");
    EdgeApplication::StartApplication();
    NS_ABORT_MSG_IF(m_monitors && m_allPairs, "a monitor watches one link of a worker");
    Watch();
    m_started = Simulator::Now();
    AskNext();
    if (!m_worker->IsIn())
    {
        SendToFirst({DataParallelTag::JOIN});
    }
    if (!m_leave.IsZero())
    {
        m_leaving = Simulator::Schedule(m_leave - Simulator::Now(),
                                        [this] { SendToFirst({DataParallelTag::LEAVE}); });
    }
}

void
DataParallelReporter::StopWatching()
{
    if (m_monitor)
    {
        m_monitors->Drop(m_worker->GetNode()->GetId(), *m_receiver, false);
    }
    m_monitor = nullptr;
    m_receiver.reset();
}

void
DataParallelReporter::Watch()
{
    const auto receiver =
        m_monitors && m_worker->IsIn() ? m_worker->GetExchange()->FindReceiver() : std::nullopt;
    if (receiver == m_receiver)
    {
        return;
    }
    StopWatching();
    m_receiver = receiver;
    if (receiver)
    {
        m_monitor = m_monitors->Get(m_worker->GetNode()->GetId(), *receiver, false);
    }
}

void
DataParallelReporter::AskNext()
{
    if (!m_started || m_next.IsRunning())
    {
        return;
    }
    const Time since = Simulator::Now() - *m_started;
    const int64_t intervals = since.GetTimeStep() / m_interval.GetTimeStep() + 1;
    m_next = Simulator::Schedule(m_interval * intervals - since, &DataParallelReporter::Ask, this);
}

void
DataParallelReporter::Ask()
{
    Watch();
    if (m_missing > 0)
    {
        return; // the last answer asks again
    }
    AskNext();
    if (!m_worker->IsIn())
    {
        return;
    }
    m_asked = Simulator::Now();
    m_version = m_worker->GetVersion();
    m_nodes = m_allPairs ? m_worker->GetMembers() : std::vector<uint32_t>{0};
    m_missing = m_nodes.size();
    m_latencies.assign(m_missing, 0);
    for (const uint32_t rank : m_nodes)
    {
        Send(m_ranks->GetNode(rank), DATA_PARALLEL_REPORTER_PORT, {DataParallelTag::PING}, "");
    }
}

void
DataParallelReporter::Receive(const Message& message)
{
    const DataParallelTag tag = DataParallelTag::Unpack(message.tag);
    switch (tag.kind)
    {
    case DataParallelTag::PING:
        Send(message.from, DATA_PARALLEL_REPORTER_PORT, {DataParallelTag::PONG}, "");
        break;
    case DataParallelTag::PONG:
        m_latencies[std::lower_bound(m_nodes.begin(),
                                     m_nodes.end(),
                                     m_ranks->FindRank(message.from).value()) -
                    m_nodes.begin()] = (Simulator::Now() - m_asked).GetSeconds();
        if (--m_missing == 0)
        {
            AskNext();
            Report();
        }
        break;
    case DataParallelTag::SHARES: {
        const auto notice = ReadBody<ShareNotice>(message.body);
        m_worker->AddShare(notice.version, notice.samples, notice.members);
        SendToFirst({DataParallelTag::SHARES_TAKEN, 0, 0, notice.version});
        break;
    }
    default:
        NS_ABORT_MSG("a reporter cannot use " << tag.Describe());
    }
}

void
DataParallelReporter::Report()
{
    NodeMetrics metrics;
    metrics.opsPerSecond = m_worker->MeasureOpsPerSecond();
    metrics.memoryBytesInUse = m_worker->GetMemoryInUse();
    metrics.communicationSeconds = m_worker->GetExchange()->GetUploadSeconds();
    metrics.latenciesSeconds = m_latencies;
    if (m_monitor)
    {
        m_monitor->Refresh();
        const auto compute = GetFromDevice<ComputeDevice>(m_worker->GetNode());
        const DeviceReport report{compute->GetMeasuredShare(),
                                  m_monitor->GetUplinkBitsPerSecond(),
                                  m_monitor->GetDownlinkBitsPerSecond(),
                                  compute->GetBacklog()};
        SendToFirst({DataParallelTag::REPORT}, WriteBody(report));
        // Estimates for the watched link replace measurements.
        const auto exchange = m_worker->GetExchange();
        metrics.communicationSeconds =
            exchange->FindOwnSeconds(report.uplinkBitsPerSecond, report.downlinkBitsPerSecond);
        m_leastLatency = std::min(m_leastLatency, m_latencies.front());
        const double bytes = static_cast<double>(exchange->GetBytes());
        metrics.latenciesSeconds = {m_leastLatency + 8.0 * bytes / report.uplinkBitsPerSecond};
    }
    SendToFirst({DataParallelTag::METRICS, 0, 0, m_version}, WriteBody(metrics));
}

} // namespace ns3::edgepipe
