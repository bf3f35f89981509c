/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_COOPERATIVE_INFERENCE_WORKLOAD_H
#define EDGEPIPE_COOPERATIVE_INFERENCE_WORKLOAD_H

#include "workloads/cooperative-inference-run.h"
#include "workloads/cooperative-summary.h"

#include "ns3/edgepipe-cluster.h"
#include "ns3/edgepipe-dnn-graph.h"
#include "ns3/edgepipe-two-way-cut-problem-builder.h"

#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** A run under one planner. */
struct CooperativeCase
{
    std::string planner;               //!< its name
    CooperativeInferenceResult result; //!< what came of it
    CooperativeSummary summary;        //!< in a few figures
};

/**
 * @ingroup edgepipe
 *
 * Cooperative inference of one model over one network by one or several planners, every one over
 * the same network and the same frames.
 */
class CooperativeInferenceWorkload : public Workload
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    std::string GetName() const override;
    std::string GetUsage() const override;
    std::string GetScript() const override;
    void Declare(ScenarioOptions& options) override;
    std::size_t CountDevices() const override;
    WorkloadSweep GetSweep() const override;
    const CaseOutcome& Simulate(std::size_t index,
                                const NetworkOptions& network,
                                const std::function<void(double)>& progress) override;
    void Print() const override;
    std::string Write(ResultsFolder& folder) const override;

  private:
    void Read() override;
    /** Read --planner-bandwidth. */
    void ReadPlannerBandwidth();
    /** Check what says when frames come, and how many. */
    void CheckFrames();
    /**
     * @param traces the traces folder
     * @param type index of a device type among those of the cluster
     * @return what devices of that type are to infer
     * @throws InputError if a model or profile cannot be used
     */
    TwoWayCutProblem BuildProblem(const std::string& traces, std::size_t type) const;
    /** @throws InputError if a planner does not plan for the objective */
    void CheckObjective() const;
    /** @return names of the device types, a comma between two */
    std::string GetDeviceTypes() const;
    /** @return whether plans are for throughput */
    bool IsForThroughput() const;
    /** @return what joins devices and server, recordings by their file names */
    std::string DescribeNetwork() const;
    /** Print what is run and what to know about its figures. */
    void PrintHeading() const;
    /** @return the figures of every case */
    Sheet<CooperativeCase> MakeResults() const;
    /** @return what predictions leave out */
    std::vector<std::string> ListUnknown() const;
    /** @return where a device's plan cuts, in words */
    std::string Describe(const PlanRecord& plan) const;
    /** Print each planner's partitions and how long they were in force. */
    void PrintPartitions() const;
    /** Print when which plan came into force. */
    void PrintChanges() const;

    CooperativeSetting m_setting;             //!< how to run, but for network and planner
    DnnGraph m_graph;                         //!< the model
    Cluster m_cluster;                        //!< end devices, then the server
    std::vector<CooperativeDevice> m_devices; //!< end devices; the run fills in bandwidths
    uint32_t m_count{1};                      //!< end devices
    TwoWayEncoding m_encoding;                //!< on the way
    std::string m_objective;                  //!< latency or throughput
    double m_framesPerSecond{0};              //!< of each camera; 0: back to back
    uint64_t m_frames{0};                     //!< of each camera
    std::vector<CooperativeCase> m_cases;     //!< that were simulated, by planner
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_COOPERATIVE_INFERENCE_WORKLOAD_H */
