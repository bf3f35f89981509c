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

/** What became of one frame. */
struct FrameRecord
{
    uint32_t device; //!< index of the device
    uint64_t frame;  //!< from 0
    bool isDropped;  //!< no room in a queue, so it never finishes
    uint32_t plan;   //!< index into CooperativeInferenceResult::plans, if it was started
    Time arrived;    //!< from the camera; of a frame that never arrived, zero as all below
    Time started;    //!< computing on the device
    Time computed;   //!< by the device
    Time uploaded;   //!< last byte at the server; as computed if nothing goes up
    Time served;     //!< computed by the server; as uploaded if nothing goes up
    Time finished;   //!< result at the device; zero if it is dropped or the run ended before
    /// What the oracle said when it was started, bit/s; none if there is no oracle
    std::optional<double> uplinkCapacity;
    std::optional<double> downlinkCapacity; //!< of the downlink
    bool hasArrived{false};                 //!< from the camera
};

/** A plan that a device has decided on and that came into force. */
struct PlanRecord
{
    uint32_t device;              //!< index of the device
    Time decided;                 //!< when it was made
    Time inForce;                 //!< when the first frame could begin under it
    double uplinkBitsPerSecond;   //!< what it was made for: the monitor's estimate
    double downlinkBitsPerSecond; //!< of the downlink
    TwoWayCutPlan plan;           //!< who runs what
    double predictedSeconds;      //!< latency of a lone frame at that bandwidth
    double decisionSeconds;       //!< wall-clock time of the decision
    uint64_t uplinkBytes;         //!< payload bytes per frame to the server
    double deviceShare{1};        //!< of the device that was left, as the decision knew, > 0
    double serverShare{1};        //!< of the server, > 0
};

/** An estimate of bandwidth beside the truth. */
struct BandwidthRecord
{
    Time time;                                   //!< when
    uint32_t device;                             //!< index of the device
    double uplinkBitsPerSecond;                  //!< estimated by the monitor
    std::optional<double> capacityBitsPerSecond; //!< what the oracle says; none without one
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_INFERENCE_RECORD_H */
