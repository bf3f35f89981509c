/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PROBE_MONITOR_H
#define EDGEPIPE_PROBE_MONITOR_H

#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/edgepipe-link-probe.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Measures the link by a LinkProbe every Interval, and pays for it: the bytes cross the link in
 * the same connections as everything else. The first measurement begins one Interval after the
 * start; while one is not over, none begins.
 */
class ProbeMonitor : public BandwidthMonitor
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    std::string GetName() const override;

  private:
    void DoStart() override;
    void DoStop() override;

    /** Measure now, and again after Interval. */
    void Measure();

    Time m_interval;   //!< between measurements
    uint64_t m_bytes;  //!< of a train, each way
    LinkProbe m_probe; //!< measures
    EventId m_next;    //!< next measurement
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PROBE_MONITOR_H */
