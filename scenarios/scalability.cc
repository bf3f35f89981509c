/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/scalability-study.h"

using namespace ns3::edgepipe;

int
main(int argc, char* argv[])
{
    return RunScenario("scalability", [argc, argv] {
        ScenarioOptions options("scalability",
                                "Train a DNN over more and more devices, or in more and more "
                                "pipelines side by side, and say what both training and its "
                                "simulation cost.");
        return ScalabilityStudy(options).Run(argc, argv, "analysis/scalability.py");
    });
}
