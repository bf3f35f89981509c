/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/scenario-options.h"
#include "lib/traces-option.h"
#include "studies/adaptive-study.h"

#include <iostream>

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
        AdaptiveStudy::AddOptions(options);
        options.Parse(argc, argv);
        const bool isGiven =
            !options.GetString("trace").empty() || !options.GetString("bandwidth").empty();
        if (options.GetString("link") == "trace" && !isGiven)
        {
            options.SetDefault("trace", FindTracesFolder(options) + "/bandwidth/lte-up.csv");
            if (!options.IsChanged("trace-scale"))
            {
                options.SetDefault("trace-scale", "20");
            }
        }
        AdaptiveStudy study(options);
        study.Run();
        study.Print();
        study.Write();
        std::cout << "\nTry next:\n"
                     "  analysis/adaptive_training.py "
                  << options.GetString("out") << "     (draws it)\n";
        return study.GetStatus();
    });
}
