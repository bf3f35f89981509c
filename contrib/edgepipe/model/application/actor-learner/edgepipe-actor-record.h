/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_RECORD_H
#define EDGEPIPE_ACTOR_RECORD_H

#include "ns3/edgepipe-multi-actor-problem.h"
#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::edgepipe
{

/** A step of an actor: a step of its environment, then an inference, from observation to action. */
struct StepRecord
{
    uint32_t actor{0};         //!< id of its node
    uint32_t step{0};          //!< number of the step, from 0
    std::size_t cut{0};        //!< y, layers that the actor ran
    Time begun;                //!< when the environment's step began
    Time observed;             //!< when the inference began
    Time computed;             //!< when the actor's layers were computed
    Time uploaded;             //!< when the cut tensor was at the server; 0 at y = K
    Time served;               //!< when the server's layers were computed; 0 at y = K
    Time ended;                //!< when the actor had its action
    uint32_t actorVersion{0};  //!< learner's version of layers 1 to y; nothing at y = 0
    uint32_t serverVersion{0}; //!< learner's version of layers y + 1 to K; nothing at y = K
    uint32_t newestVersion{0}; //!< learner's version when the action was taken
};

/** A request that the server has answered. */
struct ServedRecord
{
    uint32_t actor;   //!< id of its node
    uint32_t step;    //!< number of its step
    Time uploaded;    //!< when its tensor arrived
    Time served;      //!< when its layers were computed
    uint32_t version; //!< learner's version of these layers
};

/** The server's knowledge of an actor. */
struct ActorTold
{
    uint32_t actor;        //!< id of its node
    double share;          //!< available share of its device, 0 to 1
    double bytesPerSecond; //!< bandwidth of its link to the server
};

/** A run of the planner: its cause and its result. */
struct PlanChangeRecord
{
    /// Cause of the run.
    enum Kind
    {
        JOIN,   //!< an actor joined
        LEAVE,  //!< an actor left
        REPORT, //!< links or loads of actors have changed
        SERVER, //!< the server's load has changed
    };

    Time time;                       //!< when the server learnt the cause
    Time inForce;                    //!< when the plan was made and paid for, and all meetings held
    Kind kind{JOIN};                 //!< cause of the run
    uint32_t actor{0};               //!< that joined or reported first, that left, or the server
    std::vector<ActorTold> told;     //!< state of the actors that joined or reported
    double serverShare{1};           //!< measured available share of the server, 0 to 1
    uint32_t actors{0};              //!< number of actors now
    uint32_t moved{0};               //!< actors already present whose cut changes
    uint64_t messages{0};            //!< messages that planning takes
    bool isMet{false};               //!< whether these are sent; otherwise they are only counted
    double totalReductionSeconds{0}; //!< response time saved by the plan, by eq. 6
    double cutVariance{0};           //!< of cuts over the actors, layers^2
    double reductionVariance{0};     //!< of savings over the actors, s^2
    MultiActorLimits used{};         //!< budget use of the plan
    MultiActorLimits limits{};       //!< budgets of the plan
};

/** Possible budget use of the actors from a time on. */
struct BudgetRecord
{
    Time time;               //!< start of this use
    MultiActorLimits held;   //!< most that actors may use, see ActorHandover::GetHeld
    MultiActorLimits limits; //!< budgets in force, see ActorHandover::GetLimits
    MultiActorLimits plan;   //!< budgets of the plan
    bool isSettled;          //!< whether every actor uses the plan's cut
};

/** An update of the learner. */
struct UpdateRecord
{
    Time time;          //!< when it finished
    uint32_t version;   //!< version that it produced
    uint32_t steps;     //!< steps used for training
    double meanLag;     //!< versions from acting to training, mean over steps
    uint32_t mostLag;   //!< the same, maximum
    uint64_t stepsLeft; //!< steps waiting for a later update
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ACTOR_RECORD_H */
