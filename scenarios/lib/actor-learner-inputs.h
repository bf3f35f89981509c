/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_LEARNER_INPUTS_H
#define EDGEPIPE_ACTOR_LEARNER_INPUTS_H

#include "lib/adaptive-inputs.h"
#include "lib/scenario-options.h"
#include "runs/actor-learner-run.h"

#include "ns3/edgepipe-cluster.h"
#include "ns3/edgepipe-device-spec.h"
#include "ns3/edgepipe-dnn-graph.h"
#include "ns3/edgepipe-layer-cost.h"
#include "ns3/edgepipe-multi-actor-problem-builder.h"
#include "ns3/nstime.h"

#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** What actors infer and where: options and the files they name. */
class ActorModelInputs
{
  public:
    /**
     * @param options of the scenario, to declare; AddTracesOption, "actor" and "server" are to be
     *        declared beside these
     * @param run what these options and files say of it is set
     */
    ActorModelInputs(ScenarioOptions& options, ActorLearnerOptions& run);

    /**
     * Read the files.
     *
     * @throws InputError if something cannot be used
     */
    void Read();

    /**
     * Read the files, but for those of devices.
     *
     * @param cluster whose last device is the server, and the others are actors; at least two
     * @throws InputError if something cannot be used
     */
    void Read(const Cluster& cluster);

    DnnGraph graph;                         //!< the network
    std::vector<DeviceSpec> actorTypes;     //!< types of actors, in turn
    DeviceSpec server;                      //!< type of the server
    std::map<std::string, LayerCost> costs; //!< of an inference, by type; of the server a batch
    std::map<std::string, double> speeds;   //!< with the model, FLOP/s, by type of actor
    /// What layers 1 to K take, by type of actor, s; none where eq. 5 executes
    std::map<std::string, std::vector<double>> layerSeconds;

  private:
    /** Read the files, but for those of devices. */
    void ReadModel();
    /** @param served what planners know the server by; say what executes there and is believed */
    void ReadServing(const LayerCost& served);

    const ScenarioOptions& m_options;     //!< of the scenario
    ActorLearnerOptions& m_run;           //!< how to run
    uint32_t m_serverBatch{1};            //!< by which the server's speed is known
    uint32_t m_frameElementBytes{1};      //!< on the way
    uint32_t m_trajectoryElementBytes{1}; //!< of an observation, in a trajectory
    uint32_t m_trainBatch{0};             //!< trajectories of an update
    std::string m_execution;              //!< what executes: profile or eq5
    std::string m_belief;                 //!< what planners believe, likewise
    std::string m_batching;               //!< of the server: none or opportunistic
    uint32_t m_mostBatch{1};              //!< requests of a batch
};

/**
 * @ingroup edgepipe
 *
 * What the scenario actor-learner is asked to do: its options and the files they name, read and
 * checked.
 */
class ActorLearnerInputs
{
  public:
    /** @param options of the scenario, to declare; their values are handed to this object */
    explicit ActorLearnerInputs(ScenarioOptions& options);

    /**
     * Read the files, and check what concerns several options.
     *
     * @throws InputError if something cannot be used
     */
    void Read();

    ActorLearnerOptions run;           //!< how to run, but for the planner
    ActorModelInputs files;            //!< what actors infer and where
    std::vector<std::string> planners; //!< their names
    Time warmUp;                       //!< what ends before does not count

  private:
    /** Read --planner-bandwidth. */
    void ReadPlannerBandwidth();
    /** @return the actors and, last, the server, and the network between them */
    Cluster ReadCluster();
    /**
     * Find who joins.
     * @param cluster the actors and, last, the server
     */
    void ReadActors(const Cluster& cluster);

    ScenarioOptions& m_options; //!< of the scenario
    uint32_t m_actors{0};       //!< that may join
    uint32_t m_firstActors{0};  //!< of them that are there from the start; 0: all
    double m_churn{0};          //!< joins and leaves a minute
    double m_speedSpread{0};    //!< share by which actors differ from their type
    Time m_stepTime;            //!< of the environment, mean
    Time m_planTime;            //!< most of a decision
    bool m_replan{true};        //!< whether to plan anew when links or loads change
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ACTOR_LEARNER_INPUTS_H */
