/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_INFERENCE_JOB_H
#define EDGEPIPE_INFERENCE_JOB_H

#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/edgepipe-two-way-cut-planner.h"
#include "ns3/edgepipe-two-way-cut-problem.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** What an end device and its server infer together, and who decides how. */
struct InferenceJob
{
    uint32_t server{0};       //!< id of the server's node
    TwoWayCutProblem problem; //!< model and costs; its bandwidths are those of the first decision
    std::vector<uint64_t> parameterBytes; //!< by layer, bytes of its weights; for moving them
    Ptr<TwoWayCutPlanner> planner;        //!< who decides
    Ptr<BandwidthMonitor> monitor;        //!< knows the bandwidth
    BandwidthMonitor::Capacity capacity;  //!< what an oracle knows; may be null
    double serverShare{1}; //!< of the server that is left when the first plan is made
    uint32_t cell{0};      //!< that the device sends in, from 1 on; 0: its way is its own
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_INFERENCE_JOB_H */
