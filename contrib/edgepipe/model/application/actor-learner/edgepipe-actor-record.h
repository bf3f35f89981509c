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
    uint32_t step{0};          //!< which one of the actor, from 0
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
    uint32_t actor;   //!< whose
    uint32_t step;    //!< of which step
    Time uploaded;    //!< when its tensor arrived
    Time served;      //!< when its layers were computed
    uint32_t version; //!< learner's version of these layers
};

/** What the server takes an actor for. */
struct ActorTold
{
    uint32_t actor;        //!< id of its node
    double share;          //!< of it that is left for us, 0 to 1
    double bytesPerSecond; //!< of its link to the server
};

/** Why the planner was asked, and what it changed. */
struct PlanChangeRecord
{
    /// Why it was asked.
    enum Kind
    {
        JOIN,   //!< an actor came
        LEAVE,  //!< an actor went
        REPORT, //!< links or loads of actors have changed
        SERVER, //!< the server's load has changed
    };

    Time time;                       //!< when the server knew
    Time inForce;                    //!< when it was decided: planned, paid for, and met
    Kind kind{JOIN};                 //!< why the planner was asked
    uint32_t actor{0};               //!< who came, went or reported first; the server, of its load
    std::vector<ActorTold> told;     //!< of who came or reported
    double serverShare{1};           //!< of the server that is left for us, as it knows, 0 to 1
    uint32_t actors{0};              //!< that there are now
    uint32_t moved{0};               //!< others that are to cut elsewhere; of a report any
    uint64_t messages{0};            //!< that planning takes
    bool isMet{false};               //!< whether these were sent; otherwise they are counted
    double totalReductionSeconds{0}; //!< of the plan, by eq. 6
    double cutVariance{0};           //!< over the actors, layers^2
    double reductionVariance{0};     //!< over the actors, s^2
    MultiActorLimits used{};         //!< by the plan, of the budgets
    MultiActorLimits limits{};       //!< the budgets
};

/** What actors may be using of the budgets from some time on. */
struct BudgetRecord
{
    Time time;               //!< since when
    MultiActorLimits held;   //!< by all actors, see ActorHandover::GetHeld
    MultiActorLimits limits; //!< budgets in force, see ActorHandover::GetLimits
    MultiActorLimits plan;   //!< budgets of the plan
    bool isSettled;          //!< whether every actor uses the plan's cut
};

/** An update of the learner. */
struct UpdateRecord
{
    Time time;          //!< when it was done
    uint32_t version;   //!< that it led to
    uint32_t steps;     //!< that it was trained with
    double meanLag;     //!< versions between those that took the steps and the one trained, mean
    uint32_t mostLag;   //!< the same, largest
    uint64_t stepsLeft; //!< steps that wait for a later update
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ACTOR_RECORD_H */
