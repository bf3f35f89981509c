/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_COOPERATIVE_INFERENCE_RUN_H
#define EDGEPIPE_COOPERATIVE_INFERENCE_RUN_H

#include "lib/workload.h"

#include "ns3/edgepipe-inference-log.h"
#include "ns3/edgepipe-inference-replanner.h"
#include "ns3/edgepipe-timeline.h"

namespace ns3::edgepipe
{

/** An end device that infers frames together with the server. */
struct CooperativeDevice : InferenceJob
{
    /**
     * @param deviceName unique
     * @param model and its costs; the run fills in the bandwidths
     * @param weights by layer, bytes; for moving them
     */
    CooperativeDevice(std::string deviceName = "",
                      TwoWayCutProblem model = {},
                      std::vector<uint64_t> weights = {})
        : name(std::move(deviceName))
    {
        problem = std::move(model);
        parameterBytes = std::move(weights);
    }

    std::string name; //!< unique
};

/** Network and loads of cooperative inference; everything else is an attribute. */
struct CooperativeSetting : RunSetting
{
    CooperativeSetting()
    {
        planner = "qdmp";
    }

    std::string serverName{"server"};   //!< connected by a cable, see NetworkOptions::wiredDevices
    std::string monitor{"passive"};     //!< a BandwidthMonitor: oracle, probe or passive
    double firstUplinkBitsPerSecond{0}; //!< for the first plan; 0: ask the oracle
    double firstDownlinkBitsPerSecond{0}; //!< for the first plan; 0: ask the oracle
    bool details{false};                  //!< whether to record the timeline
    /// Says in one line why a plan cannot run, which ends the run; empty: it can.
    std::function<std::string(const PlanRecord&)> refuse{};
};

/** Result of a run. */
struct CooperativeInferenceResult : CaseOutcome, InferenceRecords
{
    std::vector<double> delaySeconds; //!< by device, one way to the server; empty: none
    uint64_t decisions{0};            //!< including those that kept the partition
    /// Tasks and messages, see InferenceTag and ProbeTag; devices in order, then the server. Null
    /// without details.
    std::shared_ptr<Timeline> timeline;
};

/**
 * Simulate cooperative inference: every device and the server in one network.
 *
 * @param devices the end devices, at least one
 * @param setting network, loads, planner and monitor
 * @param progress called with the share of frames that have ended; may be empty
 * @return the result, without the means of CaseOutcome
 * @throws InputError naming what makes no sense
 */
CooperativeInferenceResult RunCooperativeInference(const std::vector<CooperativeDevice>& devices,
                                                   const CooperativeSetting& setting,
                                                   const std::function<void(double)>& progress);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_COOPERATIVE_INFERENCE_RUN_H */
