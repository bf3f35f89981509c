/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-layer-regression.h"

#include "edgepipe-cost-provider.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"
#include "ns3/edgepipe-ranges.h"

#include <Eigen/QR>
#include <filesystem>
#include <set>
#include <utility>

namespace ns3::edgepipe
{

LayerRegression::Features
LayerRegression::GetFeatures(const DnnGraph& graph, const DnnLayer& layer)
{
    const double inputBytes =
        Sum(layer.inputs, [&](auto input) { return double(graph.layers[input].outputBytes); });
    return {1,
            static_cast<double>(layer.flop),
            inputBytes,
            static_cast<double>(layer.outputBytes),
            static_cast<double>(layer.parameterBytes)};
}

void
LayerRegression::AddExamples(const DnnGraph& graph, const LayerCost& cost)
{
    const std::vector<double>& seconds =
        cost.isolatedForwardSeconds.empty() ? cost.forwardSeconds : cost.isolatedForwardSeconds;
    for (std::size_t i = 0; i < graph.layers.size(); ++i)
    {
        const DnnLayer& layer = graph.layers[i];
        m_examples[layer.operatorName].push_back({GetFeatures(graph, layer), seconds[i]});
    }
}

void
LayerRegression::Fit()
{
    for (const auto& [operatorName, examples] : m_examples)
    {
        Features largest{};
        Eigen::MatrixXd features(examples.size(), largest.size());
        Eigen::VectorXd seconds(examples.size());
        for (std::size_t column = 0; column < largest.size(); ++column)
        {
            for (const Example& example : examples)
            {
                largest[column] = std::max(largest[column], example.features[column]);
            }
            // Scaled, since FLOP are some 10^9 times the constant, which rounding would lose.
            largest[column] = largest[column] > 0 ? largest[column] : 1;
            for (std::size_t row = 0; row < examples.size(); ++row)
            {
                features(row, column) = examples[row].features[column] / largest[column];
                seconds(row) = examples[row].seconds;
            }
        }
        const Eigen::VectorXd scaled =
            Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(features).solve(seconds);
        Features& coefficients = m_coefficients[operatorName];
        for (std::size_t column = 0; column < largest.size(); ++column)
        {
            coefficients[column] = scaled(column) / largest[column];
        }
    }
}

std::vector<double>
LayerRegression::Predict(const DnnGraph& graph) const
{
    std::vector<double> predicted;
    for (const DnnLayer& layer : graph.layers)
    {
        double seconds = 0;
        if (layer.operatorName != "input")
        {
            const auto coefficients = m_coefficients.find(layer.operatorName);
            Require(coefficients != m_coefficients.end(),
                    "layer " + QuoteForMessage(layer.name) + ": found operator " +
                        QuoteForMessage(layer.operatorName) +
                        ", of which there is no example to predict its time from");
            const Features features = GetFeatures(graph, layer);
            for (std::size_t column = 0; column < features.size(); ++column)
            {
                seconds += coefficients->second[column] * features[column];
            }
        }
        predicted.push_back(std::max(seconds, 0.0));
    }
    return predicted;
}

LayerRegression
FitLayerRegression(const std::string& tracesDirectory, const DeviceSpec& spec, uint32_t batch)
{
    namespace fs = std::filesystem;
    const fs::path folder = fs::path(tracesDirectory) / "models";
    // Sorted by name, since the order of directory entries differs between machines.
    std::set<std::string> files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
    {
        if (entry.path().extension() == ".json")
        {
            files.insert(entry.path().string());
        }
    }
    Require(!files.empty(), folder.string() + ": found no model to predict times from");
    std::vector<std::pair<DnnGraph, LayerCost>> examples;
    for (const std::string& file : files)
    {
        DnnGraph graph = ReadDnnGraph(file);
        LayerCost cost = FindLayerCosts(tracesDirectory, graph, {spec}, batch, PassKind::INFERENCE)
                             .at(spec.name);
        examples.emplace_back(std::move(graph), std::move(cost));
    }
    const auto isMeasured = [](const auto& example) { return example.second.mode.has_value(); };
    const bool anyMeasured = std::any_of(examples.begin(), examples.end(), isMeasured);
    LayerRegression regression;
    for (const auto& example : examples)
    {
        if (isMeasured(example) || !anyMeasured)
        {
            regression.AddExamples(example.first, example.second);
        }
    }
    regression.Fit();
    return regression;
}

} // namespace ns3::edgepipe
