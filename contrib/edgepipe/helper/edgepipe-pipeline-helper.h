/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_HELPER_H
#define EDGEPIPE_PIPELINE_HELPER_H

#include "edgepipe-job-helper.h"

#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/edgepipe-dnn-graph.h"
#include "ns3/edgepipe-pipeline-job.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/edgepipe-pipeline-schedule.h"

#include <cstdint>
#include <map>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Installs pipeline-parallel training on nodes: a PipelineWorker on each, and a PipelineCoordinator
 * on the first. The nodes are edge devices (EdgeDeviceHelper) with a transport (TransportHelper).
 *
 * Nothing is planned before the coordinator starts. Several trainings may be installed, also on the
 * same nodes. Adjacent scheduling then gives away nothing of a step that had to wait for another
 * training's task on its device.
 */
class PipelineHelper : public JobHelper<PipelinePlanner>
{
  public:
    /**
     * @param model a file's path or a name in the folder `models` of the traces folder, such as
     *        "alexnet"
     * @throws InputError for an unknown model or a malformed file
     */
    explicit PipelineHelper(const std::string& model);

    /** @param graph the model */
    explicit PipelineHelper(DnnGraph graph);

    /**
     * @param job its problem's devices are in the order of the nodes passed to Install; Install
     *        fills in the nodes, and what workers need
     */
    explicit PipelineHelper(PipelineJob job);

    /**
     * Train by a given plan, without a planner.
     *
     * @param plan its devices are numbered in the order of the nodes
     */
    void SetPlan(PipelinePlan plan)
    {
        m_plan = std::move(plan);
    }

    /**
     * @param name of a PipelineSchedule; by default "gpipe"
     * @throws InputError if there is no such schedule
     */
    void SetSchedule(const std::string& name)
    {
        FindByName<PipelineSchedule>("schedule", name);
        m_job.schedule = name;
    }

    /**
     * @param count micro-batches per mini-batch, at least 1; by default 8
     * @param samples per micro-batch, at least 1; by default 32
     */
    void SetMicroBatches(uint32_t count, uint32_t samples)
    {
        m_microBatches = count;
        m_job.microBatchSamples = samples;
    }

    /**
     * @param bytesPerSecond memory bandwidth by device type, for weight updates (PipelineJob); by
     *        default that of the devices' specifications
     */
    void SetMemoryBandwidth(std::map<std::string, double> bytesPerSecond)
    {
        m_job.memoryBandwidthBytesPerSecond = std::move(bytesPerSecond);
        m_hasMemoryBandwidth = true;
    }

    /**
     * Change the plan between iterations, see PipelineReplanner.
     *
     * @param planner decides
     * @param monitor name of a BandwidthMonitor
     * @param capacity for an oracle; may be null
     * @throws InputError if there is no such monitor, or it needs a capacity and there is none
     */
    void SetReplanning(Ptr<PipelinePlanner> planner,
                       const std::string& monitor = "passive",
                       BandwidthMonitor::Capacity capacity = nullptr)
    {
        m_replannerPlanner = planner;
        SetMonitor(monitor, std::move(capacity));
    }

    /**
     * @param name of an attribute of PipelineCoordinator
     * @param value its value
     */
    void SetCoordinatorAttribute(const std::string& name, const AttributeValue& value)
    {
        m_coordinator.Set(name, value);
    }

    /**
     * @param name of an attribute of every worker's AdjacentScheduler
     * @param value its value
     */
    void SetAdjacentAttribute(const std::string& name, const AttributeValue& value)
    {
        m_adjacent.Add(name, value);
    }

    /**
     * @param nodes the devices, in the order that plans number them
     * @return the coordinator, then the workers: with a given plan and no replanning those of its
     *         stages, else one for each node
     * @throws InputError if a node is no edge device or has no transport, if the model and the
     *         devices make no valid problem, if no bandwidth is known, or if a given plan has
     *         a device beyond the nodes
     */
    ApplicationContainer Install(const NodeContainer& nodes) const;

  private:
    /**
     * @param nodes the devices
     * @return the planning problem
     */
    std::shared_ptr<const PipelineProblem> BuildProblem(const NodeContainer& nodes) const;
    std::shared_ptr<const DnnGraph> m_graph; //!< the model; null if the problem is given
    PipelinePlan m_plan;                     //!< given; no stages: the planner decides
    PipelineJob m_job;                       //!< as far as known before Install
    bool m_hasMemoryBandwidth{false};        //!< whether that was set
    uint32_t m_microBatches{8};              //!< per mini-batch
    ObjectFactory m_coordinator;             //!< makes coordinators
    Ptr<PipelinePlanner> m_replannerPlanner; //!< null: plans stay
    AttributeList m_adjacent;                //!< of schedulers
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_HELPER_H */
