/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_LEARNER_WORKLOAD_H
#define EDGEPIPE_ACTOR_LEARNER_WORKLOAD_H

#include "workloads/actor-learner-summary.h"

#include "ns3/edgepipe-dnn-graph.h"

namespace ns3::edgepipe
{

/** A run under one planner, which may have refused. */
struct ActorLearnerCase : ActorLearnerResult
{
    std::string planner;         //!< its name
    ActorLearnerSummary summary; //!< key figures
};

/**
 * @ingroup edgepipe
 *
 * Actors and learner under one or several planners, over the same network, with the same joins and
 * leaves.
 */
class ActorLearnerWorkload
    : public CasesWorkload<ActorLearnerWorkload, ActorLearnerCase, ActorLearnerSetting>
{
  public:
    static constexpr char NAME[] = "actor-learner"; //!< to select it by
    static constexpr char USAGE[] =
        "Actors step environments and share their inference with an edge server, which also "
        "trains: after which layer each actor hands over is decided anew as actors join and leave.";
    static constexpr char SCRIPT[] = "analysis/actor_learner.py"; //!< draws the results

    void Declare(ScenarioOptions& options) override;

    std::size_t CountDevices() const override
    {
        return m_actors + 1;
    }

    WorkloadSweep GetSweep() const override
    {
        return {"actors",
                "defp",
                "",
                {"response (s)", "requests/s"},
                GetNames<MultiActorPlanner>(),
                "model&single:actor=@ single:server=@&single:actors=1..8 "
                "step-time=20~500ms&unroll=1..40 train-batch=0..8 warm-up=3s duration=10s",
                3};
    }

    void Print() const override;
    std::string Write(ResultsFolder& folder) const override;

  private:
    void Read() override;
    void Run(ActorLearnerSetting& setting,
             ActorLearnerCase& one,
             const std::function<void(double)>& progress) override;

    /** @return the actors and, last, the server, and the network between them */
    Cluster ReadCluster();
    /**
     * Read the model and its costs.
     * @param types of the actors
     */
    void ReadModel(const std::vector<DeviceSpec>& types);
    /**
     * Set layer times of the server: simulated, and assumed by planners.
     * @param served its inference costs for --server-batch
     */
    void ReadServing(const LayerCost& served);
    /**
     * Read the actors, and draw joins and leaves.
     * @param cluster the actors and, last, the server
     */
    void ReadActors(const Cluster& cluster);
    /** @param other has the costs that planners are to assume; execution keeps its own */
    void TakeBeliefs(const ActorLearnerSetting& other);
    void Fill(const ActorLearnerCase& one, CellTable& row) const override;
    CasePlan PlanOf(const ActorLearnerCase& one) const override;
    /** @param one a case that has run: gets its answered requests, and what they are worth */
    void AddAnswered(ActorLearnerCase& one) const;
    /** @return memory of the learner's updates, beside the server's inference, bytes */
    uint64_t CountLearnerMemory() const;
    /** Print what is run. */
    void PrintHeading() const;
    /** Print benefits and costs of plans. */
    void PrintPlans() const;

    Time m_warmUp;                          //!< steps that end before are left out
    DnnGraph m_graph;                       //!< model that actors infer with
    DeviceSpec m_server;                    //!< type of the server
    std::map<std::string, double> m_speeds; //!< with the model, FLOP/s, by type of actor
    /// Times of layers 1 to K, by type of actor, s; none with --execution=eq5
    std::map<std::string, std::vector<double>> m_layerSeconds;
    std::vector<uint64_t> m_memoryBytes;  //!< by actor
    uint32_t m_serverBatch{1};            //!< batch size of the costs that give the server's speed
    uint32_t m_frameElementBytes{1};      //!< of b_0, when sent
    uint32_t m_trajectoryElementBytes{1}; //!< of an observation, in a trajectory
    uint32_t m_trainBatch{0};             //!< trajectories of an update
    uint64_t m_stepBytes{0};              //!< of a step in a trajectory
    uint32_t m_batchSteps{0};             //!< steps of an update
    double m_updateSeconds{0};            //!< of an update on the idle server
    std::string m_execution;              //!< simulated layer times: profile or eq5
    std::string m_belief;                 //!< layer times that planners assume: profile or eq5
    std::string m_batching;               //!< of the server: none or opportunistic
    uint32_t m_mostBatch{1};              //!< largest batch, requests
    uint32_t m_actors{0};                 //!< actors that may join
    uint32_t m_firstActors{0};            //!< actors present from the start; 0: all
    double m_churn{0};                    //!< mean joins and leaves per minute
    double m_speedSpread{0};              //!< share by which actors differ from their type
    Time m_stepTime;                      //!< of the environment, mean
    Time m_planTime;                      //!< time limit of a decision
    bool m_replan{true};                  //!< whether to plan anew when links or loads change
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ACTOR_LEARNER_WORKLOAD_H */
