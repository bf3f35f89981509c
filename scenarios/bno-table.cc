/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/scenario-options.h"
#include "papers/bno-table-study.h"

using namespace ns3::edgepipe;

int
main(int argc, char* argv[])
{
    return RunScenario("bno-table", [argc, argv] {
        ScenarioOptions options("bno-table",
                                "Put the weight update times of the BNO paper beside simulated "
                                "ones, and compare its shares with others on more clusters.");
        return BnoTableStudy(options).Run(argc, argv);
    });
}
