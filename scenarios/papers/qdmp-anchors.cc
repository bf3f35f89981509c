/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/qdmp-anchors.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace ns3
{
namespace edgepipe
{

std::vector<QdmpAnchor>
ReadQdmpAnchors(const std::string& path)
{
    const JsonField root = ReadJsonFile(path);
    root.CheckFormat("edgepipe-qdmp-anchors 1");
    std::vector<QdmpAnchor> anchors;
    for (const JsonField& cell : root.GetField("cells").GetElements())
    {
        if (cell.FindField("contradiction"))
        {
            continue;
        }
        anchors.push_back({cell.GetField("model").GetName(),
                           cell.GetField("network").GetName(),
                           cell.GetField("layer").GetString(),
                           cell.GetField("deviceSeconds").GetPositiveNumber(),
                           cell.GetField("serverSeconds").GetNumber(0)});
    }
    return anchors;
}

void
ShapeByAnchors(const DnnGraph& graph,
               std::vector<double>& seconds,
               const std::vector<QdmpAnchor>& anchors,
               bool isServer)
{
    const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    std::map<std::size_t, std::vector<double>> known; // by layer, seconds up to it
    for (const QdmpAnchor& anchor : anchors)
    {
        const auto found =
            std::find_if(graph.layers.begin(), graph.layers.end(), [&](const DnnLayer& layer) {
                return layer.name == anchor.layer;
            });
        if (found == graph.layers.end())
        {
            throw InputError(graph.name + " has no layer " + QuoteForMessage(anchor.layer) +
                             ", which an anchor names");
        }
        known[found - graph.layers.begin()].push_back(isServer ? all - anchor.serverSeconds
                                                               : anchor.deviceSeconds);
    }
    known[seconds.size() - 1].push_back(all);
    std::size_t first = 0;
    double before = 0;
    for (const auto& [last, each] : known)
    {
        const double upTo = std::accumulate(each.begin(), each.end(), 0.0) / each.size();
        const auto begin = seconds.begin() + first;
        const auto end = seconds.begin() + last + 1;
        const double own = std::accumulate(begin, end, 0.0);
        if (upTo < before || own <= 0)
        {
            throw InputError(graph.name + ": the anchors leave " + std::to_string(upTo - before) +
                             " s up to layer " + QuoteForMessage(graph.layers[last].name));
        }
        std::for_each(begin, end, [&](double& value) { value *= (upTo - before) / own; });
        first = last + 1;
        before = upTo;
    }
}

} // namespace edgepipe
} // namespace ns3
