/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/qdmp-calibration.h"

#include "ns3/edgepipe-cost-provider.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-two-way-cut-problem-builder.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Of an element of the frame.
constexpr uint32_t FRAME_BYTES = 1;

/**
 * @param traces the traces folder
 * @param graph a model
 * @param spec a device type
 * @return what its layers cost there, for a frame
 */
LayerCost
FindCost(const std::string& traces, const DnnGraph& graph, const DeviceSpec& spec)
{
    return FindLayerCosts(traces, graph, {spec}, 1, PassKind::INFERENCE).at(spec.name);
}

/**
 * @param values some, of which some may be 0
 * @return the median of those above 0
 */
double
FindMedian(std::vector<double> values)
{
    values.erase(std::remove(values.begin(), values.end(), 0.0), values.end());
    std::sort(values.begin(), values.end());
    const std::size_t count = values.size();
    return count == 0 ? 0 : (values[(count - 1) / 2] + values[count / 2]) / 2;
}

} // namespace

const std::string QdmpCalibration::MEASURED_DEVICE = "xeon-1core";

QdmpCalibration::QdmpCalibration(std::string traces, const QdmpAssumptions& assumptions)
    : m_traces(std::move(traces)),
      m_assumptions(assumptions),
      m_anchors(assumptions.execution == "anchored"
                    ? ReadQdmpAnchors(m_traces + "/published/qdmp-anchors.json")
                    : std::vector<QdmpAnchor>()),
      m_device(ReadSide(assumptions.device)),
      m_server(ReadSide(assumptions.server))
{
}

QdmpCalibration::Side
QdmpCalibration::ReadSide(const std::string& type) const
{
    const DeviceSpec spec = ReadDeviceSpec(m_traces + "/devices/" + type + ".json");
    return {spec, FitLayerRegression(m_traces, spec, 1)};
}

QdmpCalibration::LayerTimes
QdmpCalibration::FindTimes(const Side& side, const DnnGraph& graph, double seconds) const
{
    const LayerCost cost = FindCost(m_traces, graph, side.spec);
    LayerTimes times;
    times.inContext = cost.forwardSeconds;
    times.isolated = cost.isolatedForwardSeconds;
    times.predicted = side.regression.Predict(graph);
    if (m_assumptions.belief != "alone")
    {
        // With belief flop nobody looks at these.
        times.isolated = times.inContext;
        times.predicted = times.inContext;
    }
    else if (m_assumptions.setUpShare > 0)
    {
        const double setUp = m_assumptions.setUpShare * FindMedian(times.inContext);
        times.isolated = times.inContext;
        for (std::size_t i = 0; i < times.inContext.size(); ++i)
        {
            times.isolated[i] += times.inContext[i] > 0 ? setUp : 0;
            times.predicted[i] += times.inContext[i] > 0 ? setUp : 0;
        }
    }
    else if (cost.origin == "estimated" || times.isolated.empty())
    {
        const LayerCost measured =
            FindCost(m_traces,
                     graph,
                     ReadDeviceSpec(m_traces + "/devices/" + MEASURED_DEVICE + ".json"));
        times.isolated = times.inContext;
        for (std::size_t i = 0; i < measured.isolatedForwardSeconds.size(); ++i)
        {
            const double inContext = measured.forwardSeconds[i];
            times.isolated[i] *= inContext > 0 ? measured.isolatedForwardSeconds[i] / inContext : 1;
        }
    }
    times.factor = seconds / std::accumulate(times.inContext.begin(), times.inContext.end(), 0.0);
    for (auto* each : {&times.inContext, &times.isolated, &times.predicted})
    {
        for (double& value : *each)
        {
            value *= times.factor;
        }
    }
    return times;
}

CalibratedModel
QdmpCalibration::Calibrate(const PublishedQdmpModel& model,
                           const std::vector<PublishedQdmpNetwork>& networks) const
{
    CalibratedModel result{};
    result.graph = ReadDnnGraph(m_traces + "/models/" + model.file + ".json");
    const TwoWayLink link{networks.front().uplinkBitsPerSecond,
                          networks.front().uplinkBitsPerSecond};
    const TwoWayEncoding encoding{FRAME_BYTES, m_assumptions.tensorBytes};
    LayerCost free;
    free.forwardSeconds.resize(result.graph.layers.size());
    TwoWayCutProblem& problem = result.problem;
    problem = BuildTwoWayCutProblem(result.graph, free, free, link, encoding);
    problem.countResult = false;

    std::vector<double> onServer;
    for (const auto& [network, latencies] : model.latencySeconds)
    {
        const auto found =
            std::find_if(networks.begin(), networks.end(), [&name = network](const auto& one) {
                return one.name == name;
            });
        const double upload =
            static_cast<double>(problem.inputBytes) * 8 / found->uplinkBitsPerSecond;
        result.deviceSeconds += latencies.at("edge-only") / model.latencySeconds.size();
        onServer.push_back(latencies.at("cloud-only") - upload);
        result.serverSeconds += onServer.back() / model.latencySeconds.size();
    }
    if (result.serverSeconds <= 0)
    {
        throw InputError(model.name + ": found cloud-only latencies below what uploading the " +
                         "frame takes, expected time left to compute");
    }
    for (const double seconds : onServer)
    {
        result.residualSeconds =
            std::max(result.residualSeconds, std::abs(seconds - result.serverSeconds));
    }
    LayerTimes device = FindTimes(m_device, result.graph, result.deviceSeconds);
    LayerTimes server = FindTimes(m_server, result.graph, result.serverSeconds);
    std::vector<QdmpAnchor> anchors;
    std::copy_if(m_anchors.begin(),
                 m_anchors.end(),
                 std::back_inserter(anchors),
                 [&](const QdmpAnchor& anchor) { return anchor.model == model.name; });
    ShapeByAnchors(result.graph, device.inContext, anchors, false);
    ShapeByAnchors(result.graph, server.inContext, anchors, true);
    result.deviceFactor = device.factor;
    result.serverFactor = server.factor;
    for (std::size_t i = 0; i < problem.layers.size(); ++i)
    {
        problem.layers[i].deviceSeconds = device.inContext[i];
        problem.layers[i].serverSeconds = server.inContext[i];
        problem.isolated.push_back({device.isolated[i], server.isolated[i]});
    }
    SetPredictedSeconds(problem, device.predicted, server.predicted);
    return result;
}

} // namespace edgepipe
} // namespace ns3
