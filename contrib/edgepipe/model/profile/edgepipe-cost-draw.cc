/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-cost-draw.h"

#include "ns3/edgepipe-random-streams.h"
#include "ns3/global-value.h"
#include "ns3/hash.h"
#include "ns3/random-variable-stream.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <vector>

namespace ns3::edgepipe
{

namespace
{

GlobalValue g_costDraw("EdgepipeCostDraw",
                       "Draw of layer costs within their uncertainty, by number; 0: nominal costs.",
                       UintegerValue(0),
                       MakeUintegerChecker<uint32_t>(0, MOST_COST_DRAWS));

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
        Hash32(device + (kind == PassKind::TRAINING ? " training" : " inference")) %
        random_streams::COST_DRAW.count));
    std::vector<double> values(count);
    for (uint32_t i = 0; i < draw; ++i)
    {
        for (double& value : values)
        {
            value = normal->GetValue();
        }
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

void
DrawCosts(LayerCost& cost, PassKind kind, uint32_t draw)
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
    Multiply(cost.forwardSeconds, forward);
    Multiply(cost.backwardSeconds, backward);
    Multiply(cost.isolatedForwardSeconds, forward);
    Multiply(cost.isolatedBackwardSeconds, backward);
    Multiply(cost.fixedSeconds, forward);
}

} // namespace ns3::edgepipe
