/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_STUDY_H
#define EDGEPIPE_PIPELINE_STUDY_H

#include "ns3/edgepipe-cluster.h"
#include "ns3/edgepipe-dnn-graph.h"
#include "ns3/edgepipe-layer-cost.h"
#include "ns3/edgepipe-pipeline-problem.h"
#include "ns3/edgepipe-pipeline-training-helper.h"
#include "ns3/edgepipe-scenario-options.h"

#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** One planner's plan and what came of it. */
struct PipelineCase
{
    std::string planner;           //!< name of the planner
    std::string problemWithPlan;   //!< why there is no plan; empty if there is one
    PipelinePlan plan;             //!< who runs what
    double predictedSeconds{0};    //!< iteration time by the cost model, seconds
    double decisionSeconds{0};     //!< wall-clock time of planning
    PipelineTrainingResult result; //!< what came of it
    double simulationSeconds{0};   //!< wall-clock time of the simulation
    std::string GetStatus() const; //!< finished, stalled or no-plan
};

/**
 * @ingroup edgepipe
 *
 * Pipeline training of one model on one cluster by one or several planners: what the scenarios
 * quickstart and pipeline-training have in common.
 */
class PipelineStudy
{
  public:
    /**
     * Declare the options.
     *
     * @param options of the scenario
     */
    static void AddOptions(ScenarioOptions& options);

    /**
     * Read the model, the cluster and the layer costs, and check every option.
     *
     * @param options of the scenario, parsed
     * @throws InputError if something cannot be used
     */
    explicit PipelineStudy(const ScenarioOptions& options);

    /**
     * Plan and simulate, planner by planner.
     *
     * @throws InputError if no planner finds a plan
     */
    void Run();

    /**
     * Print the table and what to know about it on standard output.
     */
    void Print() const;

    /**
     * Write the result files and say where they are.
     *
     * @throws InputError if they cannot be written
     */
    void Write() const;

    /** @return the scenario's exit status: 0, or 3 if a case did not finish */
    int GetStatus() const;

  private:
    /** Read the network's options. */
    void ReadNetwork();
    /** Say for which pairs of planners prediction and simulation disagree. */
    void PrintOrder() const;
    /**
     * @return run.json
     */
    std::string FormatRun() const;

    const ScenarioOptions& m_options;         //!< of the scenario
    DnnGraph m_graph;                         //!< the model
    std::string m_clusterFile;                //!< path of the cluster's file
    Cluster m_cluster;                        //!< the devices
    std::vector<std::string> m_names;         //!< of the devices
    std::map<std::string, LayerCost> m_costs; //!< by device type
    PipelineTrainingOptions m_training;       //!< how to run
    std::vector<std::string> m_planners;      //!< their names
    PipelineProblem m_problem;                //!< what they are asked
    std::vector<PipelineCase> m_cases;        //!< by planner
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PIPELINE_STUDY_H */
