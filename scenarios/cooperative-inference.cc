/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/scenario-options.h"
#include "studies/cooperative-study.h"

#include <iostream>

using namespace ns3::edgepipe;

int
main(int argc, char* argv[])
{
    return RunScenario("cooperative-inference", [argc, argv] {
        ScenarioOptions options("cooperative-inference",
                                "Infer frames of a camera together with a server: which layers run "
                                "where, decided and decided anew while bandwidth changes.");
        CooperativeInputs::AddOptions(options);
        options.Parse(argc, argv);
        CooperativeStudy study(options);
        study.Run();
        study.Print();
        study.Write();
        std::cout << "\nTry next:\n"
                     "  analysis/cooperative.py "
                  << options.GetString("out") << "     (draws it)\n";
        return study.GetStatus();
    });
}
