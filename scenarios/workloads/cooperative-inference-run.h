/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_COOPERATIVE_INFERENCE_RUN_H
#define EDGEPIPE_COOPERATIVE_INFERENCE_RUN_H

#include "lib/workload.h"
#include "runs/deployment.h"

#include "ns3/edgepipe-inference-log.h"
#include "ns3/edgepipe-timeline.h"
#include "ns3/edgepipe-two-way-cut-problem.h"

namespace ns3::edgepipe
{

/** An end device that infers frames together with the server. */
struct CooperativeDevice
{
    std::string name;         //!< unique
    TwoWayCutProblem problem; //!< its model and costs; the bandwidths are filled in by the run
    std::vector<uint64_t> parameterBytes;       //!< by layer, bytes of its weights; for moving them
    std::optional<TwoWayCutProblem> executed{}; //!< as it runs; none: as the problem says
};

/** Network and loads of cooperative inference; all else are attributes. */
struct CooperativeSetting
{
    NetworkOptions network;               //!< how devices and server are joined
    std::string serverName{"server"};     //!< joined by a cable, see NetworkOptions::wiredDevices
    std::vector<DeviceLoad> loads;        //!< shares of devices or the server that are left for us
    TraceOptions load;                    //!< how to replay their recordings
    std::string planner{"qdmp"};          //!< a TwoWayCutPlanner
    std::string monitor{"passive"};       //!< a BandwidthMonitor: oracle, probe or passive
    double firstUplinkBitsPerSecond{0};   //!< for the first plan; 0: ask the oracle
    double firstDownlinkBitsPerSecond{0}; //!< for the first plan; 0: ask the oracle
    bool details{false};                  //!< whether to record the timeline
    /// Why a plan cannot be run, in a line; empty: it can. A plan that cannot ends the run.
    std::function<std::string(const PlanRecord&)> refuse{};
};

/** What came of a run. */
struct CooperativeInferenceResult : CaseOutcome, InferenceRecords
{
    std::vector<double> delaySeconds; //!< by device, one way to the server; empty: none
    uint64_t decisions{0};            //!< made, those included that kept the partition
    /// Tasks and messages, see InferenceTag and ProbeTag; devices in order, then the server. Null
    /// without details.
    std::shared_ptr<Timeline> timeline;
};

/**
 * Simulate cooperative inference: every device and the server in one network.
 *
 * @param devices the end devices, at least one
 * @param setting how they are joined, and who decides
 * @param progress told the share of frames that have ended; may be empty
 * @return what came of it, but for the figures of CaseOutcome that are means
 * @throws InputError naming what makes no sense
 */
CooperativeInferenceResult RunCooperativeInference(const std::vector<CooperativeDevice>& devices,
                                                   const CooperativeSetting& setting,
                                                   const std::function<void(double)>& progress);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_COOPERATIVE_INFERENCE_RUN_H */
