// SPDX-License-Identifier: GPL-2.0-only

#ifndef SHIPPED_TWO_WAY_CUT_H
#define SHIPPED_TWO_WAY_CUT_H

#include "test.h"

#include "ns3/edgepipe-cost-provider.h"
#include "ns3/edgepipe-layer-regression.h"

/** A shipped model between two devices. */
struct ShippedTwoWayCut
{
    std::string name;         //!< for messages
    TwoWayCutProblem problem; //!< at 1 Mbit/s up and 10 Mbit/s down
};

/// @param device name of the end device's type
/// @return every model of traces/models, with an RTX 2080 Ti as the server, with predicted times
inline std::vector<ShippedTwoWayCut>
ReadShippedTwoWayCuts(const std::string& device)
{
    const std::string traces = EDGEPIPE_ROOT "/traces";
    const auto readSpec = [&traces](const std::string& type) {
        return ReadDeviceSpec(traces + "/devices/" + type + ".json");
    };
    const DeviceSpec end = readSpec(device);
    const DeviceSpec server = readSpec("rtx-2080-ti");
    const LayerRegression endRegression = FitLayerRegression(traces, end, 1);
    const LayerRegression serverRegression = FitLayerRegression(traces, server, 1);
    std::vector<ShippedTwoWayCut> cuts;
    for (const auto& entry : std::filesystem::directory_iterator(traces + "/models"))
    {
        if (entry.path().extension() != ".json")
        {
            continue; // models of other kinds
        }
        const DnnGraph graph = ReadDnnGraph(entry.path().string());
        auto costs = FindLayerCosts(traces, graph, {end, server}, 1, PassKind::INFERENCE);
        cuts.push_back(
            {graph.name + " on " + device,
             BuildTwoWayCutProblem(graph, costs.at(end.name), costs.at(server.name), {1e6, 1e7})});
        SetPredictedSeconds(cuts.back().problem,
                            endRegression.Predict(graph),
                            serverRegression.Predict(graph));
    }
    return cuts;
}

#endif /* SHIPPED_TWO_WAY_CUT_H */
