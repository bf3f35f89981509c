/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/actor-learner-study.h"

using namespace ns3::edgepipe;

int
main(int argc, char* argv[])
{
    return RunScenario("actor-learner", argc, argv, [](int argc, char* argv[]) {
        ScenarioOptions options("actor-learner",
                                "Actors step environments and infer together with an edge server, "
                                "which also trains: after which layer each of them hands over, "
                                "decided anew while actors come and go.");
        return ActorLearnerStudy(options).Run(argc, argv, "analysis/actor_learner.py");
    });
}
