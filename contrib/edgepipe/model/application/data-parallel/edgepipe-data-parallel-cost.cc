/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-data-parallel-cost.h"

#include "ns3/edgepipe-cost-provider.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-training-memory.h"

#include <numeric>

namespace ns3::edgepipe
{

namespace
{

/// Samples of the larger batch whose costs are looked up.
constexpr uint32_t BATCH = 32;

/**
 * @param graph a model
 * @param cost of its layers
 * @return its gradients by layer, see DataParallelCost
 */
std::vector<GradientBucket>
FindGradients(const DnnGraph& graph, const LayerCost& cost)
{
    const double all = cost.GetSeconds();
    double left = std::accumulate(cost.backwardSeconds.begin(), cost.backwardSeconds.end(), 0.0);
    std::vector<GradientBucket> gradients;
    for (std::size_t i = graph.layers.size(); i-- > 0;)
    {
        left -= cost.backwardSeconds[i];
        if (graph.layers[i].parameterBytes > 0)
        {
            gradients.push_back(
                {graph.layers[i].parameterBytes, all > 0 ? 1 - std::max(0.0, left) / all : 1});
        }
    }
    return gradients;
}

} // namespace

std::vector<GradientBucket>
FillBuckets(const DataParallelCost& cost, uint64_t bucketBytes, uint64_t firstBytes)
{
    if (bucketBytes == 0 || cost.gradients.empty())
    {
        return {{cost.parameterBytes, 1}};
    }
    std::vector<GradientBucket> buckets(1);
    for (const GradientBucket& layer : cost.gradients)
    {
        if (buckets.back().bytes >= (buckets.size() == 1 ? firstBytes : bucketBytes))
        {
            buckets.emplace_back();
        }
        buckets.back().bytes += layer.bytes;
        buckets.back().readyShare = layer.readyShare;
    }
    buckets.back().readyShare = 1;
    return buckets;
}

std::map<std::string, DataParallelCost>
FindDataParallelCosts(const std::string& traces,
                      const DnnGraph& graph,
                      const std::vector<DeviceSpec>& specs,
                      std::map<std::string, LayerCost>* layers)
{
    const auto costs = FindLayerCosts(traces, graph, specs, BATCH, PassKind::TRAINING);
    const auto single = FindLayerCosts(traces, graph, specs, 1, PassKind::TRAINING);
    DataParallelCost all;
    all.model = graph.name;
    all.optimizerStates = CreateObject<TrainingMemory>()->GetOptimizerStates();
    const std::vector<uint64_t> alive = FindAliveBytes(graph.layers);
    all.largestBytes = *std::max_element(alive.begin(), alive.end());
    const std::vector<uint64_t> kept = FindKeptBytes(graph.layers);
    all.activationBytes = std::accumulate(kept.begin(), kept.end(), uint64_t{0});
    for (const DnnLayer& layer : graph.layers)
    {
        all.opsPerSample += 3.0 * static_cast<double>(layer.flop);
        all.parameterBytes += layer.parameterBytes;
    }
    Require(all.opsPerSample > 0, "model " + graph.name + ": found no operations, expected some");
    std::map<std::string, DataParallelCost> found;
    for (const DeviceSpec& spec : specs)
    {
        DataParallelCost& cost = found[spec.name];
        cost = all;
        const LayerCost& many = costs.at(spec.name);
        const LayerCost& one = single.at(spec.name);
        const double slope = (many.GetSeconds() - one.GetSeconds()) / (BATCH - 1);
        const double pass = one.GetSeconds() - slope;
        const bool isLine =
            (one.origin == "estimated") == (many.origin == "estimated") && slope > 0 && pass >= 0;
        cost.sampleSeconds = isLine ? slope : many.GetSeconds() / BATCH;
        cost.passSeconds = isLine ? pass : 0;
        cost.gradients = FindGradients(graph, many);
        cost.updateSeconds = GetUpdatePasses(all.optimizerStates) *
                             static_cast<double>(all.parameterBytes) /
                             spec.memoryBandwidthBytesPerSecond;
    }
    if (layers)
    {
        *layers = costs;
    }
    return found;
}

} // namespace ns3::edgepipe
