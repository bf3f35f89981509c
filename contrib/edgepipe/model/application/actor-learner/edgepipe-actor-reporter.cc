/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-actor-reporter.h"

#include "ns3/edgepipe-actor-message.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(ActorReporter);

TypeId
ActorReporter::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::ActorReporter")
                            .SetParent<Replanner>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<ActorReporter>();
    return tid;
}

void
ActorReporter::DoDispose()
{
    if (m_monitor && m_isWatching)
    {
        m_monitor->Dispose();
    }
    m_monitor = nullptr;
    m_capacity = nullptr;
    m_first = nullptr;
    Replanner::DoDispose();
}

void
ActorReporter::SetMonitor(Ptr<BandwidthMonitor> monitor,
                          BandwidthMonitor::Capacity capacity,
                          FirstCallback first)
{
    m_monitor = monitor;
    m_capacity = std::move(capacity);
    m_first = std::move(first);
}

void
ActorReporter::Start(const TensorSocket& socket, Ptr<ComputeDevice> compute, uint32_t server)
{
    Use(socket, compute);
    m_server = server;
}

DeviceReport
ActorReporter::Join(uint32_t stay)
{
    m_stay = stay;
    if (m_monitor && !m_isWatching)
    {
        m_isWatching = true;
        const double first = m_first();
        m_monitor->Start({GetSocket().GetNode(), m_server, GetSocket().GetTransport(), m_capacity},
                         first,
                         first,
                         Callback<void, double, double>([this](double, double) { ReportIfDue(); }));
    }
    const DeviceReport report = GetReport();
    if (m_monitor)
    {
        SetFigures(ListFigures(report));
        Watch();
    }
    m_isIn = true; // an oracle may have told of another estimate before
    return report;
}

void
ActorReporter::NoticeWork()
{
    ReportIfDue();
}

void
ActorReporter::Stop()
{
    Replanner::Stop();
    m_isIn = false;
}

void
ActorReporter::End()
{
    Stop();
    if (m_monitor && m_isWatching)
    {
        m_monitor->Stop();
    }
}

void
ActorReporter::NoticePeriod()
{
    m_monitor->Refresh();
    ReportIfDue();
}

DeviceReport
ActorReporter::GetReport() const
{
    DeviceReport report;
    report.share = GetCompute()->GetMeasuredShare();
    if (m_monitor)
    {
        report.uplinkBitsPerSecond = m_monitor->GetUplinkBitsPerSecond();
        report.downlinkBitsPerSecond = m_monitor->GetDownlinkBitsPerSecond();
    }
    return report;
}

std::vector<double>
ActorReporter::ListFigures(const DeviceReport& report)
{
    return {report.share, report.uplinkBitsPerSecond}; // eq. 6 has one rate for both ways
}

void
ActorReporter::ReportIfDue()
{
    if (!m_monitor || !m_isIn || m_isReporting)
    {
        return;
    }
    const DeviceReport report = GetReport();
    if (!TakeIfDue(ListFigures(report)))
    {
        return;
    }
    m_isReporting = true;
    const std::string body = WriteBody(report);
    GetSocket().Send(m_server,
                     EDGE_SERVER_PORT,
                     ActorTag{ActorTag::REPORT, m_stay}.Pack(),
                     std::max<uint64_t>(ACTOR_NOTICE_BYTES, body.size()),
                     body,
                     Callback<void>([self = Ptr<ActorReporter>(this)] {
                         self->m_isReporting = false;
                         self->ReportIfDue();
                     }));
}

} // namespace edgepipe
} // namespace ns3
