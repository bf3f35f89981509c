/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-pipeline-metrics.h"

#include <string>
#include <utility>

namespace ns3
{
namespace edgepipe
{

PipelineMetrics::PipelineMetrics(TensorSocket socket,
                                 Ptr<ComputeDevice> compute,
                                 std::shared_ptr<PairMonitors> monitors,
                                 uint32_t other)
    : m_socket(std::move(socket)),
      m_compute(compute),
      m_monitors(std::move(monitors)),
      m_other(other)
{
    m_socket.Listen(PIPELINE_METRICS_PORT, MakeCallback(&PipelineMetrics::Answer, this));
    m_compute->TraceConnectWithoutContext("AvailableShare",
                                          MakeCallback(&PipelineMetrics::NoticeShare, this));
}

PipelineMetrics::~PipelineMetrics()
{
    m_compute->TraceDisconnectWithoutContext("AvailableShare",
                                             MakeCallback(&PipelineMetrics::NoticeShare, this));
}

void
PipelineMetrics::SetStage(const StageAssignment& stage)
{
    const bool hadStage = std::exchange(m_hasStage, stage.stages > 0);
    m_coordinator = stage.coordinator;
    m_monitor = nullptr;
    if (stage.stage + 1 < stage.stages)
    {
        m_monitor = m_monitors->Get(m_socket.GetNode(), stage.next, false);
    }
    else if (stage.stages == 1 && m_other != m_socket.GetNode())
    {
        m_monitor = m_monitors->Get(m_socket.GetNode(), m_other, true);
    }
    if (hadStage && !m_hasStage)
    {
        Report();
    }
}

DeviceReport
PipelineMetrics::GetReport() const
{
    DeviceReport report;
    report.share = m_hasStage ? m_compute->GetMeasuredShare() : m_compute->GetAvailableShare();
    report.backlog = m_compute->GetBacklog();
    if (m_monitor)
    {
        m_monitor->Refresh();
        report.uplinkBitsPerSecond = m_monitor->GetUplinkBitsPerSecond();
        report.downlinkBitsPerSecond = m_monitor->GetDownlinkBitsPerSecond();
    }
    return report;
}

void
PipelineMetrics::Answer(const Message& message)
{
    m_coordinator = message.from;
    Report();
}

void
PipelineMetrics::NoticeShare(double before, double after)
{
    if (m_coordinator && !m_hasStage && after != before)
    {
        Report();
    }
}

void
PipelineMetrics::Report()
{
    const std::string report = WriteBody(GetReport());
    m_socket.Send(*m_coordinator,
                  PIPELINE_COORDINATOR_PORT,
                  PipelineTag{PipelineTag::REPORT}.Pack(),
                  PIPELINE_NOTICE_BYTES + report.size(),
                  report);
}

} // namespace edgepipe
} // namespace ns3
