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
AddAdaptiveOptions(ScenarioOptions& o,
                   TraceOptions& load,
                   ReplanOptions& replan,
                   PlanningTime& planning)
{
    AddLoadOptions(o,
                   load,
                   "DEVICE may be slowest, that of the first plan's slowest stage; without "
                   "DEVICE: all of them");
    o.BindName<BandwidthMonitor>("monitor=passive", replan.monitor)
        .Help("who estimates bandwidth: ");
    o.Bind("replan-threshold=0.1", replan.threshold, 1e-6, 1e6)
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
    std::vector<std::string> names;
    for (const auto& device : problem.devices)
    {
        names.push_back(device.name);
    }
    return ReadLoads(options, load, names, names.size(), {{SLOWEST, FindSlowest(problem, plan)}});
}

} // namespace edgepipe
} // namespace ns3
