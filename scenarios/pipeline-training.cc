/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/pipeline-study.h"

using namespace ns3::edgepipe;

int
main(int argc, char* argv[])
{
    return RunScenario("pipeline-training", argc, argv, [](int argc, char* argv[]) {
        ScenarioOptions options("pipeline-training",
                                "Train a DNN in a pipeline over a simulated network, by the plans "
                                "of one or several planners.");
        return PipelineStudy(options).Run(argc, argv, "analysis/timeline.py");
    });
}
