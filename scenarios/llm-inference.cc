/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/workload.h"

int
main(int argc, char* argv[])
{
    return ns3::edgepipe::RunWorkload({"llm-inference", "llm-inference"}, argc, argv);
}
