/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/training-report.h"

#include "ns3/edgepipe-join-words.h"
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
    const auto& network = inputs.training.network;
    if (!network.bandwidthSteps.empty())
    {
        std::cout << "bandwidth: " << Table::Rounded(network.bandwidthBitsPerSecond / 1e6)
                  << " Mbit/s";
        for (const auto& step : network.bandwidthSteps)
        {
            std::cout << ", from " << Table::Exact(step.time.GetSeconds()) << " s on "
                      << Table::Rounded(step.bitsPerSecond / 1e6) << " Mbit/s";
        }
        std::cout << "\n";
    }
    const auto& groups = network.groups;
    const auto& rates = inputs.GetGroupRates();
    std::cout << "planners are told ";
    if (rates.empty())
    {
        std::cout << Table::Rounded(plannerBandwidth / 1e6) << " Mbit/s between any two devices"
                  << (inputs.IsProbed() ? " (measured: one transfer on the idle network)\n" : "\n");
    }
    else
    {
        std::cout << "what each device's link was measured to give one transfer, Mbit/s:\n";
    }
    for (std::size_t i = 0; i < rates.size(); ++i)
    {
        std::cout << "  " << JoinWords(groups[i].devices) << ": up "
                  << Table::Rounded(rates[i].uplinkBitsPerSecond / 1e6) << ", down "
                  << Table::Rounded(rates[i].downlinkBitsPerSecond / 1e6) << "\n";
    }
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

void
PrintIdleLegend()
{
    std::cout << "idle: share of the iteration in which a stage's device computes nothing, mean "
                 "over the stages; bubbles: the part of\nit between a device's own first and last "
                 "task, which papers call the bubble rate\n";
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
