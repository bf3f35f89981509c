/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workloads/pipeline/pipeline-training-workload.h" // links it in

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/** @param options of the scenario, parsed */
void
SayWhatIsNext(const ScenarioOptions& options)
{
    std::cout << "\nTry next:\n"
                 "  analysis/timeline.py "
              << options.GetString("out")
              << "                     (draws when each device computes)\n"
                 "  ./ns3 run \"quickstart --adjacent-costs=ideal\"  (help costs nothing)\n"
                 "  ./ns3 run \"quickstart --bandwidth=100Mbps\"\n"
                 "  ./ns3 run \"quickstart --fidelity=packet\"        (every packet of TCP)\n"
                 "  ./ns3 run \"pipeline-training --link=wifi --planner=all\"\n"
                 "  ./ns3 run \"pipeline-training --help\"\n";
}

} // namespace

int
main(int argc, char* argv[])
{
    WorkloadScenario scenario{
        "pipeline-training",
        "quickstart",
        "Compare planners on AlexNet, trained in a pipeline over a testbed of "
        "fifteen edge devices, without and with help between neighbours.",
        {{"planner", "fastest-device,even,dp-dgpas,dp,exact,grdqn,grdqn-improved,hybrid"},
         {"adjacent", "both"}}};
    scenario.script = "";
    scenario.end = SayWhatIsNext;
    return RunWorkload(scenario, argc, argv);
}
