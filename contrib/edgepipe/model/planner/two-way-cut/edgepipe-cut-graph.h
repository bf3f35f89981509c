/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_CUT_GRAPH_H
#define EDGEPIPE_CUT_GRAPH_H

#include "edgepipe-two-way-cut-problem.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * What FindBestCut needs of a problem, in arrays so compact that they stay in the cache.
 *
 * A virtual source stands for the model's input; a virtual sink reads what nothing else does.
 */
class CutGraph
{
  public:
    /// The virtual source; layers follow from 0 on, the virtual sink is one past the last layer.
    static constexpr int32_t SOURCE = -1;

    /** @param problem a valid problem */
    explicit CutGraph(const TwoWayCutProblem& problem);

    /** @return first and one past the last of what a layer reads: layers or the source */
    std::pair<const int32_t*, const int32_t*> GetInputs(int32_t layer) const
    {
        return {m_inputs.data() + m_inputEnds[layer], m_inputs.data() + m_inputEnds[layer + 1]};
    }

    /** @return whether a layer reads another, or the source */
    bool Reads(int32_t layer, int32_t other) const
    {
        const auto [begin, end] = GetInputs(layer);
        return std::find(begin, end, other) != end;
    }

    int32_t layers;              //!< how many; also the virtual sink
    uint64_t frameBytes;         //!< of the model's input
    int32_t lastReader;          //!< last layer that reads the source
    std::vector<uint64_t> bytes; //!< by layer, of its output; 0 if that is the result
    std::vector<double> gains;   //!< by layer, seconds more on the device than on the server
    std::vector<int32_t> lasts;  //!< by layer, the last that reads it

  private:
    std::vector<int32_t> m_inputs;     //!< of all layers in turn
    std::vector<uint32_t> m_inputEnds; //!< by layer + 1, one past its last input; 0 before them
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_CUT_GRAPH_H */
