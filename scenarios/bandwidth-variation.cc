/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/bandwidth-variation-study.h"

using namespace ns3::edgepipe;

int
main(int argc, char* argv[])
{
    return RunScenario("bandwidth-variation", [argc, argv] {
        ScenarioOptions options("bandwidth-variation",
                                "Sweep the bandwidth between a device and a server: latency of a "
                                "lone frame by each planner's plan, predicted and simulated.");
        return BandwidthVariationStudy(options).Run(argc, argv, "analysis/cooperative.py");
    });
}
