/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TRAINING_INPUTS_H
#define EDGEPIPE_TRAINING_INPUTS_H

#include "lib/network-inputs.h"
#include "lib/scenario-options.h"
#include "runs/pipeline-training-helper.h"

#include "ns3/edgepipe-cluster.h"
#include "ns3/edgepipe-dnn-graph.h"
#include "ns3/edgepipe-layer-cost.h"
#include "ns3/edgepipe-pipeline-problem.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** What a device's link gives a lone transfer. */
struct LinkRates
{
    double uplinkBitsPerSecond;   //!< payload
    double downlinkBitsPerSecond; //!< payload
};

/**
 * @ingroup edgepipe
 *
 * What a scenario of pipeline training is asked to do: its options and the files they name, read
 * and checked.
 */
class TrainingInputs
{
  public:
    /**
     * @param options of the scenario, to declare; their values are handed to this object
     * @param adapts whether the scenario can run each plan without and with help and replanning,
     *        and has load
     */
    explicit TrainingInputs(ScenarioOptions& options, bool adapts = false);

    /**
     * Read the model, the cluster and the layer costs, and check what concerns several options,
     * but for what depends on the devices' names.
     *
     * @throws InputError if something cannot be used
     */
    void Read();

    /**
     * Check the network's options.
     *
     * @param names of the devices
     * @throws InputError naming the option, or the cluster's file
     */
    void CheckNetwork(const std::vector<std::string>& names) const;

    /**
     * Find what planners are told of the network: as the option says, or measured in a simulation.
     * Where devices have networks of their own, each network is measured both ways from and to
     * the core of all.
     *
     * @param names of the devices
     * @return what a transfer gets, bit/s; the least of any device where they differ
     * @throws InputError if nothing gets through, or the option is no data rate
     */
    double FindPlannerBandwidth(const std::vector<std::string>& names);

    /**
     * @param devices to plan for, of the types of the cluster
     * @param bandwidthBitsPerSecond that planners are told
     * @return what planners are asked, with the devices' own rates where FindPlannerBandwidth has
     *         measured them
     */
    PipelineProblem BuildProblem(const Cluster& devices, double bandwidthBitsPerSecond) const;

    /**
     * Tell planners what delay the links are known to have; half of one hop's where devices forward
     * for each other.
     *
     * @param problem its devices are given their delays
     */
    void AddDelays(PipelineProblem& problem) const;

    /** @return whether --load speaks of the slowest device, which the first plan decides */
    bool IsLoadOfPlan() const;

    /**
     * Find the loads that --load says, and what of them is known at the start.
     *
     * @param problem of the run
     * @param plan the first one, whose slowest stage's device is the slowest one; not used unless
     *        IsLoadOfPlan
     */
    void FindLoads(const PipelineProblem& problem, const PipelinePlan& plan);

    /** @return whether planners are told what a transfer was measured to get */
    bool IsProbed() const;

    /** @return by network of NetworkOptions::groups, what was measured; empty if nothing was */
    const std::vector<LinkRates>& GetGroupRates() const;

    /** @return the options */
    const ScenarioOptions& GetOptions() const;

    PipelineTrainingOptions training;       //!< how to run
    std::vector<std::string> planners;      //!< their names
    std::string adjacentCosts;              //!< full or ideal
    std::vector<bool> helps;                //!< AdjacentOptions::enabled of each plan's runs
    std::vector<bool> replans;              //!< of each plan's runs, whether it may change
    ReplanOptions replan;                   //!< how plans change, but for who decides
    DnnGraph graph;                         //!< the model
    std::string clusterFile;                //!< path of the cluster's file
    Cluster cluster;                        //!< the devices
    std::map<std::string, LayerCost> costs; //!< by device type
    uint32_t microBatches;                  //!< per mini-batch
    uint32_t microBatchSize;                //!< samples

  private:
    ScenarioOptions& m_options;          //!< of the scenario
    bool m_adapts;                       //!< whether it has load, and plans may change
    bool m_updatesWeights{true};         //!< whether that takes time
    std::string m_adjacent;              //!< whether idle devices help: on, off or both
    std::string m_replan;                //!< whether plans change: on, off or both
    Time m_minimumGain;                  //!< that help must have
    double m_plannerBandwidth{0};        //!< that planners are told, bit/s; 0: measured
    std::vector<LinkRates> m_groupRates; //!< measured, by network
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_TRAINING_INPUTS_H */
