/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/workload.h"

using namespace ns3::edgepipe;

int
main(int argc, char* argv[])
{
    return RunWorkload({"pipeline-training",
                        "adaptive-training",
                        "Train a DNN in a pipeline while bandwidth and load change: with neither "
                        "replanning nor adjacent scheduling, with either, and with both. Without "
                        "--trace, links replay lte-up of traces/bandwidth at 20 times its rate, "
                        "like a 100 MHz carrier.",
                        {{"model", "resnet18"},
                         {"cluster", "pi-lab"},
                         {"micro-batch-size", "8"},
                         {"iterations", "40"},
                         {"load", "slowest:0.4@200s"},
                         {"adjacent", "both"},
                         {"replan", "both"},
                         {"sample-interval", "500ms"}},
                        "trace",
                        "lte-up",
                        "20",
                        "analysis/adaptive_training.py"},
                       argc,
                       argv);
}
