/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/workload.h"

using namespace ns3::edgepipe;

int
main(int argc, char* argv[])
{
    // A model with branches that cuts can separate, and tensors small enough to cut inside it.
    return RunWorkload({"cooperative-inference",
                        "trace-replay",
                        "Compare planners on the same frames over the same bandwidth recording: "
                        "latencies, and which plan was in force when. Without --trace, links "
                        "replay lte-driving of traces/bandwidth.",
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
