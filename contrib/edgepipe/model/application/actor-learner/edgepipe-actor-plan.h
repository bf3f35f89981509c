/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_PLAN_H
#define EDGEPIPE_ACTOR_PLAN_H

#include "ns3/edgepipe-actor-record.h"
#include "ns3/edgepipe-multi-actor-cost.h"
#include "ns3/edgepipe-multi-actor-planner.h"
#include "ns3/edgepipe-multi-actor-problem.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** What the server gives actors. */
struct ActorBudgets
{
    double computeShare{1};   //!< R_c, of what `actors` actors take with all layers on the server
    double bandwidthShare{1}; //!< R_b, of what they upload then; both >= 0
    bool isElastic{true};     //!< whether they grow with the actors
    uint32_t actors{1};       //!< the actors that the budgets of a non-elastic server are for, >= 1
};

/**
 * @param actor on the idle device
 * @param share of the device that is left for us, 0 to 1
 * @return the actor there, by whole thousandths of the device, one at least
 */
MultiActor GetLoadedActor(MultiActor actor, double share);

/**
 * @param model with an idle server
 * @param share of the server that is left for us, 0 to 1
 * @return the model there, likewise
 */
MultiActorModel GetLoadedModel(MultiActorModel model, double share);

/**
 * @ingroup edgepipe
 *
 * Who cuts where, while actors come and go, and links and loads change.
 *
 * The planner is asked at every change (MultiActorPlanner::PlanJoin, PlanLeave, PlanChange), for
 * the actors there are, in the order in which they joined. Where a plan from outside does not come,
 * cuts stay as they are, who has none runs all layers itself, and so do those that joined last as
 * far as the budgets need it; the first plan has to come.
 */
class ActorPlan
{
  public:
    /**
     * @param planner decides
     * @param model what is the same for all actors
     * @param budgets what they share
     * @throws InputError if the model or budgets are malformed
     */
    ActorPlan(Ptr<MultiActorPlanner> planner,
              const MultiActorModel& model,
              const ActorBudgets& budgets);

    /**
     * An actor joins.
     *
     * @param id of the actor, not in the plan
     * @param actor what it can do when idle; its name is unique among those in the plan
     * @param share of it that is left for us, 0 to 1
     * @throws InputError if the planner finds no plan
     */
    void Join(uint32_t id, const MultiActor& actor, double share = 1);

    /**
     * An actor leaves.
     *
     * @param id of an actor in the plan
     * @throws InputError if the planner finds no plan
     */
    void Leave(uint32_t id);

    /**
     * Links or loads have changed.
     *
     * @param told of actors in the plan
     * @param serverShare of the server that is left for us, 0 to 1
     * @throws InputError if the planner finds no plan
     */
    void Change(const std::vector<ActorTold>& told, double serverShare);

    /** A plan did not come: leave cuts as they are, as far as the budgets let them. */
    void Keep();

    /**
     * Say what is left of the server for us; before anybody joins.
     *
     * @param share 0 to 1
     */
    void SetServerShare(double share);

    /**
     * Have planners told of the server beside the actors.
     *
     * @param describe what is known of it when a planner is asked
     */
    void SetServerState(std::function<DeviceState()> describe);

    /** @return what is left of the server for us, as planners are told, 0 to 1 */
    double GetServerShare() const;

    /** @return ids of the actors there are, in the order of joining */
    const std::vector<uint32_t>& GetOrder() const;

    /** @return who met others for the last plan, see MultiActorPlanner::GetRounds */
    std::vector<MultiActorRound> GetRounds() const;

    /** @return the problem of the actors there are, in the order of joining */
    const MultiActorProblem& GetProblem() const;

    /** @return by actor, layers that it is to run */
    const std::map<uint32_t, std::size_t>& GetCuts() const;

    /** @return what the actors there are may take of the server */
    MultiActorLimits GetLimits() const;

    /** @return whether the planner keeps the budgets */
    bool KeepsBudgets() const;

    /** @return messages that planning takes among actors and server: defp's */
    uint64_t GetMessages() const;

    /** @return what the present cuts are worth by eq. 6; all 0 without an actor */
    MultiActorCost Evaluate() const;

  private:
    /** @return the budgets of the actors there are */
    MultiActorBudgets GetBudgets() const;
    /**
     * Take over what the planner decides.
     * @param decide asks it, given the problem of the actors there are
     */
    void Ask(const std::function<MultiActorPlan(const MultiActorProblem& problem)>& decide);
    /** @return what a planner is told during a run */
    PlannerState<MultiActorPlan> MakeState() const;
    /** @param plan for the actors there are */
    void Take(const MultiActorPlan& plan);

    MultiActorModel m_model;                 //!< the same for all
    ActorBudgets m_budgets;                  //!< what they share
    Ptr<MultiActorPlanner> m_planner;        //!< decides
    std::vector<uint32_t> m_order;           //!< actors, in the order of joining
    std::map<uint32_t, MultiActor> m_actors; //!< by actor, idle
    std::map<uint32_t, double> m_shares;     //!< by actor, that is left for us
    double m_serverShare{1};                 //!< that is left for us
    /// Of the actors there are; none: to be built. Every join asks for it.
    mutable std::optional<MultiActorProblem> m_problem;
    std::map<uint32_t, std::size_t> m_cuts;        //!< by actor
    uint64_t m_messages{0};                        //!< so far
    std::function<DeviceState()> m_describeServer; //!< null: nothing is known of it
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ACTOR_PLAN_H */
