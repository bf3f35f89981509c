/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/scenario-options.h"
#include "studies/pipeline-study.h"

using namespace ns3::edgepipe;

int
main(int argc, char* argv[])
{
    return RunScenario("pipeline-training", [argc, argv] {
        ScenarioOptions options("pipeline-training",
                                "Train a DNN in a pipeline over a simulated network, by the plans "
                                "of one or several planners.");
        TrainingInputs::AddOptions(options, true);
        options.Parse(argc, argv);
        PipelineStudy study(options);
        study.Run();
        study.Print();
        study.Write();
        return study.GetStatus();
    });
}
