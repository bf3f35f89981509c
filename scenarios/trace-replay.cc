/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/workload.h"

using namespace ns3::edgepipe;

int
main(int argc, char* argv[])
{
    // Branches that cuts can part, and tensors small enough for cuts inside.
    return RunWorkload({"cooperative-inference",
                        "trace-replay",
                        "Infer the same frames over the same recording of bandwidth by several "
                        "planners: latencies, and when which plan was in force. Without --trace, "
                        "lte-driving of traces/bandwidth.",
                        {{"model", "alexnet_parallel"},
                         {"tensor-element-bytes", "1"},
                         {"planner", "qdmp,dads,neurosurgeon,edge-only,cloud-only"},
                         {"frame-rate", "2"},
                         {"frames", "800"}},
                        "trace",
                        "lte-driving"},
                       argc,
                       argv);
}
