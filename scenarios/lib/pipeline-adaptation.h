/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_ADAPTATION_H
#define EDGEPIPE_PIPELINE_ADAPTATION_H

#include "lib/pipeline-training-helper.h"

#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/edgepipe-load-player.h"
#include "ns3/edgepipe-network-helper.h"
#include "ns3/edgepipe-pipeline-coordinator.h"
#include "ns3/edgepipe-pipeline-worker.h"
#include "ns3/event-id.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** What changes during a run of pipelines, and what the pipelines do about it. */
class PipelineAdaptation
{
  public:
    /**
     * @param names of all devices on the network
     * @param options how to run the pipelines
     * @param network joins the devices; both must outlive this object
     * @throws InputError if a load is of an unknown device, or no oracle knows the capacity that
     *         one is asked for
     */
    PipelineAdaptation(const std::vector<std::string>& names,
                       const PipelineTrainingOptions& options,
                       const Network& network);
    ~PipelineAdaptation();
    // Events hold this object's address.
    PipelineAdaptation(const PipelineAdaptation&) = delete;
    PipelineAdaptation& operator=(const PipelineAdaptation&) = delete;

    /** @return whether plans change, so that every device needs a worker */
    bool IsReplanning() const;

    /**
     * Have a device's load change.
     *
     * @param device on the network
     * @param compute its processor
     */
    void AddDevice(uint32_t device, Ptr<ComputeDevice> compute);

    /**
     * Have a device report on itself.
     *
     * @param pipeline that it belongs to
     * @param device on the network
     * @param worker of the device
     */
    void AddMetrics(const PipelineOnNetwork& pipeline, uint32_t device, Ptr<PipelineWorker> worker);

    /**
     * Have a pipeline's plan change.
     *
     * @param pipeline the pipeline
     * @param coordinator its coordinator
     * @param decisions all of them go here; must outlive the run
     * @param changes those that have come into force go here; must outlive the run
     */
    void AddReplanner(const PipelineOnNetwork& pipeline,
                      Ptr<PipelineCoordinator> coordinator,
                      std::vector<PlanChange>& decisions,
                      std::vector<PlanChange>& changes);

    /**
     * Take samples from now on, if that is asked for.
     *
     * @param coordinator device to whom bandwidth counts
     */
    void Start(uint32_t coordinator);

    /** Let go of the network. */
    void Stop();

    /** @return what was sampled */
    const std::vector<ConditionSample>& GetSamples() const;

  private:
    /**
     * @param from one end
     * @param to the other
     * @param isQuiet whether they exchange no tensors
     * @param bitsPerSecond estimate to begin with
     * @return its monitor; null if all ports are taken
     */
    Ptr<BandwidthMonitor> GetMonitor(uint32_t from,
                                     uint32_t to,
                                     bool isQuiet,
                                     double bitsPerSecond);
    /** Take a sample, and the next one after the interval. */
    void Sample();

    const std::vector<std::string>& m_names;            //!< of all devices
    const PipelineTrainingOptions& m_options;           //!< how to run
    const Network& m_network;                           //!< joins the devices
    std::map<uint32_t, Ptr<ComputeDevice>> m_compute;   //!< by device
    std::vector<std::unique_ptr<LoadPlayer>> m_players; //!< change loads
    std::map<std::tuple<uint32_t, uint32_t, bool>, Ptr<BandwidthMonitor>> m_monitors; //!< by pair
    uint32_t m_coordinator{0};              //!< to whom bandwidth counts
    EventId m_next;                         //!< next sample
    std::vector<ConditionSample> m_samples; //!< taken so far
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PIPELINE_ADAPTATION_H */
