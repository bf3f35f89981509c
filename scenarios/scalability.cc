/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/scalability-study.h"
#include "studies/workload-scalability-study.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"

#include <algorithm>

using namespace ns3::edgepipe;

namespace
{

/**
 * @param argc number of arguments
 * @param argv the arguments, of which --workload says what options the others are
 * @return name of the workload
 * @throws InputError if there is none of that name
 */
std::string
FindWorkload(int argc, char* argv[])
{
    const std::string option = "--workload=";
    const auto& known = GetFidelityWorkloads();
    std::string workload = known.front();
    for (int i = 1; i < argc; ++i)
    {
        const std::string word = argv[i];
        workload = word.rfind(option, 0) == 0 ? word.substr(option.size()) : workload;
    }
    if (std::find(known.begin(), known.end(), workload) == known.end())
    {
        throw InputError("--workload", "\"" + workload + "\"", JoinWords(known, ", ", " or "));
    }
    return workload;
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunScenario("scalability", [argc, argv] {
        ScenarioOptions options("scalability",
                                "Run a workload over more and more devices, by default a pipeline "
                                "or more and more of them side by side, and say what both the "
                                "workload and its simulation cost.");
        const std::string script = "analysis/scalability.py";
        const std::string workload = FindWorkload(argc, argv);
        return workload == "pipeline-training"
                   ? ScalabilityStudy(options).Run(argc, argv, script)
                   : WorkloadScalabilityStudy(options, workload).Run(argc, argv, script);
    });
}
