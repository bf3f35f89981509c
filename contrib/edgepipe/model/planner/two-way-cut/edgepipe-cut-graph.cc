/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-cut-graph.h"

#include "edgepipe-two-way-cut-cost.h"

namespace ns3
{
namespace edgepipe
{

CutGraph::CutGraph(const TwoWayCutProblem& problem)
    : layers(static_cast<int32_t>(problem.layers.size())),
      frameBytes(problem.inputBytes),
      lastReader(0),
      bytes(layers),
      gains(layers),
      lasts(layers, layers),
      m_inputEnds(layers + 1)
{
    m_inputs.reserve(layers + layers / 4);
    for (int32_t i = 0; i < layers; ++i)
    {
        const TwoWayCutLayer& layer = problem.layers[i];
        gains[i] = layer.deviceSeconds - layer.serverSeconds;
        bytes[i] = layer.outputBytes;
        for (const std::size_t input : layer.inputs)
        {
            m_inputs.push_back(static_cast<int32_t>(input));
            lasts[input] = i;
        }
        if (layer.inputs.empty())
        {
            m_inputs.push_back(SOURCE);
            lastReader = i;
        }
        m_inputEnds[i + 1] = static_cast<uint32_t>(m_inputs.size());
    }
    for (int32_t i = 0; i < layers; ++i)
    {
        if (lasts[i] == layers)
        {
            gains[i] -= GetResultSeconds(problem, bytes[i]);
            bytes[i] = 0;
        }
    }
}

} // namespace edgepipe
} // namespace ns3
