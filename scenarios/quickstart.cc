/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/pipeline-study.h"

#include <iostream>

using namespace ns3::edgepipe;

int
main(int argc, char* argv[])
{
    return RunScenario("quickstart", argc, argv, [](int argc, char* argv[]) {
        ScenarioOptions options("quickstart",
                                "Compare planners on AlexNet, trained in a pipeline over a testbed "
                                "of fifteen edge devices, without and with help between "
                                "neighbours.");
        PipelineStudy study(options);
        options.SetDefault("planner", "even,dp,exact,grdqn");
        options.SetDefault("adjacent", "both");
        const int status = study.Run(argc, argv);
        std::cout << "\nTry next:\n"
                     "  analysis/timeline.py "
                  << options.GetString("out")
                  << "                     (draws who did what, when)\n"
                     "  ./ns3 run \"quickstart --adjacent-costs=ideal\"  (help costs nothing)\n"
                     "  ./ns3 run \"quickstart --bandwidth=100Mbps\"\n"
                     "  ./ns3 run \"quickstart --fidelity=packet\"        (every packet of TCP)\n"
                     "  ./ns3 run \"pipeline-training --link=wifi --planner=all\"\n"
                     "  ./ns3 run \"pipeline-training --help\"\n";
        return status;
    });
}
