/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/scenario-options.h"
#include "studies/bandwidth-variation-study.h"

#include <iostream>

using namespace ns3::edgepipe;

int
main(int argc, char* argv[])
{
    return RunScenario("bandwidth-variation", [argc, argv] {
        ScenarioOptions options("bandwidth-variation",
                                "Sweep the bandwidth between a device and a server: latency of a "
                                "lone frame by each planner's plan, predicted and simulated.");
        BandwidthVariationStudy::AddOptions(options);
        options.Parse(argc, argv);
        BandwidthVariationStudy study(options);
        study.Run();
        study.Print();
        study.Write();
        std::cout << "\nTry next:\n"
                     "  analysis/cooperative.py "
                  << options.GetString("out") << "     (draws it)\n";
        return study.GetStatus();
    });
}
