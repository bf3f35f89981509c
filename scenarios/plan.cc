/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/edgepipe-pipeline-problem-json.h"
#include "ns3/edgepipe-scenario-options.h"

#include <iostream>

using namespace ns3;
using namespace ns3::edgepipe;

int
main(int argc, char* argv[])
{
    return RunScenario("plan", [argc, argv] {
        ScenarioOptions options("plan",
                                "Plan without simulating: reads one problem, prints one plan as "
                                "JSON on standard output. Formats: "
                                "contrib/edgepipe/doc/formats.rst.");
        options.Add("problem", "file with the problem, JSON", "");
        options.Add("planner", "one of " + JoinNames<PipelinePlanner>(), "exact");
        options.Parse(argc, argv);
        auto planner = FindByName<PipelinePlanner>("--planner", options.GetString("planner"));
        if (options.GetString("problem").empty())
        {
            options.Refuse("problem", "a file");
        }
        const auto problem = ReadPipelineProblem(options.GetString("problem"));
        const auto plan = planner->Plan(problem);
        std::cout << FormatPipelinePlan(problem,
                                        plan,
                                        planner->GetName(),
                                        PipelineCostModel(problem).IterationSeconds(plan),
                                        planner->GetDecisionSeconds())
                  << std::endl;
        return 0;
    });
}
