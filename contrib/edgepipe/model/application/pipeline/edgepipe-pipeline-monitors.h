/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_MONITORS_H
#define EDGEPIPE_PIPELINE_MONITORS_H

#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/object-factory.h"

#include <cstdint>
#include <map>
#include <tuple>

namespace ns3
{
namespace edgepipe
{

/** The bandwidth monitors of trainings that change their plans: one for each pair that is watched.
 */
class PipelineMonitors
{
  public:
    /**
     * @param factory makes a BandwidthMonitor
     * @param transport between the nodes
     * @param capacity what an oracle knows; null if nobody does
     * @param firstBitsPerSecond what monitors take the bandwidth to be at first, > 0
     */
    PipelineMonitors(ObjectFactory factory,
                     Ptr<TensorTransport> transport,
                     BandwidthMonitor::Capacity capacity,
                     double firstBitsPerSecond);
    ~PipelineMonitors();
    // Its monitors listen.
    PipelineMonitors(const PipelineMonitors&) = delete;
    PipelineMonitors& operator=(const PipelineMonitors&) = delete;

    /**
     * @param from id of a node
     * @param to id of another
     * @param isQuiet whether the pair exchanges no tensors that tell of the bandwidth
     * @return the pair's monitor, which has begun to watch; null if no port is left for it
     */
    Ptr<BandwidthMonitor> Get(uint32_t from, uint32_t to, bool isQuiet);

  private:
    ObjectFactory m_factory;               //!< makes monitors
    Ptr<TensorTransport> m_transport;      //!< between the nodes
    BandwidthMonitor::Capacity m_capacity; //!< for the oracle; may be null
    double m_first;                        //!< bandwidth at first, bit/s
    /// By the nodes and whether their pair is quiet.
    std::map<std::tuple<uint32_t, uint32_t, bool>, Ptr<BandwidthMonitor>> m_monitors;
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PIPELINE_MONITORS_H */
