/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/training-report.h"

#include "ns3/edgepipe-link-type.h"
#include "ns3/edgepipe-table.h"

#include <iostream>
#include <nlohmann/json.hpp>

namespace ns3
{
namespace edgepipe
{

void
PrintHeading(const TrainingInputs& inputs, const std::string& devices, double plannerBandwidth)
{
    std::cout << inputs.graph.name << ", "
              << FormatCount(inputs.microBatches, "micro-batch", "micro-batches") << " of "
              << FormatCount(inputs.microBatchSize, "sample", "samples") << ", on "
              << inputs.cluster.name << " (" << devices << "), "
              << DescribeLink(inputs.training.network) << " at " << inputs.training.network.fidelity
              << " level, " << inputs.training.schedule << ", "
              << FormatCount(inputs.training.iterations, "iteration", "iterations") << "\n";
    std::cout << "planners are told " << Table::Rounded(plannerBandwidth / 1e6)
              << " Mbit/s between any two devices"
              << (inputs.IsProbed() ? " (measured: one transfer on the idle network)\n" : "\n");
    PrintLayerCosts(inputs.costs);
    if (!inputs.training.memoryBandwidthBytesPerSecond.empty())
    {
        std::cout << "weight updates are simulated (3 x weights over the memory bandwidth) and not "
                     "predicted\n";
    }
    if (inputs.training.schedule != "gpipe")
    {
        std::cout << "predictions and the memory limits of planners are for the schedule gpipe\n";
    }
    std::cout << "\n";
}

std::string
FormatRunFile(const TrainingInputs& inputs,
              double plannerBandwidth,
              const nlohmann::ordered_json& more)
{
    nlohmann::ordered_json run{{"link", inputs.training.network.link},
                               {"plannerBandwidthBitsPerSecond", plannerBandwidth}};
    run.update(more);
    return FormatRunFile(inputs.GetOptions(), inputs.costs, run);
}

} // namespace edgepipe
} // namespace ns3
