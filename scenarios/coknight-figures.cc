/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/scenario-options.h"
#include "papers/coknight-study.h"

using namespace ns3::edgepipe;

int
main(int argc, char* argv[])
{
    return RunScenario("coknight-figures", [argc, argv] {
        ScenarioOptions options("coknight-figures",
                                "The evaluation of the Coknight paper beside ours: figures 2, 6 "
                                "and 9 to 12. contrib/edgepipe/doc/actor-learner.rst discusses "
                                "the outcome.");
        return CoknightStudy(options).Run(argc, argv);
    });
}
