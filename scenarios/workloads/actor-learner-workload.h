/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_LEARNER_WORKLOAD_H
#define EDGEPIPE_ACTOR_LEARNER_WORKLOAD_H

#include "workloads/actor-learner-run.h"
#include "workloads/actor-learner-summary.h"

#include "ns3/edgepipe-cluster.h"
#include "ns3/edgepipe-dnn-graph.h"

#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** A run under one planner, which may have refused. */
struct ActorLearnerCase
{
    std::string planner;         //!< its name
    ActorLearnerResult result;   //!< what came of it
    ActorLearnerSummary summary; //!< in a few figures
};

/**
 * @ingroup edgepipe
 *
 * Actors and learner under one or several planners, over the same network, with the same joins and
 * leaves.
 */
class ActorLearnerWorkload : public Workload
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
    /** Declare what is inferred, and how it is served. */
    void DeclareModel();
    /** Read --planner-bandwidth. */
    void ReadPlannerBandwidth();
    /** @return the actors and, last, the server, and the network between them */
    Cluster ReadCluster();
    /**
     * Read what devices do.
     * @param types of the actors
     */
    void ReadModel(const std::vector<DeviceSpec>& types);
    /** @param served what planners know the server by; say what executes there and is believed */
    void ReadServing(const LayerCost& served);
    /**
     * Find who joins.
     * @param cluster the actors and, last, the server
     */
    void ReadActors(const Cluster& cluster);
    /** @return the figures of every case */
    Sheet<ActorLearnerCase> MakeResults() const;
    /** Print what is run. */
    void PrintHeading() const;
    /** Print what plans are worth and take. */
    void PrintPlans() const;
    /** @return what predictions leave out */
    std::vector<std::string> ListUnknown() const;
    /** Say where no request ended, and why. */
    void PrintUnmeasured() const;

    ActorLearnerSetting m_setting;          //!< how to run, but for network and planner
    Time m_warmUp;                          //!< what ends before does not count
    DnnGraph m_graph;                       //!< that actors infer with
    DeviceSpec m_server;                    //!< type of the server
    std::map<std::string, double> m_speeds; //!< with the model, FLOP/s, by type of actor
    /// What layers 1 to K take, by type of actor, s; none where eq. 5 executes
    std::map<std::string, std::vector<double>> m_layerSeconds;
    uint32_t m_serverBatch{1};             //!< by which the server's speed is known
    uint32_t m_frameElementBytes{1};       //!< on the way
    uint32_t m_trajectoryElementBytes{1};  //!< of an observation, in a trajectory
    uint32_t m_trainBatch{0};              //!< trajectories of an update
    uint64_t m_stepBytes{0};               //!< of a step in a trajectory
    uint32_t m_batchSteps{0};              //!< of an update
    double m_updateSeconds{0};             //!< of an update on the idle server
    std::string m_execution;               //!< what executes: profile or eq5
    std::string m_belief;                  //!< what planners believe, likewise
    std::string m_batching;                //!< of the server: none or opportunistic
    uint32_t m_mostBatch{1};               //!< requests of a batch
    uint32_t m_actors{0};                  //!< that may join
    uint32_t m_firstActors{0};             //!< of them that are there from the start; 0: all
    double m_churn{0};                     //!< joins and leaves a minute
    double m_speedSpread{0};               //!< share by which actors differ from their type
    Time m_stepTime;                       //!< of the environment, mean
    Time m_planTime;                       //!< most of a decision
    bool m_replan{true};                   //!< whether to plan anew when links or loads change
    std::vector<ActorLearnerCase> m_cases; //!< that were simulated, by planner
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ACTOR_LEARNER_WORKLOAD_H */
