/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_LEARNER_INPUTS_H
#define EDGEPIPE_ACTOR_LEARNER_INPUTS_H

#include "lib/scenario-options.h"
#include "runs/actor-learner-run.h"

#include "ns3/edgepipe-device-spec.h"
#include "ns3/edgepipe-dnn-graph.h"
#include "ns3/edgepipe-layer-cost.h"
#include "ns3/edgepipe-multi-actor-problem-builder.h"
#include "ns3/nstime.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** @param options to be given those that say what actors infer and where */
void AddActorModelOptions(ScenarioOptions& options);

/** Read AddActorModelOptions' files: network, speeds, bytes, and what an update costs. */
struct ActorModelInputs
{
    /**
     * @param options of the scenario, parsed; AddTracesOption and AddActorModelOptions were called
     * @throws InputError if something cannot be used
     */
    explicit ActorModelInputs(const ScenarioOptions& options);

    /**
     * Fill in what these files say.
     *
     * @param run model, parameters, bytes and updates are set
     */
    void FillIn(ActorLearnerOptions& run) const;

    DnnGraph graph;                         //!< the network
    std::vector<DeviceSpec> actorTypes;     //!< types of actors, in turn
    DeviceSpec server;                      //!< type of the server
    std::map<std::string, LayerCost> costs; //!< of an inference, by type; of the server a batch
    std::map<std::string, double> speeds;   //!< with the model, FLOP/s, by type of actor
    MultiActorModel model;                  //!< the network, and the server's speed
    std::vector<uint64_t> parameterBytes;   //!< of layers 1 to K
    uint32_t unroll;                        //!< steps of a trajectory
    uint32_t batchSteps;                    //!< of an update
    double updateSeconds;                   //!< of an update
    uint64_t stepBytes;                     //!< of a step in a trajectory
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

    std::optional<ActorModelInputs> files; //!< what actors infer and where
    ActorLearnerOptions run;               //!< how to run, but for the planner
    std::vector<std::string> planners;     //!< their names
    Time warmUp;                           //!< what ends before does not count

  private:
    /** Read the options that say how actors and learner run. */
    void ReadRun();
    /** Read --planner-bandwidth. */
    void ReadPlannerBandwidth();
    /** Read who joins. */
    void ReadActors();

    ScenarioOptions& m_options; //!< of the scenario
    uint32_t m_actors{0};       //!< that may join
    uint32_t m_firstActors{0};  //!< of them that are there from the start; 0: all
    double m_churn{0};          //!< joins and leaves a minute
    double m_speedSpread{0};    //!< share by which actors differ from their type
    Time m_stepTime;            //!< of the environment, mean
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ACTOR_LEARNER_INPUTS_H */
