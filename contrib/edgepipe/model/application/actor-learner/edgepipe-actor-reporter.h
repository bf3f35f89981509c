/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_REPORTER_H
#define EDGEPIPE_ACTOR_REPORTER_H

#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/edgepipe-device-report.h"
#include "ns3/edgepipe-replanner.h"

#include <cstdint>
#include <functional>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * An actor's part in decisions during a run: watches its link to the server and its own load, and
 * reports to the server when a decision is due, as Replanner says; what that costs is the server's.
 *
 * The link is what a BandwidthMonitor estimates, from when the actor first joins on, and the load
 * what the actor can know by timing its own work. A report is sent once the one before has been
 * delivered. Without a monitor it tells of its load when it joins, and reports nothing later.
 */
class ActorReporter : public Replanner
{
  public:
    /// What the link is believed to get before the first estimate, payload bit/s, > 0.
    using FirstCallback = std::function<double()>;

    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    /**
     * Watch; before the actor starts.
     *
     * @param monitor of the link; has not begun
     * @param capacity for an oracle; may be null
     * @param first asked when the actor first joins
     */
    void SetMonitor(Ptr<BandwidthMonitor> monitor,
                    BandwidthMonitor::Capacity capacity,
                    FirstCallback first);

    /**
     * The actor starts.
     *
     * @param socket moves its messages
     * @param compute its processor
     * @param server id of the server's node
     */
    void Start(const TensorSocket& socket, Ptr<ComputeDevice> compute, uint32_t server);

    /**
     * The actor joins.
     *
     * @param stay number of its stay
     * @return what it tells the server; without a monitor nothing of its link
     */
    DeviceReport Join(uint32_t stay);

    /** The actor has finished a task, and so timed its own work. */
    void NoticeWork();

    /** The actor stops for good. */
    void End();

    /** The actor leaves; there is nothing to report until it joins again. */
    void Stop() override;

  protected:
    void DoDispose() override;

  private:
    void NoticePeriod() override;
    /** Report if that is due. */
    void ReportIfDue();
    /** @return what it knows now */
    DeviceReport GetReport() const;
    /**
     * @param report what it knows
     * @return its figures
     */
    static std::vector<double> ListFigures(const DeviceReport& report);

    Ptr<BandwidthMonitor> m_monitor;       //!< of the link; null: nothing is reported
    BandwidthMonitor::Capacity m_capacity; //!< for an oracle
    FirstCallback m_first;                 //!< of the link
    uint32_t m_server{0};                  //!< id of the server's node
    uint32_t m_stay{0};                    //!< number of the present stay
    bool m_isIn{false};                    //!< whether the actor has joined and not left
    bool m_isWatching{false};              //!< whether the monitor has begun
    bool m_isReporting{false};             //!< whether a report is under way
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ACTOR_REPORTER_H */
