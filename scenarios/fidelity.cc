/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/fidelity-study.h"

using namespace ns3::edgepipe;

int
main(int argc, char* argv[])
{
    return RunScenario("fidelity", [argc, argv] {
        ScenarioOptions options("fidelity",
                                "How close flow level comes to packet level: iteration times of "
                                "the same plans in both, over a grid of training runs.");
        return FidelityStudy(options).Run(argc, argv);
    });
}
