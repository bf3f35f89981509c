/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/cooperative-study.h"

using namespace ns3::edgepipe;

int
main(int argc, char* argv[])
{
    return RunScenario("cooperative-inference", argc, argv, [](int argc, char* argv[]) {
        ScenarioOptions options("cooperative-inference",
                                "Infer frames of a camera together with a server: which layers run "
                                "where, decided and decided anew while bandwidth changes.");
        return CooperativeStudy(options).Run(argc, argv, "analysis/cooperative.py");
    });
}
