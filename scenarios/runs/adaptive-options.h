/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ADAPTIVE_OPTIONS_H
#define EDGEPIPE_ADAPTIVE_OPTIONS_H

#include "runs/deployment.h"

#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/edgepipe-trace.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** What decisions cost the device that makes them: the sum of both. */
struct PlanningTime
{
    Time fixed;      //!< per decision, 0 or more
    double scale{0}; //!< of the planner's wall-clock time, 0 or more
};

/** Whether and how the plan of a pipeline changes during a run. */
struct ReplanOptions
{
    Ptr<PipelinePlanner> planner;   //!< who decides, see PipelineReplanner; null: the plan stays
    std::string monitor{"passive"}; //!< a BandwidthMonitor: oracle, probe or passive
    double threshold{0.1};          //!< relative change that makes a decision due, > 0
    uint32_t horizon{10};           //!< iterations within which a change pays back, >= 1
    PlanningTime planning;          //!< what decisions cost
};

/** What devices and links were like at some time, as no device could know. */
struct ConditionSample
{
    Time time;                  //!< when
    double bitsPerSecond;       //!< least a lone transfer from or to the coordinator would get; 0:
                                //!< no oracle knows
    std::vector<double> shares; //!< of the devices with a DeviceLoad, in that order
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ADAPTIVE_OPTIONS_H */
