/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/qdmp-simulation.h"

#include "runs/cooperative-inference-run.h"

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-link-type.h"

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Bearers, by the networks of tables 2 and 3.
const std::map<std::string, std::string> BEARERS{{"3G", "3g"}, {"4G", "4g"}};
/// Frames of a simulation, and those first ones that do not count.
constexpr uint64_t FRAMES = 24;
constexpr uint64_t WARM_UP = 4;
/// Frames in flight where throughput is measured: device, uplink and server each have one, and one
/// waits.
constexpr uint32_t IN_FLIGHT = 4;
/// Seconds of a layer where a planner is not to put it.
constexpr double NEVER = 1e9;

/**
 * @param model calibrated
 * @param network of the paper
 * @param plan who runs what
 * @param fidelity flow or packet
 * @param framesInFlight begun and not ended
 * @return what became of the frames
 */
std::vector<FrameRecord>
RunFrames(const CalibratedModel& model,
          const std::string& network,
          const TwoWayCutPlan& plan,
          const std::string& fidelity,
          uint32_t framesInFlight)
{
    CooperativeInferenceOptions run;
    FindByName<LinkType>("link", BEARERS.at(network))->SetDefaults(run.network);
    run.network.link = BEARERS.at(network);
    run.network.fidelity = fidelity;
    run.replan = false;
    run.frames = FRAMES;
    run.framesInFlight = framesInFlight;
    // dads believes the isolated times, and with these it makes the given plan and no other.
    run.planner = "dads";
    CooperativeDevice device{"device", model.problem, {}, "", {}};
    device.problem.countResult = true;
    device.problem.isolated.clear();
    for (const bool isOnDevice : plan.isOnDevice)
    {
        device.problem.isolated.push_back(isOnDevice ? TwoWayCutBelief{0, NEVER}
                                                     : TwoWayCutBelief{NEVER, 0});
    }
    device.parameterBytes.assign(device.problem.layers.size(), 0);
    const auto result = RunCooperativeInference({device}, run, {});
    if (!result.isComplete || result.plans.front().plan.isOnDevice != plan.isOnDevice)
    {
        throw InputError(model.graph.name + " over " + network +
                         ": the simulation did not end as planned");
    }
    return result.frames;
}

} // namespace

bool
QdmpSimulation::Knows(const std::string& network)
{
    return BEARERS.count(network) > 0;
}

QdmpSimulated
QdmpSimulation::Find(const CalibratedModel& model,
                     const std::string& network,
                     const TwoWayCutPlan& plan,
                     const std::string& fidelity)
{
    std::vector<double> seconds;
    std::vector<uint64_t> bytes;
    for (const TwoWayCutLayer& layer : model.problem.layers)
    {
        seconds.insert(seconds.end(), {layer.deviceSeconds, layer.serverSeconds});
        bytes.push_back(layer.outputBytes);
    }
    const Key key{model.graph.name, seconds, bytes, network, plan.isOnDevice, fidelity};
    const auto known = m_done.find(key);
    if (known != m_done.end())
    {
        return known->second;
    }
    QdmpSimulated simulated{0, 0};
    const auto alone = RunFrames(model, network, plan, fidelity, 1);
    for (uint64_t i = WARM_UP; i < FRAMES; ++i)
    {
        simulated.latencySeconds +=
            (alone[i].finished - alone[i].started).GetSeconds() / (FRAMES - WARM_UP);
    }
    const auto together = RunFrames(model, network, plan, fidelity, IN_FLIGHT);
    simulated.framesPerSecond =
        (FRAMES - WARM_UP) /
        (together[FRAMES - 1].finished - together[WARM_UP - 1].finished).GetSeconds();
    m_done.emplace(key, simulated);
    return simulated;
}

} // namespace edgepipe
} // namespace ns3
