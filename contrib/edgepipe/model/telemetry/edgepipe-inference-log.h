/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_INFERENCE_LOG_H
#define EDGEPIPE_INFERENCE_LOG_H

#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/edgepipe-inference-device.h"
#include "ns3/edgepipe-inference-record.h"
#include "ns3/edgepipe-inference-replanner.h"
#include "ns3/edgepipe-inference-server.h"

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace ns3::edgepipe
{

/** Records of frames, plans and links. */
struct InferenceRecords
{
    std::vector<FrameRecord> frames;         //!< by device, in the order observed, then frame
    std::vector<PlanRecord> plans;           //!< in the order in which they came into force
    std::vector<BandwidthRecord> bandwidths; //!< in order of time
};

/**
 * @ingroup edgepipe
 *
 * Records frames, plans that came into force and the monitors' estimates from the trace sources of
 * the applications, and samples the capacity every half second; must outlive the simulation. Frames
 * cross device and server, so no application sees all of one.
 */
class InferenceLog
{
  public:
    InferenceLog() = default;
    // The trace sources hold this object's address.
    InferenceLog(const InferenceLog&) = delete;
    InferenceLog& operator=(const InferenceLog&) = delete;

    /**
     * @param place of the device, by node id; its capacity may be empty
     * @param device its application
     * @param replanner its replanner
     */
    void Observe(const BandwidthMonitor::Place& place,
                 Ptr<InferenceDevice> device,
                 Ptr<InferenceReplanner> replanner);

    /**
     * @param server its application
     */
    void Observe(Ptr<InferenceServer> server);

    /** @return what was recorded so far */
    const InferenceRecords& GetRecords() const
    {
        return m_records;
    }

    /** Sort the plans by time of decision, after the simulation. */
    void SortPlans();

  private:
    /**
     * @param device id of its node
     * @param frame one of its frames
     * @return its record
     */
    FrameRecord& Find(uint32_t device, uint64_t frame)
    {
        return m_records.frames[m_first.at(device) + frame];
    }

    /**
     * @param place where the estimate was made
     * @param uplinkBitsPerSecond the estimate
     */
    void NoteBandwidth(const BandwidthMonitor::Place& place, double uplinkBitsPerSecond);

    /**
     * Sample the capacities of a phase periodically, and record those that have changed.
     * @param phase time into the sampling period
     */
    void Sample(const Time& phase);

    std::map<Time, std::vector<BandwidthMonitor::Place>> m_sampled; //!< by phase
    std::unordered_map<uint32_t, BandwidthRecord> m_estimates; //!< by device: the latest estimate
    std::unordered_map<uint32_t, std::size_t> m_first; //!< by device: index of its first frame
    std::unordered_map<uint32_t, uint32_t> m_inForce;  //!< by device: index of its plan
    InferenceRecords m_records;                        //!< so far
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_INFERENCE_LOG_H */
