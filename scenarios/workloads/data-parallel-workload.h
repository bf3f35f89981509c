/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DATA_PARALLEL_WORKLOAD_H
#define EDGEPIPE_DATA_PARALLEL_WORKLOAD_H

#include "workloads/data-parallel-run.h"

#include "ns3/edgepipe-batch-shares-planner.h"
#include "ns3/edgepipe-cluster.h"
#include "ns3/edgepipe-dnn-graph.h"
#include "ns3/edgepipe-gradient-exchange.h"

namespace ns3::edgepipe
{

/** Means over a stretch of weight updates. */
struct UpdateStretch
{
    std::size_t first{0};       //!< the first update, from 0
    std::size_t count{0};       //!< how many
    double nodeSeconds{0};      //!< weight update as a worker sees it, waiting included
    double exchangeSeconds{0};  //!< the same without waiting for slower workers
    double iterationSeconds{0}; //!< of an iteration

    /**
     * @param updates finished ones
     * @param first index of the first
     * @param count how many
     * @return means over them
     */
    static UpdateStretch Average(const std::vector<WeightUpdateRecord>& updates,
                                 std::size_t first,
                                 std::size_t count);
};

/// Weight updates per stretch, as in the paper that BatchSharesProblem cites.
constexpr std::size_t UPDATES_PER_STRETCH = 100;

/** A training under one planner. */
struct DataParallelCase : DataParallelResult
{
    /** @return means of every 100 updates, the last of the remaining ones */
    std::vector<UpdateStretch> AverageUpdates() const
    {
        std::vector<UpdateStretch> stretches;
        for (std::size_t first = 0; first < updates.size(); first += UPDATES_PER_STRETCH)
        {
            stretches.push_back(
                UpdateStretch::Average(updates,
                                       first,
                                       std::min(UPDATES_PER_STRETCH, updates.size() - first)));
        }
        return stretches;
    }

    /**
     * @param updateInterval between reports
     * @return why shares never changed, such as "no report was due before the end";
     *         empty if shares changed, or if the planner wanted no others
     */
    std::string ExplainUnchangedShares(Time updateInterval) const
    {
        // Every run begins with equal shares.
        return planner == "equal" || updates.empty() || updates.back().version > 0 ? ""
               : shares.size() > 1    ? "those decided came too late for any update"
               : plans > 0            ? ""
               : end < updateInterval ? "no report was due before the end"
                                      : "not every worker had reported before the end";
    }

    std::string planner; //!< its name
    UpdateStretch mean;  //!< over all updates
};

/**
 * @ingroup edgepipe
 *
 * Data-parallel training of one model on one cluster.
 */
class DataParallelWorkload
    : public CasesWorkload<DataParallelWorkload, DataParallelCase, DataParallelSetting>
{
  public:
    static constexpr char NAME[] = "data-parallel"; //!< to select it by
    static constexpr char USAGE[] = "Train a DNN that every worker holds whole: how many samples "
                                    "each computes is decided anew during the training.";
    static constexpr char SCRIPT[] = "analysis/data_parallel.py"; //!< draws the results

    void Declare(ScenarioOptions& options) override;

    std::size_t CountDevices() const override
    {
        return m_setting.nodes.size();
    }

    WorkloadSweep GetSweep() const override
    {
        return {"devices",
                "bno",
                "base-batch=8",
                {"iteration (s)", "samples/s"},
                GetNames<BatchSharesPlanner>(),
                "model&single:cluster single:devices=2..5&base-batch=8..256 "
                "updates=1..3&exchange=ring|parameter-server"};
    }

    /** @return seconds per sample, since shares may not add up to the base batch */
    double GetRank(const CaseOutcome& outcome) const override
    {
        return 1 / outcome.perSecond;
    }

    void PrintNetwork() const override
    {
        Workload::PrintNetwork();
        if (m_setting.control)
        {
            PrintRecordings(*m_options, "control: ", *m_setting.control);
        }
    }

    void Print() const override;
    std::string Write(ResultsFolder& folder) const override;

  private:
    void Read() override;

    void Run(DataParallelSetting& setting,
             DataParallelCase& one,
             const std::function<void(double)>& progress) override
    {
        static_cast<DataParallelResult&>(one) = RunDataParallel(setting, progress);
        one.mean = UpdateStretch::Average(one.updates, 0, one.updates.size());
    }

    /** Read the workers. */
    void ReadNodes();
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
     * @param moment of a worker, set to that option's time
     */
    void ReadPresence(const std::string& option, Time DataParallelNode::*moment);

    /** @return whether the exchange of gradients works at flow level only */
    bool NeedsFlows() const
    {
        return FindByName<GradientExchange>("--exchange", m_options->GetString("exchange"))
            ->NeedsFlows();
    }

    void Fill(const DataParallelCase& one, CellTable& row) const override;
    CasePlan PlanOf(const DataParallelCase& one) const override;
    /** @return what the fastest worker would take alone, at least; none for a single worker */
    std::vector<std::string> DescribeAlone() const;
    /**
     * Print when workers joined and left.
     * @param one the case
     */
    void PrintPresence(const DataParallelCase& one) const;
    /**
     * Print which metrics were missing.
     * @param one the case
     */
    void PrintMissing(const DataParallelCase& one) const;

    DnnGraph m_graph;          //!< the model
    Cluster m_cluster;         //!< the devices
    uint32_t m_workers{0};     //!< number of workers; 0: one for each device
    uint32_t m_inputSize{0};   //!< pixels of a side; 0: as in the model file
    uint64_t m_baseBatch{0};   //!< samples of all workers
    bool m_isAllPairs{false};  //!< see DataParallelReporter
    std::string m_controlKind; //!< network of metrics and shares: shared or own
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_DATA_PARALLEL_WORKLOAD_H */
