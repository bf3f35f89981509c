/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/scenario-options.h"
#include "studies/data-parallel-study.h"

#include <iostream>

using namespace ns3::edgepipe;

int
main(int argc, char* argv[])
{
    return RunScenario("data-parallel", [argc, argv] {
        ScenarioOptions options("data-parallel",
                                "Train a DNN that every worker holds whole: how many samples each "
                                "computes is decided anew while training goes on.");
        DataParallelInputs::AddOptions(options);
        options.Parse(argc, argv);
        DataParallelStudy study(options);
        study.Run();
        study.Print();
        study.Write();
        std::cout << "\nTry next:\n"
                     "  analysis/data_parallel.py "
                  << options.GetString("out") << "     (draws it)\n";
        return study.GetStatus();
    });
}
