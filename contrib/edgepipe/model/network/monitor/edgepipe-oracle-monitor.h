/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ORACLE_MONITOR_H
#define EDGEPIPE_ORACLE_MONITOR_H

#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <string>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Knows what no device can: reads the network's own capacity, at no cost, every Interval.
 *
 * A dead link, which has no capacity, is estimated at LOWEST_BITS_PER_SECOND.
 */
class OracleMonitor : public BandwidthMonitor
{
  public:
    /// The slowest link that network options accept, bit/s.
    static constexpr double LOWEST_BITS_PER_SECOND = 1000;

    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    void Refresh() override;
    bool IsMeasured() const override;
    bool NeedsCapacity() const override;
    std::string GetName() const override;

  private:
    void DoStart() override;
    void DoStop() override;

    /** Read now, and again after Interval. */
    void Sample();

    Time m_interval; //!< between readings; 0: only when told
    EventId m_next;  //!< next reading
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ORACLE_MONITOR_H */
