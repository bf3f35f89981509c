/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/scenario-options.h"
#include "papers/bno-table-study.h"

#include <iostream>

using namespace ns3::edgepipe;

int
main(int argc, char* argv[])
{
    return RunScenario("bno-table", [argc, argv] {
        ScenarioOptions options("bno-table",
                                "Put the weight update times of the BNO paper beside simulated "
                                "ones, and compare its shares with others on more clusters.");
        BnoTableStudy::AddOptions(options);
        options.Parse(argc, argv);
        BnoTableStudy study(options);
        study.Run();
        study.Print();
        study.Write();
        std::cout << "\nTry next:\n"
                     "  analysis/bno_table.py "
                  << options.GetString("out") << "     (draws it)\n";
        return study.GetStatus();
    });
}
