/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PAIR_MONITORS_H
#define EDGEPIPE_PAIR_MONITORS_H

#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/object-factory.h"

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace ns3::edgepipe
{

/** The bandwidth monitors of a training whose plan changes: one for each watched pair of nodes. */
class PairMonitors
{
  public:
    /**
     * @param factory makes a BandwidthMonitor
     * @param transport between the nodes
     * @param capacity for an oracle; may be null
     * @param first initial estimate of the bandwidth of a pair, payload bit/s, > 0
     */
    PairMonitors(ObjectFactory factory,
                 Ptr<TensorTransport> transport,
                 BandwidthMonitor::Capacity capacity,
                 BandwidthMonitor::Capacity first);
    ~PairMonitors();
    // The destructor disposes of the monitors.
    PairMonitors(const PairMonitors&) = delete;
    PairMonitors& operator=(const PairMonitors&) = delete;

    /** All transfers share one medium, and who plans knows that; see BandwidthMonitor::SetMedium.
     */
    void ShareMedium();

    /**
     * @param from id of a node
     * @param to id of another
     * @param isQuiet whether the pair exchanges no tensors from which to estimate the bandwidth
     * @return the pair's started monitor; null if no port is left for it
     */
    Ptr<BandwidthMonitor> Get(uint32_t from, uint32_t to, bool isQuiet);

    /**
     * Stop watching a pair.
     *
     * @param from id of a node
     * @param to id of another
     * @param isQuiet see Get
     */
    void Drop(uint32_t from, uint32_t to, bool isQuiet);

  private:
    ObjectFactory m_factory;               //!< makes monitors
    Ptr<TensorTransport> m_transport;      //!< between the nodes
    BandwidthMonitor::Capacity m_capacity; //!< for an oracle; may be null
    BandwidthMonitor::Capacity m_first;    //!< initial bandwidth of a pair
    std::shared_ptr<MediumUse> m_medium;   //!< see ShareMedium; null: not shared
    /// Watching, by nodes and whether their pair is quiet.
    std::map<std::tuple<uint32_t, uint32_t, bool>, Ptr<BandwidthMonitor>> m_monitors;
    std::vector<Ptr<BandwidthMonitor>> m_dropped; //!< stopped; messages to them may be in transit
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PAIR_MONITORS_H */
