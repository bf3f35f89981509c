/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_COOPERATIVE_INFERENCE_WORKLOAD_H
#define EDGEPIPE_COOPERATIVE_INFERENCE_WORKLOAD_H

#include "workloads/cooperative-summary.h"

#include "ns3/edgepipe-dnn-graph.h"
#include "ns3/edgepipe-two-way-cut-planner.h"
#include "ns3/edgepipe-two-way-cut-problem-builder.h"

#include <array>

namespace ns3::edgepipe
{

/** A run under one planner. */
struct CooperativeCase : CooperativeInferenceResult
{
    std::string planner;                       //!< its name
    CooperativeSummary summary;                //!< key figures
    std::array<uint64_t, 2> peakMemoryBytes{}; //!< of a device and the server, largest of any plan
};

/**
 * @ingroup edgepipe
 *
 * Cooperative inference of one model under one or several planners, all with the same network and
 * the same frames.
 */
class CooperativeInferenceWorkload
    : public CasesWorkload<CooperativeInferenceWorkload, CooperativeCase, CooperativeSetting>
{
  public:
    static constexpr char NAME[] = "cooperative-inference"; //!< to select it by
    static constexpr char USAGE[] = "Share the inference of camera frames between devices and a "
                                    "server: which layers run where is decided anew as bandwidth "
                                    "changes.";
    static constexpr char SCRIPT[] = "analysis/cooperative.py"; //!< draws the results

    void Declare(ScenarioOptions& options) override;

    std::size_t CountDevices() const override
    {
        return m_cluster.devices.size();
    }

    WorkloadSweep GetSweep() const override
    {
        return {"devices",
                "qdmp",
                "",
                {"response (s)", "requests/s"},
                GetNames<TwoWayCutPlanner>(),
                "model&single:device=@ single:server=@&single:devices=1..4 "
                "frames=10..60&replan=true|false frame-rate=0.2~20/in-flight=1..3",
                2};
    }

    double GetRank(const CaseOutcome& outcome) const override
    {
        return IsForThroughput() ? 1 / outcome.perSecond : outcome.seconds;
    }

    void Print() const override;
    std::string Write(ResultsFolder& folder) const override;

  private:
    void Read() override;
    void Run(CooperativeSetting& setting,
             CooperativeCase& one,
             const std::function<void(double)>& progress) override;
    /**
     * @param traces the traces folder
     * @param device a device type
     * @return the problem of devices of that type
     * @throws InputError if a model or profile cannot be used
     */
    TwoWayCutProblem BuildProblem(const std::string& traces, const DeviceSpec& device) const;

    /** @return names of the device types, separated by commas */
    std::string GetDeviceTypes() const
    {
        std::vector<std::string> seen;
        for (std::size_t i = 0; i < m_count; ++i)
        {
            const std::string& type = m_cluster.devices[i].type;
            if (!Contains(seen, type))
            {
                seen.push_back(type);
            }
        }
        return JoinWords(seen);
    }

    /** @return whether plans are for throughput */
    bool IsForThroughput() const
    {
        return m_objective == "throughput";
    }

    /** @return description of the network, recordings by their file names */
    std::string DescribeNetwork() const;
    /** Print the setup and notes on the figures. */
    void PrintHeading() const;
    void Fill(const CooperativeCase& one, CellTable& row) const override;
    CasePlan PlanOf(const CooperativeCase& one) const override;

    /** @return where a device's plan cuts, in words */
    std::string Describe(const PlanRecord& plan) const
    {
        return DescribeCut(m_devices[plan.device].problem, plan.plan);
    }

    /**
     * @param isOnDevice by layer
     * @param devices that have this plan
     * @return its two parts: one device's, and the server's
     */
    std::vector<PlanPart> ListSides(const std::vector<bool>& isOnDevice,
                                    const std::vector<uint32_t>& devices) const;
    /** @return mean latencies by device, a paragraph per case; none for a single device */
    std::vector<std::string> DescribeDevices() const;
    /**
     * @param one a case
     * @return the uplink's rate that its monitor believed, and the true one, when each frame began
     */
    std::vector<RateBelief> ListBeliefs(const CooperativeCase& one) const;
    /** Print when plans came into force. */
    void PrintChanges() const;

    DnnGraph m_graph;                         //!< the model
    Cluster m_cluster;                        //!< end devices, then the server
    std::vector<CooperativeDevice> m_devices; //!< end devices; the run fills in bandwidths
    uint32_t m_count{1};                      //!< number of end devices
    TwoWayEncoding m_encoding;                //!< bytes per element when sent
    std::string m_objective;                  //!< latency or throughput
    std::vector<std::string> m_leftOut;       //!< planners that do not plan for it
    double m_framesPerSecond{0};              //!< of each camera; 0: back to back
    uint64_t m_frames{0};                     //!< of each camera
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_COOPERATIVE_INFERENCE_WORKLOAD_H */
