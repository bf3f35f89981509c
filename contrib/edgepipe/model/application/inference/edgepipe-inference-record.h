/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_INFERENCE_RECORD_H
#define EDGEPIPE_INFERENCE_RECORD_H

#include "ns3/edgepipe-two-way-cut-problem.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <optional>

namespace ns3::edgepipe
{

/** History of one frame. */
struct FrameRecord
{
    uint32_t device; //!< index of the device
    uint64_t frame;  //!< from 0
    bool isDropped;  //!< no room in a queue, so it never finishes
    uint32_t plan;   //!< index into CooperativeInferenceResult::plans, if it was started
    Time arrived;    //!< arrival from the camera; zero, as all times below, if it never arrived
    Time started;    //!< start of computing on the device
    Time computed;   //!< end of computing on the device
    Time uploaded;   //!< last byte at the server; equals computed if nothing is sent
    Time served;     //!< end of computing on the server; equals uploaded if nothing is sent
    Time finished;   //!< result at the device; zero if dropped or cut off by the end of the run
    /// Uplink capacity by the oracle at its start, bit/s; none without an oracle
    std::optional<double> uplinkCapacity;
    std::optional<double> downlinkCapacity; //!< the same for the downlink
    bool hasArrived{false};                 //!< whether it arrived from the camera
};

/** A device's plan that came into force. */
struct PlanRecord
{
    uint32_t device;              //!< index of the device
    Time decided;                 //!< time of the decision
    Time inForce;                 //!< when the first frame could start under it
    double uplinkBitsPerSecond;   //!< uplink bandwidth it was made for
    double downlinkBitsPerSecond; //!< downlink bandwidth it was made for
    TwoWayCutPlan plan;           //!< layer placement
    double predictedSeconds;      //!< predicted latency of a frame
    double decisionSeconds;       //!< wall-clock time of the decision
    uint64_t uplinkBytes;         //!< payload bytes per frame to the server
    double deviceShare{1};        //!< available share of the device at the decision, > 0
    double serverShare{1};        //!< available share of the server, as known then, > 0
};

/** A bandwidth estimate and the true capacity. */
struct BandwidthRecord
{
    Time time;                                   //!< when
    uint32_t device;                             //!< index of the device
    double uplinkBitsPerSecond;                  //!< estimated by the monitor
    std::optional<double> capacityBitsPerSecond; //!< by the oracle; none without one
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_INFERENCE_RECORD_H */
