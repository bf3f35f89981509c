/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/scenario-options.h"
#include "studies/actor-learner-study.h"

#include <iostream>

using namespace ns3::edgepipe;

int
main(int argc, char* argv[])
{
    return RunScenario("actor-learner", [argc, argv] {
        ScenarioOptions options("actor-learner",
                                "Actors step environments and infer together with an edge server, "
                                "which also trains: after which layer each of them hands over, "
                                "decided anew while actors come and go.");
        ActorLearnerInputs::AddOptions(options);
        options.Parse(argc, argv);
        ActorLearnerStudy study(options);
        study.Run();
        study.Print();
        study.Write();
        std::cout << "\nTry next:\n"
                     "  analysis/actor_learner.py "
                  << options.GetString("out") << "     (draws it)\n";
        return study.GetStatus();
    });
}
