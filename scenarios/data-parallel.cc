/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/data-parallel-study.h"

using namespace ns3::edgepipe;

int
main(int argc, char* argv[])
{
    return RunScenario("data-parallel", [argc, argv] {
        ScenarioOptions options("data-parallel",
                                "Train a DNN that every worker holds whole: how many samples each "
                                "computes is decided anew while training goes on.");
        return DataParallelStudy(options).Run(argc, argv, "analysis/data_parallel.py");
    });
}
