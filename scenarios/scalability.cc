/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/scenario-options.h"
#include "studies/scalability-study.h"

#include <iostream>

using namespace ns3::edgepipe;

int
main(int argc, char* argv[])
{
    return RunScenario("scalability", [argc, argv] {
        ScenarioOptions options("scalability",
                                "Train a DNN over more and more devices, or in more and more "
                                "pipelines side by side, and say what both training and its "
                                "simulation cost.");
        ScalabilityStudy::AddOptions(options);
        options.SetDefault("planner", "even,dp,exact");
        options.Parse(argc, argv);
        ScalabilityStudy study(options);
        study.Run();
        study.Print();
        study.Write();
        std::cout << "\nTry next:\n"
                     "  analysis/scalability.py "
                  << options.GetString("out") << "     (draws it)\n";
        return study.GetStatus();
    });
}
