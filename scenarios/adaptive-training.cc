/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/adaptive-study.h"

using namespace ns3::edgepipe;

int
main(int argc, char* argv[])
{
    return RunScenario("adaptive-training", [argc, argv] {
        ScenarioOptions options("adaptive-training",
                                "Train a DNN in a pipeline while bandwidth and load change: with "
                                "neither replanning nor adjacent scheduling, with one, with both. "
                                "Without --trace, lte-up of traces/bandwidth at 20 times its rate, "
                                "as of a carrier of 100 MHz.");
        return AdaptiveStudy(options).Run(argc, argv, "analysis/adaptive_training.py");
    });
}
