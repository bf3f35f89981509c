/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_TRAINING_RUN_H
#define EDGEPIPE_PIPELINE_TRAINING_RUN_H

#include "runs/deployment.h"
#include "runs/rate-beliefs.h"

#include "ns3/edgepipe-adjacent-scheduling.h"
#include "ns3/edgepipe-pipeline-job.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/edgepipe-pipeline-replanner.h"
#include "ns3/edgepipe-pipeline-usage.h"
#include "ns3/edgepipe-timeline.h"

namespace ns3::edgepipe
{

class AdjacentScheduler;

/** Network, loads and replanning; everything else is an attribute. */
struct PipelineSetting : RunSetting, PipelineJob // for each of PipelineOnNetwork
{
    Ptr<PipelinePlanner> replanner; //!< decides, see PipelineReplanner; null: the plan stays
    std::string monitor{"passive"}; //!< a BandwidthMonitor: oracle, probe or passive
    Time conditionInterval;         //!< between two ConditionSamples; 0: none are taken
    bool details{true};             //!< whether to record devices, links and the timeline
    /// Called with every worker's scheduler before the run, to observe it; may be empty.
    std::function<void(Ptr<AdjacentScheduler>)> observeAssistance;
};

/** A pipeline and where its devices are on the network. */
struct PipelineOnNetwork
{
    const PipelineProblem* problem; //!< what the plan was made for
    const PipelinePlan* plan;       //!< accepted by CheckPlan
    uint32_t firstDevice{0};        //!< number on the network of the problem's first device
};

/** True state of devices and links at some time, which devices cannot know. */
struct ConditionSample
{
    Time time;                  //!< when
    double bitsPerSecond;       //!< least of a lone transfer from or to the coordinator; 0: unknown
    std::vector<double> shares; //!< of the devices with a DeviceLoad, in that order
};

/** Usage of a device. */
struct DeviceUse
{
    std::string name;            //!< the device
    int32_t stage{-1};           //!< its stage, under the last plan; -1 if it had none
    double busySeconds{0};       //!< time its processor computed in finished iterations
    uint64_t peakMemoryBytes{0}; //!< peak memory in use
    uint64_t memoryBytes{0};     //!< its usable memory
};

/** Result of one pipeline. */
struct PipelineOutcome
{
    bool finished{false};                  //!< whether every iteration ended
    std::vector<IterationSpan> iterations; //!< finished iterations
    PipelineUsage usage;                   //!< bubbles and use of the devices
    AssistanceCounts assistance;           //!< how often idle devices helped
    std::vector<uint64_t> helpedSamples;   //!< by iteration, see AssistanceCounts::samples
    std::vector<SharedCut> sharedCuts;     //!< by cut of the plan, samples that cross elsewhere
    double sharingSeconds{0};              //!< time of that decision on the idle device, s
    std::vector<PlanChange> planChanges;   //!< that came into force
    std::vector<RateBelief> beliefs;       //!< of the first plan and of every decision
    std::vector<PlanChange> decisions;     //!< during the run, including those that kept the plan

    /** @return from the start of the first iteration to the end of the last one */
    Time GetTotal() const
    {
        return iterations.empty() ? Time() : iterations.back().end - iterations.front().start;
    }

    /** @return the same without what was in between */
    Time GetIterationTime() const
    {
        return Sum(iterations, [](const auto& one) { return one.end - one.start; });
    }

    /** @return mean duration of the finished iterations, seconds; 0 if there is none */
    double GetMeanIterationSeconds() const
    {
        return iterations.empty() ? 0 : GetIterationTime().GetSeconds() / iterations.size();
    }

    /** @return mean bubble rate of the finished iterations; 0 if there is none */
    double GetMeanBubbleRate() const
    {
        return Mean(usage.bubbleRates);
    }

    /** @return mean idle rate of the finished iterations, see PipelineUsageMeter; 0 if there is
     * none */
    double GetMeanIdleRate() const
    {
        return Mean(usage.idleRates);
    }
};

/** Result of a simulation as a whole; links only with details. */
struct TrainingRun : CaseOutcome
{
    std::vector<DeviceUse> devices;          //!< by device; only with details
    std::vector<ConditionSample> conditions; //!< if requested, in time order
    uint64_t transfers{0};                   //!< messages delivered between devices
    std::shared_ptr<Timeline> timeline;      //!< everything that happened; null without details
};

/** Result of a simulation of one pipeline. */
struct PipelineTrainingResult : PipelineOutcome, TrainingRun
{
};

/** Result of a simulation of several pipelines. */
struct SideBySideResult : TrainingRun
{
    std::vector<PipelineOutcome> pipelines; //!< in the order given
};

/**
 * @ingroup edgepipe
 *
 * Simulate pipelines side by side on one network, in a simulation of its own: builds the network,
 * the devices, the workers and a coordinator for each pipeline, on its first device, runs, and
 * takes everything down again. All begin at time 0, and the run ends when the last has finished.
 *
 * @param pipelines the pipelines; their devices do not overlap
 * @param names of all devices on the network
 * @param setting how to run each of them
 * @param progress called now and then with the share of tasks done, 0 to 1; may be empty
 * @return the result
 * @throws InputError if the setting makes no sense
 */
SideBySideResult RunSideBySide(const std::vector<PipelineOnNetwork>& pipelines,
                               const std::vector<std::string>& names,
                               const PipelineSetting& setting,
                               const std::function<void(double)>& progress = {});

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_TRAINING_RUN_H */
