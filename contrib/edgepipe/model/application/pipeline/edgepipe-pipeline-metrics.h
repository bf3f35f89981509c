/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_METRICS_H
#define EDGEPIPE_PIPELINE_METRICS_H

#include "ns3/edgepipe-compute-device.h"
#include "ns3/edgepipe-pair-monitors.h"
#include "ns3/edgepipe-pipeline-message.h"
#include "ns3/edgepipe-replanner.h"
#include "ns3/edgepipe-tensor-socket.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace ns3::edgepipe
{

/**
 * Measures one device of a pipeline and reports to the coordinator.
 *
 * With a stage, the device's share is work over time of its last finished task. Without one it has
 * nothing to time; it reports the available share according to its operating system when asked,
 * when it loses its stage, and when that share changes. The bandwidth is that to and from the
 * device of the next stage, as a BandwidthMonitor estimates it; the last of several stages watches
 * none. A lone stage watches a given device, so that the bandwidth of one pair is always known.
 */
class PipelineMetrics
{
  public:
    /**
     * Listen on PIPELINE_METRICS_PORT, and answer the coordinator with a report.
     *
     * @param socket carries its reports
     * @param compute its processor
     * @param monitors of the training
     * @param other id of a node to watch without neighbours; its own: none
     */
    PipelineMetrics(TensorSocket socket,
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

    ~PipelineMetrics()
    {
        m_compute->TraceDisconnectWithoutContext("AvailableShare",
                                                 MakeCallback(&PipelineMetrics::NoticeShare, this));
    }

    // The transport holds this object's address.
    PipelineMetrics(const PipelineMetrics&) = delete;
    PipelineMetrics& operator=(const PipelineMetrics&) = delete;

    /**
     * The device has another stage, or none, from now on.
     *
     * @param stage the stage
     */
    void SetStage(const StageAssignment& stage)
    {
        const bool hadStage = std::exchange(m_hasStage, stage.stages > 0);
        m_coordinator = stage.coordinator;
        m_monitor = nullptr;
        const bool isLoneGroup = stage.stages == 1 && stage.group.devices.size() > 1;
        if (stage.stage + 1 < stage.stages || isLoneGroup)
        {
            const bool hasGroup = stage.group.IsNeeded();
            m_monitor = m_monitors->Get(m_socket.GetNode(),
                                        hasGroup ? stage.group.watched : stage.next,
                                        isLoneGroup); // a ring sends one way
        }
        else if (stage.stages == 1 && m_other != m_socket.GetNode())
        {
            m_monitor = m_monitors->Get(m_socket.GetNode(), m_other, true);
        }
        if (m_monitor)
        {
            m_monitor->SetSlowdown(stage.group.slowdown.forward, stage.group.slowdown.backward);
        }
        if (hadStage && !m_hasStage)
        {
            Report();
        }
    }

    /** @return the present measurements */
    DeviceReport GetReport() const
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

  private:
    /**
     * The coordinator requests a report.
     * @param message the request
     */
    void Answer(const Message& message)
    {
        m_coordinator = message.from;
        Report();
    }

    /** Send the coordinator a report. */
    void Report()
    {
        const PipelineTag tag{PipelineTag::REPORT};
        const std::string body = WriteBody(GetReport());
        SendNotice(m_socket, *m_coordinator, PIPELINE_COORDINATOR_PORT, tag, body);
    }

    /** The available share of the device has been set. */
    void NoticeShare(double before, double after)
    {
        if (m_coordinator && !m_hasStage && after != before)
        {
            Report();
        }
    }

    TensorSocket m_socket;                    //!< carries its reports
    Ptr<ComputeDevice> m_compute;             //!< its processor
    std::shared_ptr<PairMonitors> m_monitors; //!< of the training
    uint32_t m_other;                         //!< node to watch without neighbours
    std::optional<uint32_t> m_coordinator;    //!< device that has asked or assigned a stage
    bool m_hasStage{false};                   //!< whether the device has a stage
    Ptr<BandwidthMonitor> m_monitor;          //!< of the present pair; may be null
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_METRICS_H */
