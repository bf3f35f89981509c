/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/scenario-options.h"
#include "lib/traces-option.h"
#include "studies/cooperative-study.h"

#include <iostream>

using namespace ns3::edgepipe;

int
main(int argc, char* argv[])
{
    return RunScenario("trace-replay", [argc, argv] {
        ScenarioOptions options("trace-replay",
                                "Infer the same frames over the same recording of bandwidth by "
                                "several planners: latencies, and when which plan was in force. "
                                "Without --trace, lte-driving of traces/bandwidth.");
        CooperativeInputs::AddOptions(options);
        options.SetDefault("planner", "qdmp,dads,neurosurgeon,edge-only,cloud-only");
        options.SetDefault("link", "trace");
        options.SetDefault("frame-rate", "2");
        options.SetDefault("frames", "800");
        options.Parse(argc, argv);
        const bool isGiven =
            !options.GetString("trace").empty() || !options.GetString("bandwidth").empty();
        if (options.GetString("link") == "trace" && !isGiven)
        {
            const std::string recording = FindTracesFolder(options) + "/bandwidth/lte-driving";
            options.SetDefault("trace", recording + ".up.csv");
            options.SetDefault("trace-down", recording + ".down.csv");
        }
        CooperativeStudy study(options);
        study.Run();
        study.Print();
        study.PrintChanges();
        study.Write();
        std::cout << "\nTry next:\n"
                     "  analysis/cooperative.py "
                  << options.GetString("out") << "     (draws it)\n";
        return study.GetStatus();
    });
}
