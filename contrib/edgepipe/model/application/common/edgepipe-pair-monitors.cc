/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-pair-monitors.h"

#include "ns3/edgepipe-medium-use.h"
#include "ns3/uinteger.h"

namespace ns3::edgepipe
{

/// Duration of a probe on an idle link, each way, s.
constexpr double PROBE_SECONDS = 0.05;

/// Least and most bytes of a probe, each way.
constexpr double LEAST_PROBE = 32768;
constexpr double MOST_PROBE = 1e7;

PairMonitors::PairMonitors(ObjectFactory factory,
                           Ptr<TensorTransport> transport,
                           BandwidthMonitor::Capacity capacity,
                           BandwidthMonitor::Capacity first)
    : m_factory(std::move(factory)),
      m_transport(std::move(transport)),
      m_capacity(std::move(capacity)),
      m_first(std::move(first))
{
}

PairMonitors::~PairMonitors()
{
    for (const auto& [pair, monitor] : m_monitors)
    {
        monitor->Dispose();
    }
    for (const auto& monitor : m_dropped)
    {
        monitor->Dispose();
    }
}

void
PairMonitors::ShareMedium()
{
    m_medium = std::make_shared<MediumUse>();
}

Ptr<BandwidthMonitor>
PairMonitors::Get(uint32_t from, uint32_t to, bool isQuiet)
{
    const std::tuple key(from, to, isQuiet);
    const auto known = m_monitors.find(key);
    if (known != m_monitors.end())
    {
        return known->second;
    }
    const uint16_t port = m_transport->TakeMonitorPort();
    if (port == 0)
    {
        return nullptr;
    }
    const auto monitor = m_factory.Create<BandwidthMonitor>();
    m_monitors[key] = monitor;
    // A few packets say nothing about a link that is busy with large tensors.
    const double first = m_first(from, to);
    const double bytes = std::clamp(first * PROBE_SECONDS / 8, LEAST_PROBE, MOST_PROBE);
    monitor->SetAttributeFailSafe("Bytes", UintegerValue(bytes));
    if (!isQuiet)
    {
        // Every transfer gives a sample, and a probe would compete with the tensors.
        monitor->SetAttributeFailSafe("IdleProbe", TimeValue(Time()));
    }
    monitor->SetMedium(m_medium);
    monitor->Start({from, to, m_transport, m_capacity, port},
                   first,
                   first,
                   BandwidthMonitor::ChangedCallback());
    return monitor;
}

void
PairMonitors::Drop(uint32_t from, uint32_t to, bool isQuiet)
{
    const auto known = m_monitors.find({from, to, isQuiet});
    if (known != m_monitors.end())
    {
        known->second->Stop();
        m_dropped.push_back(known->second); // a message to it may be in transit
        m_monitors.erase(known);
    }
}

} // namespace ns3::edgepipe
