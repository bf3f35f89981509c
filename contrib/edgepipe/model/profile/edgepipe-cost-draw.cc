/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-cost-draw.h"

#include "ns3/edgepipe-random-streams.h"
#include "ns3/global-value.h"
#include "ns3/hash.h"
#include "ns3/random-variable-stream.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

namespace ns3::edgepipe
{

namespace
{

GlobalValue g_costDraw("EdgepipeCostDraw",
                       "Draw of layer costs within their uncertainty, by number; 0: nominal costs.",
                       UintegerValue(0),
                       MakeUintegerChecker<uint32_t>(0, MOST_COST_DRAWS));

/// Correlation of the logarithms of both passes' errors, by layers of the profiles (0.65 to 0.76).
constexpr double PASS_CORRELATION = 0.7;
/// Logarithms of peaks over the memory rule, mean and standard deviation of four measured networks
/// (CountsTheMemoryThatPyTorchTakes in the tests).
constexpr double MEMORY_LOG_MEAN = 0.155;
constexpr double MEMORY_LOG_SPREAD = 0.063;

/**
 * @param device name of its type
 * @param kind of pass
 * @param count numbers per draw
 * @param draw its number, from 1 on
 * @return numbers of the standard normal distribution
 */
std::vector<double>
DrawNormal(const std::string& device, PassKind kind, std::size_t count, uint32_t draw)
{
    const auto normal = MakeRandomVariable<NormalRandomVariable>(random_streams::COST_DRAW.Get(
        Hash32(std::to_string(draw) + " " + device +
               (kind == PassKind::TRAINING ? " training" : " inference")) %
        random_streams::COST_DRAW.count));
    std::vector<double> values(count);
    for (double& value : values)
    {
        value = normal->GetValue();
    }
    return values;
}

/**
 * @param seconds by layer, median
 * @param spread their standard deviations, s; may be empty
 * @param normal by layer, draws of the standard normal distribution
 * @return factors by layer
 */
std::vector<double>
ListFactors(const std::vector<double>& seconds,
            const std::vector<double>& spread,
            const double* normal)
{
    std::vector<double> factors(seconds.size(), 1);
    for (std::size_t i = 0; i < spread.size(); ++i)
    {
        const double relative = seconds[i] > 0 ? spread[i] / seconds[i] : 0;
        factors[i] = std::exp(normal[i] * std::sqrt(std::log1p(relative * relative)));
    }
    return factors;
}

/**
 * @param seconds of layers, to be changed; may be empty
 * @param factors of layers
 */
void
Multiply(std::vector<double>& seconds, const std::vector<double>& factors)
{
    for (std::size_t i = 0; i < seconds.size(); ++i)
    {
        seconds[i] *= factors[i];
    }
}

/**
 * @param graph a model
 * @param isAlike whether two of its layers are alike
 * @return by layer, the first one that is like it
 */
template <typename IsAlike>
std::vector<std::size_t>
FindFirstAlike(const DnnGraph& graph, IsAlike isAlike)
{
    std::vector<std::size_t> first;
    for (const DnnLayer& layer : graph.layers)
    {
        const auto found =
            std::find_if(graph.layers.begin(), graph.layers.end(), [&](const DnnLayer& other) {
                return isAlike(layer, other);
            });
        first.push_back(found - graph.layers.begin());
    }
    return first;
}

/**
 * Give layers factors for their operator and for what they do, see DrawCosts.
 *
 * @param cost an estimate
 * @param graph its model
 * @param spread of either factor's logarithm
 * @param kind of pass
 * @param draw its number, from 1 on
 * @param forward factors of the forward pass by layer, to be multiplied
 * @param backward factors of the backward pass
 */
void
MultiplyLayers(const LayerCost& cost,
               const DnnGraph& graph,
               double spread,
               PassKind kind,
               uint32_t draw,
               std::vector<double>& forward,
               std::vector<double>& backward)
{
    const std::size_t layers = graph.layers.size();
    const auto operators = FindFirstAlike(graph, [](const DnnLayer& a, const DnnLayer& b) {
        return a.operatorName == b.operatorName;
    });
    const auto works = FindFirstAlike(graph, [](const DnnLayer& a, const DnnLayer& b) {
        return std::tie(a.operatorName, a.flop, a.parameterBytes, a.outputBytes) ==
               std::tie(b.operatorName, b.flop, b.parameterBytes, b.outputBytes);
    });
    const auto normal = DrawNormal(cost.device + " layers", kind, 4 * layers, draw);
    double before = 0;
    double after = 0;
    const auto multiply = [&](double& factor, double seconds, double logarithm) {
        before += factor * seconds;
        factor *= std::exp(spread * logarithm);
        after += factor * seconds;
    };
    for (std::size_t i = 0; i < layers; ++i)
    {
        const double common = normal[operators[i]] + normal[layers + works[i]];
        const double own = normal[2 * layers + operators[i]] + normal[3 * layers + works[i]];
        multiply(forward[i], cost.forwardSeconds[i], common);
        multiply(backward[i],
                 cost.backwardSeconds[i],
                 PASS_CORRELATION * common +
                     std::sqrt(1 - PASS_CORRELATION * PASS_CORRELATION) * own);
    }
    for (std::size_t i = 0; after > 0 && i < layers; ++i)
    {
        forward[i] *= before / after;
        backward[i] *= before / after;
    }
}

} // namespace

uint32_t
GetCostDraw()
{
    UintegerValue draw;
    g_costDraw.GetValue(draw);
    return draw.Get();
}

double
DrawFactor(const std::string& device, PassKind kind, double logSpread, uint32_t draw)
{
    return draw == 0 ? 1 : std::exp(logSpread * DrawNormal(device, kind, 1, draw).front());
}

double
DrawMemoryFactor(uint32_t draw)
{
    return draw == 0 ? 1
                     : std::exp(MEMORY_LOG_MEAN) *
                           DrawFactor("memory", PassKind::TRAINING, MEMORY_LOG_SPREAD, draw);
}

void
DrawCosts(LayerCost& cost,
          const DnnGraph& graph,
          double layerLogSpread,
          PassKind kind,
          uint32_t draw)
{
    const std::size_t layers = cost.forwardSeconds.size();
    std::vector<double> forward(layers, DrawFactor(cost.device, kind, cost.logSpread, draw));
    std::vector<double> backward = forward;
    if (cost.origin != "estimated" || cost.logSpread == 0)
    {
        const auto values = DrawNormal(cost.device, kind, 2 * layers, draw);
        forward = ListFactors(cost.forwardSeconds, cost.forwardSpreadSeconds, values.data());
        backward =
            ListFactors(cost.backwardSeconds, cost.backwardSpreadSeconds, values.data() + layers);
    }
    else if (layerLogSpread > 0)
    {
        MultiplyLayers(cost, graph, layerLogSpread, kind, draw, forward, backward);
    }
    Multiply(cost.forwardSeconds, forward);
    Multiply(cost.backwardSeconds, backward);
    Multiply(cost.isolatedForwardSeconds, forward);
    Multiply(cost.isolatedBackwardSeconds, backward);
    Multiply(cost.fixedSeconds, forward);
}

} // namespace ns3::edgepipe
