/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/dgpas-study.h"

using namespace ns3::edgepipe;

int
main(int argc, char* argv[])
{
    return RunScenario("dgpas-testbed", argc, argv, [](int argc, char* argv[]) {
        ScenarioOptions options(
            "dgpas-testbed",
            "The evaluation of the DGPAS paper beside ours: table 3 and figures 10 to 12, five "
            "models by every planner, without and with help between neighbours, over three "
            "networks, and the bandwidth from which on helping pays. "
            "contrib/edgepipe/doc/validation/dgpas.rst discusses the outcome.");
        return DgpasStudy(options).Run(argc, argv);
    });
}
