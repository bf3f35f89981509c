/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/qdmp-tables-study.h"

using namespace ns3::edgepipe;

int
main(int argc, char* argv[])
{
    return RunScenario("qdmp-tables", [argc, argv] {
        ScenarioOptions options("qdmp-tables",
                                "The evaluation of the QDMP paper beside ours: tables 1 to 4 and "
                                "6, figures 7 to 11. Device and server are as fast as its "
                                "edge-only and cloud-only columns say. "
                                "contrib/edgepipe/doc/validation/qdmp.rst discusses the outcome.");
        return QdmpTablesStudy(options).Run(argc, argv);
    });
}
