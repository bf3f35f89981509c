/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PAIR_MONITORS_H
#define EDGEPIPE_PAIR_MONITORS_H

#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/object-factory.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace ns3::edgepipe
{

/** The bandwidth monitors of a training whose plan changes: one for each pair that is watched. */
class PairMonitors
{
  public:
    /**
     * @param factory makes a BandwidthMonitor
     * @param transport between the nodes
     * @param capacity what an oracle knows; null if nobody does
     * @param first what monitors take the bandwidth of a pair to be at first, payload bit/s, > 0
     */
    PairMonitors(ObjectFactory factory,
                 Ptr<TensorTransport> transport,
                 BandwidthMonitor::Capacity capacity,
                 BandwidthMonitor::Capacity first);
    ~PairMonitors();
    // Its monitors listen.
    PairMonitors(const PairMonitors&) = delete;
    PairMonitors& operator=(const PairMonitors&) = delete;

    /**
     * @param from id of a node
     * @param to id of another
     * @param isQuiet whether the pair exchanges no tensors that tell of the bandwidth
     * @return the pair's monitor, which has begun to watch; null if no port is left for it
     */
    Ptr<BandwidthMonitor> Get(uint32_t from, uint32_t to, bool isQuiet);

    /**
     * Watch a pair no longer.
     *
     * @param from id of a node
     * @param to id of another
     * @param isQuiet see Get
     */
    void Drop(uint32_t from, uint32_t to, bool isQuiet);

  private:
    ObjectFactory m_factory;               //!< makes monitors
    Ptr<TensorTransport> m_transport;      //!< between the nodes
    BandwidthMonitor::Capacity m_capacity; //!< for the oracle; may be null
    BandwidthMonitor::Capacity m_first;    //!< bandwidth at first
    /// By the nodes and whether their pair is quiet.
    std::map<std::tuple<uint32_t, uint32_t, bool>, Ptr<BandwidthMonitor>> m_monitors;
    std::vector<Ptr<BandwidthMonitor>> m_dropped; //!< that watch no longer
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PAIR_MONITORS_H */
