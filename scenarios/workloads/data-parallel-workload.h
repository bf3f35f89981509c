/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DATA_PARALLEL_WORKLOAD_H
#define EDGEPIPE_DATA_PARALLEL_WORKLOAD_H

#include "workloads/data-parallel-run.h"

#include "ns3/edgepipe-cluster.h"
#include "ns3/edgepipe-dnn-graph.h"
#include "ns3/edgepipe-layer-cost.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** Means over a stretch of weight updates. */
struct UpdateStretch
{
    std::size_t first{0};       //!< the first update, from 0
    std::size_t count{0};       //!< how many
    double nodeSeconds{0};      //!< weight update as a worker sees it, waiting included
    double exchangeSeconds{0};  //!< the same without waiting for slower workers
    double iterationSeconds{0}; //!< of an iteration
};

/// Weight updates of a stretch, as the paper that BatchSharesProblem cites averages them.
constexpr std::size_t UPDATES_PER_STRETCH = 100;

/** A training under one planner. */
struct DataParallelCase
{
    /** @return finished or stalled */
    const char* GetStatus() const;

    /** @return means over every 100 updates, the last over what is left */
    std::vector<UpdateStretch> AverageUpdates() const;

    /**
     * @param updateInterval between reports
     * @return why shares stayed as they were at first, such as "no report was due before the end";
     *         empty if shares changed, or if the planner wanted no others
     */
    std::string ExplainUnchangedShares(Time updateInterval) const;

    std::string planner;       //!< its name
    DataParallelResult result; //!< what came of it
    UpdateStretch mean;        //!< over all updates
};

/**
 * @ingroup edgepipe
 *
 * Data-parallel training of one model on one cluster.
 */
class DataParallelWorkload : public Workload
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
    void PrintNetwork() const override;
    void Print() const override;
    std::string Write(ResultsFolder& folder) const override;

  private:
    void Read() override;
    /** Read the workers, as many as asked for. */
    void ReadNodes();
    /** Refuse what makes no sense of when shares are decided anew. */
    void CheckReplanning() const;
    /** Read --control. */
    void ReadControl();
    /**
     * @param option that has the text
     * @param text a worker's name and a time, such as NAME@20s
     * @return both
     */
    std::pair<std::string, Time> ReadMoment(const std::string& option,
                                            const std::string& text) const;
    /**
     * @param option join or leave
     * @param moment of a worker, set to when it does
     */
    void ReadPresence(const std::string& option, Time DataParallelNode::*moment);
    /** @return whether the exchange of gradients is for flow level alone */
    bool NeedsFlows() const;
    /** @return the figures of every case */
    Sheet<DataParallelCase> MakeResults() const;
    /** Say which figures cannot be compared, and why. */
    void PrintNotes() const;
    /**
     * Say when workers came and went.
     * @param one whose
     */
    void PrintPresence(const DataParallelCase& one) const;
    /**
     * Name metrics that were missing.
     * @param one whose
     */
    void PrintMissing(const DataParallelCase& one) const;

    DataParallelSetting m_setting;         //!< workers and networks
    DnnGraph m_graph;                      //!< the model
    Cluster m_cluster;                     //!< the devices
    uint32_t m_workers{0};                 //!< how many; 0: one for each device
    uint32_t m_inputSize{0};               //!< pixels of a side; 0: as in the model file
    uint64_t m_baseBatch{0};               //!< samples of all workers
    bool m_isAllPairs{false};              //!< see DataParallelReporter
    std::string m_controlKind;             //!< what moves metrics and shares: shared or own
    std::vector<DataParallelCase> m_cases; //!< that were simulated
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_DATA_PARALLEL_WORKLOAD_H */
