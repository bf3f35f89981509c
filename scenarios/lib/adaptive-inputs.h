/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ADAPTIVE_INPUTS_H
#define EDGEPIPE_ADAPTIVE_INPUTS_H

#include "lib/load-option.h"
#include "lib/scenario-options.h"
#include "runs/adaptive-options.h"

#include "ns3/edgepipe-pipeline-problem.h"

#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** What decisions cost, by --planning-time. */
struct PlanningTime
{
    std::string kind; //!< off, fixed or measured
    Time fixed;       //!< fixed: per decision
    double scale{1};  //!< measured: device's time over this machine's, > 0
};

/**
 * Declare --planning-time.
 *
 * @param options of a scenario
 * @param planning set to what it says
 */
void AddPlanningTimeOption(ScenarioOptions& options, PlanningTime& planning);

/**
 * Declare --load, --load-end and what says how plans change.
 *
 * @param options of a scenario
 * @param load set to how load traces are replayed
 * @param replan set to how plans change, but for who decides and at what cost
 * @param planning set to what decisions cost
 */
void AddAdaptiveOptions(ScenarioOptions& options,
                        TraceOptions& load,
                        ReplanOptions& replan,
                        PlanningTime& planning);

/**
 * @param options of a scenario, parsed
 * @param load how to replay load traces
 * @param problem what is planned, with the names of the devices
 * @param plan the first plan, by which "slowest" is the device of the slowest stage
 * @return the devices of --load
 * @throws InputError if --load cannot be used
 */
std::vector<DeviceLoad> ReadLoads(const ScenarioOptions& options,
                                  const TraceOptions& load,
                                  const PipelineProblem& problem,
                                  const PipelinePlan& plan);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ADAPTIVE_INPUTS_H */
