/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_RUN_H
#define EDGEPIPE_PIPELINE_RUN_H

#include "runs/deployment.h"
#include "runs/pipeline-training-helper.h"

#include "ns3/edgepipe-adjacent-scheduler.h"
#include "ns3/edgepipe-pipeline-coordinator.h"
#include "ns3/edgepipe-pipeline-worker.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** Several pipelines in one simulation, from the building to the taking down. */
class PipelineRun
{
  public:
    /**
     * @param names of all devices on the network
     * @param options how to run the pipelines
     * @param progress told the share of tasks done; may be empty
     */
    PipelineRun(const std::vector<std::string>& names,
                const PipelineTrainingOptions& options,
                const std::function<void(double)>& progress);

    /**
     * Build it and let it run.
     *
     * @param pipelines the pipelines
     * @return what came of it
     */
    SideBySideResult Simulate(const std::vector<PipelineOnNetwork>& pipelines);

  private:
    /** A pipeline in the simulation. */
    struct Pipeline
    {
        Ptr<PipelineCoordinator> coordinator;           //!< keeps it in step
        std::vector<SharedCut> sharedCuts;              //!< of its plan
        double sharingSeconds{0};                       //!< work of that decision, s
        std::vector<PlanChange> decisions;              //!< about its plan
        std::vector<PlanChange> changes;                //!< of its plan
        std::vector<uint64_t> helpedSamples;            //!< by finished iteration, all so far
        PipelineUsageMeter meter;                       //!< measures it
        std::vector<Ptr<AdjacentScheduler>> schedulers; //!< of its workers
        bool hasEnded{false};                           //!< finished, or refused by a worker
    };

    /**
     * @param pipelines all of them
     * @return devices that need a worker or a coordinator
     * @throws InputError if a load is of an unknown device, or no oracle knows the capacity that
     *         one is asked for
     */
    std::set<uint32_t> FindActive(const std::vector<PipelineOnNetwork>& pipelines) const;
    /**
     * @param pipeline a pipeline
     * @return devices that need a worker, in the order to build them
     */
    std::vector<uint32_t> FindWorkers(const PipelineOnNetwork& pipeline) const;
    /**
     * @param pipeline what to build
     * @param built is filled in
     */
    void Build(const PipelineOnNetwork& pipeline, Pipeline& built);
    /**
     * Have everything about a pipeline's coordinator recorded.
     * @param built the pipeline
     */
    void Observe(Pipeline& built);
    /**
     * Have everything about a worker recorded.
     * @param worker the worker
     * @param built the pipeline that it belongs to
     */
    void Observe(Ptr<PipelineWorker> worker, Pipeline& built);
    /** @return the devices whose load changes */
    std::vector<uint32_t> FindLoaded() const;
    /**
     * Have what happens to a worker's assistance marked in the timeline.
     * @param scheduler the worker's part in it
     */
    void AddMarks(Ptr<AdjacentScheduler> scheduler);
    /** Fill in who waits for what, if anyone does. */
    void Diagnose();
    /**
     * Fill in what the devices did.
     * @param pipelines the pipelines
     */
    void CollectDevices(const std::vector<PipelineOnNetwork>& pipelines);

    const std::vector<std::string>& m_names;            //!< of all devices
    const PipelineTrainingOptions& m_options;           //!< how to run
    const std::function<void(double)>& m_progress;      //!< may be empty
    std::unique_ptr<Deployment> m_deployment;           //!< the devices and their network
    std::vector<std::unique_ptr<Pipeline>> m_pipelines; //!< in the order given
    std::size_t m_running{0};                           //!< pipelines that have yet to end
    double m_tasks{0};                                  //!< passes to run
    double m_tasksDone{0};                              //!< passes that have ended
    SideBySideResult m_result;                          //!< what comes of it
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PIPELINE_RUN_H */
