/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_COOPERATIVE_INFERENCE_RUN_H
#define EDGEPIPE_COOPERATIVE_INFERENCE_RUN_H

#include "runs/adaptive-options.h"

#include "ns3/edgepipe-inference-log.h"
#include "ns3/edgepipe-network-helper.h"
#include "ns3/edgepipe-planner.h"
#include "ns3/edgepipe-timeline.h"
#include "ns3/edgepipe-two-way-cut-problem.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** An end device that infers frames together with the server. */
struct CooperativeDevice
{
    std::string name;         //!< unique
    TwoWayCutProblem problem; //!< its model and costs; the bandwidths are filled in by the run
    std::vector<uint64_t> parameterBytes; //!< by layer, bytes of its weights; for moving them
    std::string loadTrace; //!< share of the device left for us, see OpenLoadTrace; empty: all of it
    std::vector<TraceStep> loadSteps; //!< the same, where there is no file; may be empty
};

/** How cooperative inference is to run. */
struct CooperativeInferenceOptions
{
    NetworkOptions network;                 //!< how device and server are joined
    std::string serverName{"server"};       //!< joined by a cable, see NetworkOptions::wiredDevices
    std::string serverLoadTrace;            //!< share of the server left for us; empty: all of it
    std::vector<TraceStep> serverLoadSteps; //!< the same, where there is no file; may be empty
    TraceOptions load;                      //!< how to replay the load traces
    std::string planner{"qdmp"};            //!< a TwoWayCutPlanner
    std::string monitor{"passive"};         //!< a BandwidthMonitor: oracle, probe or passive
    bool replan{true};                      //!< false: the first plan stays
    double replanThreshold{0.1};            //!< relative change of bandwidth that triggers, > 0
    Time replanPeriod;                      //!< trigger this often as well; 0: never
    bool knowOthers{false};                 //!< see InferenceReplanner::KnowOthers
    double firstUplinkBitsPerSecond{0};     //!< what the first plan is made for; 0: ask the oracle
    double firstDownlinkBitsPerSecond{0};   //!< likewise
    uint64_t frames{100};                   //!< per device, >= 1
    double framesPerSecond{0};              //!< of the camera; 0: back to back
    uint32_t framesInFlight{1};             //!< back to back: frames begun and not ended, >= 1
    uint32_t queueFrames{1};                //!< with a camera: frames that may wait before the
                                            //!< device, and as many before the uplink; further ones
                                            //!< are dropped
    bool bothHoldModel{true};               //!< false: each side starts with the weights that the
                                            //!< first plan has it use, and is sent others first
    PlanningTime planning;                  //!< what decisions cost the device
    bool startUp{true};             //!< whether TCP connections start up slowly (flow level)
    Time stallTimeout{Seconds(60)}; //!< longest simulated time without progress
    bool details{false};            //!< whether to record the timeline
};

/** What came of a run. */
struct CooperativeInferenceResult : InferenceRecords
{
    bool isComplete{false};             //!< whether every frame has ended
    std::vector<double> delaySeconds;   //!< by device, one way to the server; empty: none
    std::vector<LinkCounter> links;     //!< what each transmitter sent
    uint64_t bytesMoved{0};             //!< payload of all messages
    uint64_t events{0};                 //!< simulator events executed
    uint64_t decisions{0};              //!< made, those included that kept the partition
    PlannerFailures failures;           //!< decisions that came to nothing
    Time end;                           //!< of the run
    std::vector<std::string> diagnosis; //!< who waits for what, if it did not complete
    /// Tasks and messages, see InferenceTag and ProbeTag; devices in order, then the server. Null
    /// without details.
    std::shared_ptr<Timeline> timeline;
};

/**
 * Simulate cooperative inference: every device and the server in one network.
 *
 * @param devices the end devices, at least one
 * @param options how to run
 * @param progress told the share of frames that have ended; may be empty
 * @return what came of it
 * @throws InputError naming what makes no sense
 */
CooperativeInferenceResult RunCooperativeInference(const std::vector<CooperativeDevice>& devices,
                                                   const CooperativeInferenceOptions& options,
                                                   const std::function<void(double)>& progress);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_COOPERATIVE_INFERENCE_RUN_H */
