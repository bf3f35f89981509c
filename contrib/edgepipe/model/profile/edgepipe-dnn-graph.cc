/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-dnn-graph.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"

#include <cmath>
#include <functional>
#include <map>
#include <queue>

namespace ns3::edgepipe
{

namespace
{

/** Operators that multiply by weights, unless they have two inputs. */
const std::vector<std::string> PRODUCTS = {"conv2d",
                                           "grouped_conv2d",
                                           "depthwise_conv2d",
                                           "linear",
                                           "recurrent"};

/** The operators of doc/reference/formats.rst. */
const std::vector<std::string> OPERATORS = {"input",
                                            "conv2d",
                                            "grouped_conv2d",
                                            "depthwise_conv2d",
                                            "linear",
                                            "attention",
                                            "recurrent",
                                            "batch_norm",
                                            "relu",
                                            "activation",
                                            "pool",
                                            "add",
                                            "mul",
                                            "cat",
                                            "flatten",
                                            "dropout",
                                            "softmax",
                                            "lrn",
                                            "other"};

/**
 * @param layers layers whose inputs contain a cycle
 * @param isSorted for every layer, whether it lies before all cycles
 * @return the members of one cycle in the order of data flow, as "a" -> "b" -> "a"
 */
std::string
DescribeCycle(const std::vector<DnnLayer>& layers, const std::vector<bool>& isSorted)
{
    // Every unsorted layer has an unsorted input, so following inputs reaches a cycle.
    std::size_t at = std::find(isSorted.begin(), isSorted.end(), false) - isSorted.begin();
    std::vector<std::size_t> walk;
    std::vector<bool> isVisited(layers.size(), false);
    while (!isVisited[at])
    {
        isVisited[at] = true;
        walk.push_back(at);
        const std::vector<std::size_t>& inputs = layers[at].inputs;
        at = *std::find_if(inputs.begin(), inputs.end(), [&](std::size_t input) {
            return !isSorted[input];
        });
    }
    std::vector<std::size_t> cycle(std::find(walk.begin(), walk.end(), at), walk.end());
    std::string text = QuoteForMessage(layers[at].name);
    for (auto layer = cycle.rbegin(); layer != cycle.rend(); ++layer)
    {
        text += " -> " + QuoteForMessage(layers[*layer].name);
    }
    return text;
}

/**
 * Sorts layers topologically, stably.
 *
 * @param layers layers whose inputs may point anywhere
 * @param root the file, for messages
 * @return the same layers, inputs renumbered
 */
std::vector<DnnLayer>
SortLayers(const std::vector<DnnLayer>& layers, const JsonField& root)
{
    std::vector<std::size_t> missing(layers.size());
    std::vector<std::vector<std::size_t>> consumers(layers.size());
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < layers.size(); ++i)
    {
        missing[i] = layers[i].inputs.size();
        for (std::size_t input : layers[i].inputs)
        {
            consumers[input].push_back(i);
        }
        if (missing[i] == 0)
        {
            ready.push(i);
        }
    }

    std::vector<DnnLayer> sorted;
    std::vector<bool> isSorted(layers.size(), false);
    std::vector<std::size_t> position(layers.size());
    while (!ready.empty())
    {
        std::size_t next = ready.top();
        ready.pop();
        isSorted[next] = true;
        position[next] = sorted.size();
        sorted.push_back(layers[next]);
        for (std::size_t& input : sorted.back().inputs)
        {
            input = position[input];
        }
        for (std::size_t consumer : consumers[next])
        {
            if (--missing[consumer] == 0)
            {
                ready.push(consumer);
            }
        }
    }
    if (sorted.size() < layers.size())
    {
        root.GetField("layers").FailWith("the layers form a cycle: " +
                                         DescribeCycle(layers, isSorted));
    }
    return sorted;
}

/**
 * @param field a layer's entry
 * @return the layer, without its inputs
 */
DnnLayer
ReadLayer(const JsonField& field)
{
    field.CheckKeys({"name",
                     "operator",
                     "inputs",
                     "outputShape",
                     "flop",
                     "parameterBytes",
                     "parameters",
                     "outputBytes",
                     "integerBytes",
                     "activationBytes",
                     "tied"});
    DnnLayer layer;
    layer.name = field.GetField("name").GetName();
    JsonField operatorField = field.GetField("operator");
    layer.operatorName = operatorField.GetString();
    operatorField.Expect(std::count(OPERATORS.begin(), OPERATORS.end(), layer.operatorName) > 0,
                         "an operator that doc/reference/formats.rst lists, or \"other\"");
    if (auto shape = field.FindField("outputShape"))
    {
        const auto extents = shape->GetElements();
        layer.outputs = 1;
        for (auto extent = extents.rbegin(); extent != extents.rend(); ++extent)
        {
            layer.channels = extent->GetInteger(1);
            layer.outputs *= static_cast<double>(layer.channels);
        }
    }
    layer.flop = field.GetField("flop").GetInteger();
    layer.parameterBytes = field.GetField("parameterBytes").GetInteger();
    if (auto parameters = field.FindField("parameters"))
    {
        layer.parameters = parameters->GetInteger();
    }
    layer.outputBytes = field.GetField("outputBytes").GetInteger(layer.flop > 0 ? 1 : 0);
    if (auto integers = field.FindField("integerBytes"))
    {
        layer.integerBytes = integers->GetInteger(0, layer.outputBytes);
    }
    layer.activationBytes = field.GetField("activationBytes").GetInteger();
    return layer;
}

/**
 * Corrects the numbers in outputs whose shapes do not fit their bytes.
 * @param layers in a topological order
 */
void
CountNumbers(std::vector<DnnLayer>& layers)
{
    std::vector<double> bytesOfNumber;
    for (DnnLayer& layer : layers)
    {
        const double bytes = static_cast<double>(layer.outputBytes) / layer.outputs;
        const bool fits = bytes <= 1 || bytes == 2 || bytes == 4 || bytes == 8;
        bytesOfNumber.push_back(fits && bytes > 0      ? bytes
                                : layer.inputs.empty() ? 4
                                                       : bytesOfNumber[layer.inputs[0]]);
        layer.outputs = static_cast<double>(layer.outputBytes) / bytesOfNumber.back();
        if (layer.inputs.empty() && bytesOfNumber.back() > 4)
        {
            layer.integerBytes = layer.outputBytes; // files of old do not say it of their tokens
        }
    }
}

/**
 * @param field the entry of tied weights in a layer
 * @param layers sorted
 * @param positions of the layers, by name
 * @param layer to which they are added
 */
void
AddTied(const JsonField& field,
        const std::vector<DnnLayer>& layers,
        const std::map<std::string, std::size_t>& positions,
        DnnLayer& layer)
{
    field.CheckKeys({"layer", "bytes"});
    const JsonField name = field.GetField("layer");
    const auto owner = positions.find(name.GetString());
    name.Expect(owner != positions.end() && owner->second < positions.at(layer.name),
                "the name of an earlier layer");
    const bool isNew =
        std::none_of(layer.tied.begin(), layer.tied.end(), [&owner](const TiedWeights& tied) {
            return tied.layer == owner->second;
        });
    name.Expect(isNew, "each layer once");
    const JsonField bytes = field.GetField("bytes");
    const uint64_t most = layers[owner->second].parameterBytes;
    bytes.Expect(bytes.GetInteger(1) <= most,
                 "at most the parameterBytes of " + QuoteForMessage(owner->first) + ", " +
                     std::to_string(most));
    layer.tied.push_back({owner->second, bytes.GetInteger(1)});
}

} // namespace

