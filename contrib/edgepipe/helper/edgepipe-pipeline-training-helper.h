/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_TRAINING_HELPER_H
#define EDGEPIPE_PIPELINE_TRAINING_HELPER_H

#include "ns3/edgepipe-network-helper.h"
#include "ns3/edgepipe-pipeline-problem.h"
#include "ns3/edgepipe-pipeline-usage.h"
#include "ns3/edgepipe-timeline.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** How a pipeline-parallel training is run. */
struct PipelineTrainingOptions
{
    NetworkOptions network;         //!< how the devices are joined
    std::string schedule{"gpipe"};  //!< name of a PipelineSchedule
    uint32_t iterations{1};         //!< mini-batches to train
    Time stallTimeout{Seconds(60)}; //!< see StallMonitor
    /// Memory bandwidth by device type, bytes/s. A weight update reads weights and gradients and
    /// writes weights, so it takes 3 times the weights' bytes over this; a type that is missing
    /// updates in no time.
    std::map<std::string, double> memoryBandwidthBytesPerSecond;
};

/** What a device did. */
struct DeviceUse
{
    std::string name;            //!< the device
    int32_t stage{-1};           //!< its stage, -1 if it had none
    double busySeconds{0};       //!< time its processor computed in finished iterations
    uint64_t peakMemoryBytes{0}; //!< the most memory in use
    uint64_t memoryBytes{0};     //!< its memory
};

/** What came of a training run. */
struct PipelineTrainingResult
{
    bool finished{false};                  //!< whether every iteration ended
    std::vector<std::string> diagnosis;    //!< if not finished: who waits for what, one line each
    std::vector<IterationSpan> iterations; //!< finished iterations
    PipelineUsage usage;                   //!< bubbles and use of the devices
    std::vector<DeviceUse> devices;        //!< by device
    std::vector<LinkCounter> links;        //!< by transmitter
    uint64_t bytesMoved{0};                //!< payload delivered between devices, bytes
    Time end;                              //!< simulated time at the end
    uint64_t events{0};                    //!< simulator events executed
    std::shared_ptr<Timeline> timeline;    //!< everything that happened

    /** @return mean duration of the finished iterations, seconds; 0 if there is none */
    double GetMeanIterationSeconds() const;

    /** @return mean bubble rate of the finished iterations; 0 if there is none */
    double GetMeanBubbleRate() const;
};

/**
 * @ingroup edgepipe
 *
 * Simulate pipeline-parallel training by one plan, in a simulation of its own: builds the
 * network, the devices, the workers and the coordinator (on device 0), runs, and takes everything
 * down again.
 *
 * @param problem what the plan was made for
 * @param plan who runs what; CheckPlan has accepted it
 * @param options how to run it
 * @param progress called now and then with the share of tasks done, 0 to 1; may be empty
 * @return what came of it
 * @throws InputError if an option makes no sense
 */
PipelineTrainingResult RunPipelineTraining(const PipelineProblem& problem,
                                           const PipelinePlan& plan,
                                           const PipelineTrainingOptions& options,
                                           const std::function<void(double)>& progress = {});

/**
 * Measure what one transfer between the first two devices gets out of a network, in a simulation
 * of its own: the bandwidth a planner would be told.
 *
 * @param options how the devices are joined; loss applies, cuts do not
 * @param names of the devices, at least two
 * @param stallTimeout longest simulated time without progress
 * @return payload bit/s of a message of some megabytes on a warm connection
 * @throws InputError if an option makes no sense or nothing arrives within the stall time-out
 */
double MeasureBandwidth(const NetworkOptions& options,
                        const std::vector<std::string>& names,
                        const Time& stallTimeout);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PIPELINE_TRAINING_HELPER_H */
