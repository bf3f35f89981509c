/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_TRAINING_WORKLOAD_H
#define EDGEPIPE_PIPELINE_TRAINING_WORKLOAD_H

#include "lib/workload.h"
#include "workloads/pipeline/pipeline-training-run.h"

#include "ns3/edgepipe-cluster.h"
#include "ns3/edgepipe-dnn-graph.h"
#include "ns3/edgepipe-find-by-name.h"

namespace ns3::edgepipe
{

/** One planner's plan, how it is adapted, and what came of it. */
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
        std::vector<double> seconds;
        for (const auto& span : iterations)
        {
            seconds.push_back((span.end - span.start).GetSeconds());
        }
        return seconds;
    }

    std::size_t index{0};        //!< of the case
    std::string decider;         //!< name of the planner that decides during the run
    std::string firstPlanner;    //!< name of the planner of the first plan
    std::string planner;         //!< of the plan, and whether there is help
    std::string name;            //!< what tells it from the others
    bool isReplanned{false};     //!< whether the plan may change
    bool helped{false};          //!< whether idle devices help their neighbours
    std::string problemWithPlan; //!< why there is no plan; empty if there is one
    PipelinePlan plan;           //!< who runs what
    double predictedSeconds{0};  //!< iteration time by the cost model, seconds
    double lowerBoundSeconds{0}; //!< no plan takes less by the cost model; 0: unknown
    double planningSeconds{0};   //!< wall-clock time
};

/**
 * @ingroup edgepipe
 *
 * Pipeline training of one model on one cluster by one or several planners, with or without help
 * between neighbours and changes of plan during the run. All cases meet the same conditions at the
 * same times.
 *
 * Several pipelines may train the model side by side, by the same plan: each is on a site of its
 * own, devices of the cluster in turn, all on one network.
 */
class PipelineTrainingWorkload : public CasesWorkload<PipelineTrainingWorkload, PipelineCase>
{
  public:
    static constexpr char NAME[] = "pipeline-training";                       //!< what it goes by
    static constexpr char TYPE[] = "ns3::edgepipe::PipelineTrainingWorkload"; //!< of its TypeId
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
        std::vector<std::string> names;
        for (const auto& one : m_all)
        {
            names.push_back(one.name);
        }
        return names;
    }

    std::vector<std::pair<std::string, std::string>> GetMeasured() const override
    {
        if (!IsProbed())
        {
            return {};
        }
        return {{"planner-bandwidth",
                 std::to_string(std::llround(m_problem.bandwidthBitsPerSecond)) + "bps"}};
    }

    const CaseOutcome& Simulate(std::size_t index,
                                const NetworkOptions& network,
                                const std::function<void(double)>& progress) override;
    void Print() const override;
    std::string Write(ResultsFolder& folder) const override;

    /**
     * Declare options.
     *
     * @param options of the scenario; must outlive this object
     * @param adapts whether plans are run, so that they may change and there may be load
     */
    void Declare(ScenarioOptions& options, bool adapts);

    /** @return what idle devices of the first site are to train; rates are measured at first */
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
    void Read() override;
    /**
     * Find what planners are told of the network: as the option says, or measured in a simulation.
     * Where devices have networks of their own, each network is measured both ways from and to
     * the core of all.
     *
     * @return what a transfer gets, bit/s; the least of any device where they differ
     * @throws InputError if nothing gets through
     */
    double FindBandwidth();
    /**
     * Find the loads that --load says, and what of them planners are told.
     * @param plan the first one, of whose slowest stage the device is the slowest one; may be empty
     *        unless IsLoadOfPlan
     */
    void FindLoads(const PipelinePlan& plan);

    /** @return whether --load speaks of the slowest device, which the first plan decides */
    bool IsLoadOfPlan() const;

    /** @return whether a device has load at the start, which planners are told */
    bool IsLoadedAtFirst() const
    {
        const auto& shares = m_setting.shares;
        return std::any_of(shares.begin(), shares.end(), [](double share) { return share < 1; });
    }

    /** @return whether planners are told what a transfer was measured to get */
    bool IsProbed() const
    {
        return m_plannerBandwidth == 0;
    }

    /**
     * Find the first plan of a case and of others that begin with it, unless there is one.
     *
     * @param one the case
     * @throws InputError if there is no plan
     */
    void Plan(const PipelineCase& one);
    /**
     * Run the plan of a case.
     *
     * @param one the case
     * @param network joins the devices
     * @param progress told the share that is done
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
    Sheet<PipelineCase> MakeResults() const override;
    CasePlan PlanOf(const PipelineCase& one) const override;
    /** Print what is trained and what to know about its figures. */
    void PrintHeading() const;
    /** Say how often idle devices helped, if they may. */
    void PrintHelp() const;
    /** Print where stages share the layers at their cuts. */
    void PrintSharing() const;
    /** Say when plans change, and what they are at first, if they may. */
    void PrintReplanning() const;
    /**
     * Say how the plan of a case changed.
     * @param one the case
     */
    void PrintChanges(const PipelineCase& one) const;
    /** @return what run.json has of the cases */
    nlohmann::ordered_json DescribeRun() const;

    PipelineSetting m_setting;                      //!< how to run, but for network and planner
    DnnGraph m_graph;                               //!< the model
    Cluster m_cluster;                              //!< the devices of a site
    uint32_t m_devices{0};                          //!< of each site; 0: the cluster's
    uint32_t m_pipelines{1};                        //!< sites
    std::vector<std::string> m_names;               //!< of the devices of all sites
    uint32_t m_microBatches{1};                     //!< per mini-batch
    bool m_updatesWeights{true};                    //!< whether that takes time
    double m_memoryScale{1};                        //!< of the devices' usable memory, > 0
    std::string m_adjacent;                         //!< whether idle devices help
    std::string m_adjacentCosts;                    //!< full, ideal or joint
    std::string m_replan;                           //!< whether plans change
    std::vector<bool> m_helps;                      //!< of each plan's runs, whether there is help
    std::vector<bool> m_replans;                    //!< of each plan's runs, whether it may change
    double m_threshold{0};                          //!< that makes a decision due
    double m_plannerBandwidth{0};                   //!< that planners are told, bit/s; 0: measured
    std::vector<std::pair<double, double>> m_rates; //!< measured up and down, by network, bit/s
    PipelineProblem m_problem;                      //!< of idle devices
    PipelineProblem m_told;          //!< what planners are asked: with the load at the start
    std::size_t m_plans{0};          //!< made before, of --plan
    std::vector<PipelineCase> m_all; //!< every case, with its plan once it has one
    CaseOutcome m_outcome;           //!< of the last one
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_TRAINING_WORKLOAD_H */
