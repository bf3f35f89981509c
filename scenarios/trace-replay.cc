/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/cooperative-study.h"

using namespace ns3::edgepipe;

int
main(int argc, char* argv[])
{
    return RunScenario("trace-replay", argc, argv, [](int argc, char* argv[]) {
        ScenarioOptions options("trace-replay",
                                "Infer the same frames over the same recording of bandwidth by "
                                "several planners: latencies, and when which plan was in force. "
                                "Without --trace, lte-driving of traces/bandwidth.");
        return CooperativeStudy(options, true).Run(argc, argv, "analysis/cooperative.py");
    });
}
