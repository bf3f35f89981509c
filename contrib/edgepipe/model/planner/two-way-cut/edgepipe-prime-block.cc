/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-prime-block.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ns3
{
namespace edgepipe
{

PrimeBlock::PrimeBlock(std::vector<PrimeLayer> layers)
    : m_layers(std::move(layers))
{
}

PrimeCut
PrimeBlock::FindBest(double secondsPerByte) const
{
    std::vector<ClosedCutNode> nodes(m_layers.size());
    for (std::size_t i = 0; i < m_layers.size(); ++i)
    {
        const PrimeLayer& layer = m_layers[i];
        const double tensorSeconds = static_cast<double>(layer.bytes) * secondsPerByte;
        nodes[i].deviceSeconds = std::max(layer.gainSeconds, 0.0);
        nodes[i].serverSeconds = layer.isForced ? std::numeric_limits<double>::infinity()
                                                : std::max(-layer.gainSeconds, 0.0);
        // What is read behind the block crosses whenever it is made on the device.
        (layer.isReadBehind ? nodes[i].deviceSeconds : nodes[i].tensorSeconds) += tensorSeconds;
        nodes[i].consumers = layer.consumers;
    }
    PrimeCut cut;
    cut.isOnDevice = FindMinimumClosedCut(nodes, MinCutAlgorithm::BOYKOV_KOLMOGOROV);
    for (std::size_t i = 0; i < m_layers.size(); ++i)
    {
        const PrimeLayer& layer = m_layers[i];
        const auto isOnServer = [&cut](uint32_t consumer) { return !cut.isOnDevice[consumer]; };
        if (!cut.isOnDevice[i])
        {
            continue;
        }
        cut.fixedSeconds += layer.gainSeconds;
        if (layer.isReadBehind ||
            std::any_of(layer.consumers.begin(), layer.consumers.end(), isOnServer))
        {
            cut.bytes += layer.bytes;
        }
    }
    return cut;
}

void
PrimeBlock::FindEnvelope(const std::function<void(const PrimeCut&)>& take) const
{
    // Beyond the sum of all gains in seconds per byte, a byte less is worth any of them.
    double gains = 0;
    for (const PrimeLayer& layer : m_layers)
    {
        gains += std::abs(layer.gainSeconds);
    }
    const PrimeCut fast = FindBest(0);
    const PrimeCut slow = FindBest(gains > 0 ? gains : 1);
    take(fast);
    take(slow);
    std::vector<std::pair<PrimeCut, PrimeCut>> toDivide{{fast, slow}};
    while (!toDivide.empty())
    {
        const auto [many, few] = std::move(toDivide.back());
        toDivide.pop_back();
        if (many.bytes <= few.bytes || few.fixedSeconds <= many.fixedSeconds)
        {
            continue;
        }
        const double secondsPerByte =
            (few.fixedSeconds - many.fixedSeconds) / static_cast<double>(many.bytes - few.bytes);
        const PrimeCut between = FindBest(secondsPerByte);
        const auto at = [secondsPerByte](const PrimeCut& cut) {
            return cut.fixedSeconds + static_cast<double>(cut.bytes) * secondsPerByte;
        };
        // The rounding of the minimum cut must not count as progress.
        if (at(many) - at(between) > 1e-12 * (gains + std::abs(at(many))))
        {
            take(between);
            toDivide.push_back({many, between});
            toDivide.push_back({between, few});
        }
    }
}

} // namespace edgepipe
} // namespace ns3
