/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/adaptive-inputs.h"

#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-pipeline-cost-model.h"

#include <algorithm>
#include <set>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// In --load, the device of the slowest stage.
const std::string SLOWEST = "slowest";

/**
 * @param problem a problem
 * @param plan a plan for it
 * @return name of the device whose stage computes longest
 */
std::string
FindSlowest(const PipelineProblem& problem, const PipelinePlan& plan)
{
    const PipelineCostModel costs(problem);
    const auto seconds = [&costs](const PipelineStage& stage) {
        return costs.StageForwardSeconds(stage.device, stage.firstLayer, stage.lastLayer) +
               costs.StageBackwardSeconds(stage.device, stage.firstLayer, stage.lastLayer);
    };
    const auto slowest =
        std::max_element(plan.stages.begin(), plan.stages.end(), [&](const auto& a, const auto& b) {
            return seconds(a) < seconds(b);
        });
    return problem.devices[slowest->device].name;
}

/**
 * @param text such as 0.4@20s
 * @param load set to the step
 * @return whether it is one
 */
bool
ParseStep(const std::string& text, DeviceLoad& load)
{
    const auto at = text.find('@');
    double share = 0;
    Time time;
    if (at == std::string::npos || !ParseNumber(text.substr(0, at), share) || share < 0 ||
        share > 1 || !ParseTime(text.substr(at + 1), time))
    {
        return false;
    }
    load.steps = {{Time(), 1}};
    if (time.IsZero())
    {
        load.steps.clear();
    }
    load.steps.push_back({time, share});
    return true;
}

} // namespace

void
AddPlanningTimeOption(ScenarioOptions& o, PlanningTime& planning)
{
    o.Bind("planning-time=off",
           [&o, &planning] {
               const std::string& text = o.GetString("planning-time");
               const auto colon = text.find(':');
               const std::string value = colon == std::string::npos ? "" : text.substr(colon + 1);
               planning.kind = text.substr(0, colon);
               bool isFine = planning.kind == "off" && colon == std::string::npos;
               if (planning.kind == "fixed")
               {
                   isFine = !value.empty() && ParseTime(value, planning.fixed);
               }
               else if (planning.kind == "measured")
               {
                   isFine = colon == std::string::npos ||
                            (ParseNumber(value, planning.scale) && planning.scale > 0);
               }
               if (!isFine)
               {
                   o.Refuse(
                       "planning-time",
                       "off, fixed:TIME such as fixed:90ms, measured, or measured:SCALE with a "
                       "scale above 0");
               }
           })
        .Help("what planning costs the device: off, fixed:TIME such as fixed:90ms, or measured or "
              "measured:SCALE, times as long as on this machine");
}

void
AddLoadEndOption(ScenarioOptions& o, TraceOptions& load)
{
    o.Bind("load-end=loop", load.end, "loop", "hold", "stop")
        .Help("after the end of load traces: loop, hold or stop");
}

void
AddAdaptiveOptions(ScenarioOptions& o,
                   TraceOptions& load,
                   ReplanOptions& replan,
                   PlanningTime& planning)
{
    o.Bind("load=").Help(
        "DEVICE:FILE or DEVICE:SHARE@TIME,...: the share of a device that is left for us, as CSV "
        "seconds,share or from a time on, such as raspberry-pi-5-0:0.4@20s; DEVICE may be "
        "slowest, that of the first plan's slowest stage; empty: all of every device");
    AddLoadEndOption(o, load);
    o.BindName<BandwidthMonitor>("monitor=passive", replan.monitor)
        .Help("who estimates bandwidth: ");
    o.Bind("replan-threshold=0.2", replan.threshold, 1e-6, 1e6)
        .Help("share by which bandwidth or a device's speed must change for a decision, above 0");
    o.Bind("replan-horizon=10", replan.horizon, 1, 1000000)
        .Help("iterations within which a change of plan has to pay back");
    AddPlanningTimeOption(o, planning);
}

std::vector<DeviceLoad>
ReadLoads(const ScenarioOptions& options,
          const TraceOptions& load,
          const PipelineProblem& problem,
          const PipelinePlan& plan)
{
    std::vector<DeviceLoad> loads;
    if (options.GetString("load").empty())
    {
        return loads;
    }
    std::set<std::string> seen;
    for (const auto& entry : options.GetList("load"))
    {
        const auto colon = entry.find(':');
        const std::string value = colon == std::string::npos ? "" : entry.substr(colon + 1);
        DeviceLoad one;
        one.device = entry.substr(0, colon);
        one.device = one.device == SLOWEST ? FindSlowest(problem, plan) : one.device;
        const bool isKnown =
            std::any_of(problem.devices.begin(), problem.devices.end(), [&one](const auto& device) {
                return device.name == one.device;
            });
        if (!isKnown)
        {
            options.Refuse("load",
                           "a device of the cluster, such as " + problem.devices.front().name +
                               ", or slowest");
        }
        if (value.empty() || !seen.insert(one.device).second)
        {
            options.Refuse("load",
                           "DEVICE:FILE or DEVICE:SHARE@TIME, each device once, such as " +
                               problem.devices.front().name + ":0.4@20s or slowest:0.4@20s");
        }
        if (!ParseStep(value, one))
        {
            if (value.find('@') != std::string::npos)
            {
                options.Refuse("load",
                               "a share from 0 to 1 and a time, such as " + one.device +
                                   ":0.4@20s, or a file whose name has no @");
            }
            one.trace = value;
            try
            {
                OpenLoadTrace(value, load);
            }
            catch (const InputError& error)
            {
                throw InputError(std::string("--load: ") + error.what());
            }
        }
        loads.push_back(one);
    }
    return loads;
}

} // namespace edgepipe
} // namespace ns3
