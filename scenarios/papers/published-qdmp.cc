/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/published-qdmp.h"

#include "ns3/edgepipe-json-reader.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Columns of tables 2 and 3.
const std::vector<std::string> PLANNERS{"cloud-only", "edge-only", "neurosurgeon", "dads", "qdmp"};

/**
 * @param field an object of networks or devices
 * @param planners whose figures each must have
 * @return the figures
 */
FiguresByPlanner
ReadFigures(const JsonField& field, const std::vector<std::string>& planners)
{
    FiguresByPlanner figures;
    for (const auto& [where, row] : field.GetMembers())
    {
        for (const std::string& planner : planners)
        {
            figures[where][planner] = row.GetField(planner).GetPositiveNumber();
        }
        for (const auto& [planner, figure] : row.GetMembers())
        {
            if (figures[where].count(planner) == 0)
            {
                figure.FailWith("unknown planner " + QuoteForMessage(planner));
            }
        }
    }
    return figures;
}

/**
 * @param field a model
 * @param networks those of the file
 * @return it
 */
PublishedQdmpModel
ReadModel(const JsonField& field, const std::vector<PublishedQdmpNetwork>& networks)
{
    field.CheckKeys({"name",
                     "file",
                     "layers",
                     "latencySeconds",
                     "framesPerSecond",
                     "decisionSeconds",
                     "mebibitsPerFrame"});
    PublishedQdmpModel model{field.GetField("name").GetName(),
                             field.GetField("file").GetFileStem(),
                             ReadFigures(field.GetField("latencySeconds"), PLANNERS)};
    field.GetField("layers").GetInteger(1, UINT32_MAX);
    const FiguresByPlanner framesPerSecond =
        ReadFigures(field.GetField("framesPerSecond"), PLANNERS);
    ReadFigures(field.GetField("decisionSeconds"), {"dads", "qdmp"});
    const auto checkNetwork = [&networks](const JsonField& where, const std::string& name) {
        if (std::none_of(networks.begin(), networks.end(), [&name](const auto& network) {
                return network.name == name;
            }))
        {
            where.FailWith("unknown network " + QuoteForMessage(name));
        }
    };
    if (model.latencySeconds.empty())
    {
        field.GetField("latencySeconds").Fail("at least one network");
    }
    for (const auto& [network, row] : model.latencySeconds)
    {
        checkNetwork(field.GetField("latencySeconds"), network);
        field.GetField("framesPerSecond").GetField(network);
    }
    for (const auto& [network, row] : framesPerSecond)
    {
        field.GetField("latencySeconds").GetField(network);
    }
    for (const auto& [network, figure] : field.GetField("mebibitsPerFrame").GetMembers())
    {
        checkNetwork(field.GetField("mebibitsPerFrame"), network);
        figure.GetNumber(0);
    }
    return model;
}

} // namespace

PublishedQdmp
ReadPublishedQdmp(const std::string& path)
{
    const JsonField root = ReadJsonFile(path);
    root.CheckFormat("edgepipe-qdmp-tables 1");
    root.CheckKeys({"format", "source", "networks", "models"});
    PublishedQdmp published;
    published.source = root.GetField("source").GetString();
    for (const JsonField& network : root.GetField("networks").GetElements())
    {
        network.CheckKeys({"name", "uplinkBitsPerSecond"});
        published.networks.push_back({network.GetField("name").GetName(),
                                      network.GetField("uplinkBitsPerSecond").GetPositiveNumber()});
    }
    for (const JsonField& model : root.GetField("models").GetElements())
    {
        published.models.push_back(ReadModel(model, published.networks));
    }
    if (published.models.empty())
    {
        root.GetField("models").Fail("at least one model");
    }
    return published;
}

} // namespace edgepipe
} // namespace ns3