DnnGraph
ReadDnnGraph(const std::string& path)
{
    JsonField root = ReadJsonFile(path);
    root.CheckFormat("edgepipe-model 1");
    root.CheckKeys({"format", "name", "source", "command", "inputShape", "layers"});

    DnnGraph graph;
    graph.name = root.GetField("name").GetFileStem();
    std::vector<JsonField> entries = root.GetField("layers").GetElements();
    if (entries.empty())
    {
        root.GetField("layers").FailWith("found no layer, expected at least one");
    }
    std::vector<DnnLayer> layers;
    std::map<std::string, std::size_t> indices;
    for (const JsonField& entry : entries)
    {
        layers.push_back(ReadLayer(entry));
        entry.GetField("name").Expect(indices.emplace(layers.back().name, layers.size() - 1).second,
                                      "a name that no other layer has");
    }
    for (std::size_t i = 0; i < layers.size(); ++i)
    {
        std::vector<std::size_t>& inputs = layers[i].inputs;
        for (const JsonField& field : entries[i].GetField("inputs").GetElements())
        {
            auto input = indices.find(field.GetString());
            field.Expect(input != indices.end(), "the name of a layer");
            // A layer that reads one tensor twice (x + x) depends on it once.
            if (std::find(inputs.begin(), inputs.end(), input->second) == inputs.end())
            {
                inputs.push_back(input->second);
            }
        }
    }
    graph.layers = SortLayers(layers, root);
    CountNumbers(graph.layers);
    std::map<std::string, std::size_t> positions;
    for (const DnnLayer& layer : graph.layers)
    {
        positions.emplace(layer.name, positions.size());
    }
    for (const JsonField& entry : entries)
    {
        DnnLayer& layer = graph.layers[positions.at(entry.GetField("name").GetString())];
        const auto list = entry.FindField("tied");
        for (const JsonField& field : list ? list->GetElements() : std::vector<JsonField>())
        {
            AddTied(field, graph.layers, positions, layer);
        }
        const bool isProduct = std::count(PRODUCTS.begin(), PRODUCTS.end(), layer.operatorName) > 0;
        entry.GetField("parameterBytes")
            .Expect(!isProduct || layer.flop == 0 || layer.inputs.size() > 1 ||
                        layer.parameterBytes > 0 || !layer.tied.empty(),
                    "the weights by which layer " + QuoteForMessage(layer.name) +
                        " multiplies its one input, or \"tied\" with those of an earlier layer");
    }
    return graph;
}

uint32_t
ReadInputSide(const std::string& path)
{
    const JsonField shape = ReadJsonFile(path).GetField("inputShape");
    const std::vector<JsonField> extents = shape.GetElements();
    shape.Expect(extents.size() == 3, "channels, height and width");
    return extents.back().GetInteger(1, UINT32_MAX);
}

DnnGraph
ScaleInput(const DnnGraph& graph, uint32_t from, uint32_t to)
{
    DnnGraph scaled = graph;
    scaled.name += "-" + std::to_string(to) + "px";
    const double area = static_cast<double>(to) / from * to / from;
    const auto scale = [area](uint64_t& figure) {
        figure = static_cast<uint64_t>(std::llround(static_cast<double>(figure) * area));
    };
    std::vector<bool> isFlat;
    for (DnnLayer& layer : scaled.layers)
    {
        isFlat.push_back(layer.operatorName == "linear" || layer.operatorName == "flatten" ||
                         std::any_of(layer.inputs.begin(),
                                     layer.inputs.end(),
                                     [&isFlat](std::size_t input) { return isFlat[input]; }));
        if (!isFlat.back())
        {
            scale(layer.flop);
            scale(layer.outputBytes);
            scale(layer.integerBytes);
            scale(layer.activationBytes);
            layer.outputs *= area;
        }
    }
    return scaled;
}

} // namespace ns3::edgepipe
