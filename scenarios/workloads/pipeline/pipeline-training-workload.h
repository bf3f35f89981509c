/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_TRAINING_WORKLOAD_H
#define EDGEPIPE_PIPELINE_TRAINING_WORKLOAD_H

#include "lib/workload.h"
#include "workloads/pipeline/pipeline-training-run.h"

#include "ns3/edgepipe-dnn-graph.h"

namespace ns3::edgepipe
{

/** One planner's plan, how it is adapted, and the result. */
struct PipelineCase : PipelineTrainingResult
{
    /** @return neither, replanning, adjacent or both */
    const char* GetAdaptation() const
    {
        return isReplanned ? (helped ? "both" : "replanning") : helped ? "adjacent" : "neither";
    }

    /** @return finished, stalled or no-plan */
    const char* GetStatus() const
    {
        return !HasPlan() ? "no-plan" : finished ? "finished" : "stalled";
    }

    /** @return whether there is a plan */
    bool HasPlan() const
    {
        return problemWithPlan.empty();
    }

    /** @return duration of every finished iteration, seconds */
    std::vector<double> GetIterationSeconds() const
    {
        return Map(iterations, [](auto& span) { return (span.end - span.start).GetSeconds(); });
    }

    std::size_t index{0};        //!< of the case
    std::string decider;         //!< name of the planner that decides during the run
    std::string firstPlanner;    //!< name of the planner of the first plan
    std::string planner;         //!< of the plan, and whether there is help
    std::string name;            //!< distinguishes it from other cases
    bool isReplanned{false};     //!< whether the plan may change
    bool helped{false};          //!< whether idle devices help their neighbours
    std::string problemWithPlan; //!< why there is no plan; empty if there is one
    PipelinePlan plan;           //!< stages and their devices
    double predictedSeconds{0};  //!< iteration time by the cost model
    double lowerBoundSeconds{0}; //!< for any plan by the cost model; 0: unknown
    double planningSeconds{0};   //!< wall-clock time
};

/**
 * @ingroup edgepipe
 *
 * Pipeline training of one model on one cluster by one or several planners, with or without help
 * between neighbours and changes of plan during the run. All cases meet the same conditions at the
 * same times.
 *
 * Several pipelines may train the model side by side, by the same plan: each on a site of its own,
 * which has the cluster's devices in turn, all on one network.
 */
class PipelineTrainingWorkload
    : public CasesWorkload<PipelineTrainingWorkload, PipelineCase, PipelineSetting>
{
  public:
    static constexpr char NAME[] = "pipeline-training"; //!< to select it by
    static constexpr char USAGE[] = "Train a DNN in a pipeline over a simulated network, by the "
                                    "plans of one or several planners.";
    static constexpr char SCRIPT[] = "analysis/timeline.py"; //!< draws the results

    void Declare(ScenarioOptions& options) override
    {
        Declare(options, true);
    }

    std::size_t CountDevices() const override
    {
        return m_names.size();
    }

    std::size_t CountStages() override
    {
        Plan(m_all.front());
        return m_all.front().plan.stages.size();
    }

    WorkloadSweep GetSweep() const override;

    std::vector<std::string> GetCases() const override
    {
        return Map(m_all, &PipelineCase::name);
    }

    std::vector<std::pair<std::string, std::string>> GetMeasured() override
    {
        if (!IsProbed())
        {
            return {};
        }
        return {{"planner-bandwidth",
                 std::to_string(std::llround(GetProblem().bandwidthBitsPerSecond)) + "bps"}};
    }

    const CaseOutcome& Simulate(std::size_t index,
                                const NetworkOptions& network,
                                const std::function<void(double)>& progress) override;

    /** @return time that the whole training takes, which counts moves between iterations, s */
    double GetRank(const CaseOutcome& outcome) const override
    {
        return outcome.wholeSeconds;
    }

    void Print() const override;
    std::string Write(ResultsFolder& folder) const override;

    /**
     * Declare options.
     *
     * @param options of the scenario; must outlive this object
     * @param adapts whether plans are run, so that they may change and there may be load
     */
    void Declare(ScenarioOptions& options, bool adapts);

    /** @return the problem of the first site's idle devices; the first call measures rates */
    const PipelineProblem& GetProblem();

    /** @return the model */
    const DnnGraph& GetGraph() const
    {
        return m_graph;
    }

    /** @return the devices of a site */
    const Cluster& GetCluster() const
    {
        return m_cluster;
    }

  private:
    /// In --load, the device of the slowest stage.
    inline static const std::string SLOWEST = "slowest";
    /// Planner that comparisons end with, since a pipeline must beat it.
    inline static const std::string ALONE = "fastest-device";

    void Read() override;
    /**
     * Find the bandwidth that planners are told: given by the option, or measured in a simulation.
     * Where devices have networks of their own, each is measured from and to their common core.
     *
     * @return bandwidth of a transfer, bit/s; the least of any device where they differ
     * @throws InputError if nothing gets through
     */
    double FindBandwidth();
    /**
     * Read the loads of --load, and find what planners are told of them.
     * @param plan the first one, whose slowest stage decides which device is `slowest`; may be
     *        empty unless IsLoadOfPlan
     */
    void FindLoads(const PipelinePlan& plan);

    /** @return whether --load names the slowest device, which depends on the first plan */
    bool IsLoadOfPlan() const;

    /** @return whether a device has load at the start, which planners are told */
    bool IsLoadedAtFirst() const
    {
        return AnyOf(m_setting.shares, [](double share) { return share < 1; });
    }

    /** @return whether planners are told a measured bandwidth */
    bool IsProbed() const
    {
        return m_plannerBandwidth == 0;
    }

    /**
     * Find the first plan of a case and of others that begin with it, unless it is known.
     *
     * @param one the case
     * @throws InputError if there is no plan
     */
    void Plan(const PipelineCase& one);
    /**
     * Run the plan of a case.
     *
     * @param one the case
     * @param network connects the devices
     * @param progress called with the share that is done
     */
    void Train(const PipelineCase& one,
               const NetworkOptions& network,
               const std::function<void(double)>& progress);
    /**
     * @param plan any plan
     * @param one a case that ended with it; null: none
     * @return its stages
     */
    std::vector<PlanPart> ListStages(const PipelinePlan& plan,
                                     const PipelineCase* one = nullptr) const;
    void Fill(const PipelineCase& one, CellTable& row) const override;

    std::vector<Column<PipelineCase>> ListKeys() const override
    {
        return {{"case", &PipelineCase::GetAdaptation}, {"planner", &PipelineCase::planner}};
    }

    CasePlan PlanOf(const PipelineCase& one) const override;
    /** Print the setup and notes on the figures. */
    void PrintHeading() const;
    /** Print how many devices plans leave without work. */
    void PrintUnused() const;
    /** Print how often idle devices helped, if they may. */
    void PrintHelp() const;
    /** Print at which cuts stages share layers. */
    void PrintSharing() const;
    /** Print on what conditions plans change, if they may. */
    void PrintReplanning() const;
    /**
     * Print how the plan of a case changed.
     * @param one the case
     */
    void PrintChanges(const PipelineCase& one) const;
    /** @return contents of run.json */
    nlohmann::ordered_json DescribeRun() const;

    DnnGraph m_graph;                 //!< the model
    Cluster m_cluster;                //!< the devices of a site
    uint32_t m_devices{0};            //!< of each site; 0: as many as the cluster has
    uint32_t m_pipelines{1};          //!< sites
    std::vector<std::string> m_names; //!< of the devices of all sites
    uint32_t m_microBatches{1};       //!< per mini-batch
    std::string m_exchange{"ring"};   //!< name of a GradientExchange, of groups
    bool m_addsAlone{false};          //!< whether ALONE was added to the planners
    std::set<std::string> m_unaware;  //!< planners whose plans ignore that a medium is shared
    bool m_isUnhelped{false};         //!< whether a case with groups was left out, with help
    bool m_usesGroups{false};         //!< whether stages may be on groups of devices
    bool m_updatesWeights{true};      //!< whether weight updates take time
    double m_memoryScale{1};          //!< factor on the devices' usable memory, > 0
    std::string m_adjacent;           //!< whether idle devices help
    std::string m_adjacentCosts;      //!< full, ideal or joint
    std::string m_replan;             //!< whether plans change
    std::vector<bool> m_helps;        //!< whether there is help, by run of each plan
    std::vector<bool> m_replans;      //!< whether the plan may change, by run of each plan
    double m_threshold{0};            //!< relative change that makes a decision due
    double m_plannerBandwidth{0};     //!< that planners are told, bit/s; 0: measured
    std::vector<std::pair<double, double>> m_rates; //!< measured up and down, by network, bit/s
    PipelineProblem m_problem;                      //!< of idle devices
    PipelineProblem m_told;          //!< given to planners: with the load at the start
    std::vector<PipelineCase> m_all; //!< every case, with its plan once it has one
    CaseOutcome m_outcome;           //!< of the last case
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_TRAINING_WORKLOAD_H */
