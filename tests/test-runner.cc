// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/test.h"

/// Runs the module's ns3::TestSuites outside an ns-3 tree; takes the options of ns-3's own runner.
int
main(int argc, char* argv[])
{
    return ns3::TestRunner::Run(argc, argv);
}
