/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_REPLANNER_H
#define EDGEPIPE_ACTOR_REPLANNER_H

#include "ns3/edgepipe-actor-message.h"
#include "ns3/edgepipe-actor-record.h"
#include "ns3/edgepipe-multi-actor-cost.h"
#include "ns3/edgepipe-multi-actor-planner.h"
#include "ns3/edgepipe-multi-actor-problem.h"
#include "ns3/edgepipe-ranges.h"
#include "ns3/edgepipe-replanner.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/** The server's budgets for its actors. */
struct ActorBudgets
{
    double computeShare{1};   //!< R_c, of the FLOP of `actors` actors with all layers on the server
    double bandwidthShare{1}; //!< R_b, of what they upload then; both >= 0
    bool isElastic{true};     //!< whether budgets grow with the number of actors
    uint32_t actors{1};       //!< actors that non-elastic budgets are for, >= 1
};

/**
 * @param actor on the idle device
 * @param share available share of the device, 0 to 1
 * @return the actor at that share, rounded to thousandths, at least 0.001
 */
MultiActor GetLoadedActor(MultiActor actor, double share);

/**
 * @param model with an idle server
 * @param share available share of the server, 0 to 1
 * @return the model with the server at that share
 */
MultiActorModel GetLoadedModel(MultiActorModel model, double share);

/**
 * @ingroup edgepipe
 *
 * The server's decisions: runs the planner when actors join, leave or report changed links or
 * loads, and when the server's own load changes.
 *
 * Decisions are made one at a time, in the order in which the server learnt their causes; joins of
 * one instant, and reports that arrive meanwhile, are decided on together. Replanner defines what a
 * decision costs the server's processor. Where actors decide together
 * (MultiActorPlanner::GetRounds), the rounds are held over the network, one after the other
 * (ActorDevice), before any cut is sent; without Meetings, they are only counted. No cut is sent
 * while an actor waits for its first plan. The server measures its load by timing its own work;
 * Replanner defines when it decides on that.
 *
 * The planner gets the present actors in order of joining (PlanJoin, PlanLeave, PlanChange). If an
 * external plan does not arrive, cuts stay as they are, and an actor without a cut runs all layers
 * itself; so do the latest joiners, as far as the budgets require. The first plan must arrive.
 */
class ActorReplanner : public Typed<ActorReplanner, Replanner>
{
  public:
    /** An actor that joins. */
    struct Newcomer
    {
        uint32_t actor;  //!< id of its node
        uint32_t stay;   //!< number of its stay
        MultiActor idle; //!< its speed when idle, and its link
    };

    /// Called with every plan when actors can be told, and the actors that joined.
    using ChangedCallback =
        std::function<void(const PlanChangeRecord& change, const std::vector<Newcomer>& joined)>;

    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    /**
     * @param planner makes the plans
     * @param model common to all actors
     * @param budgets shared by them
     * @throws InputError if the model or budgets are malformed
     */
    void SetUp(Ptr<MultiActorPlanner> planner,
               const MultiActorModel& model,
               const ActorBudgets& budgets);

    /**
     * The server starts.
     *
     * @param socket sends its messages
     * @param compute its processor
     * @param changed called with every plan
     */
    void Start(const TensorSocket& socket, Ptr<ComputeDevice> compute, ChangedCallback changed);

    /**
     * An actor joins.
     *
     * @param newcomer the actor
     * @param share its available share, 0 to 1
     */
    void Join(const Newcomer& newcomer, double share)
    {
        Push(PlanChangeRecord::JOIN,
             newcomer.actor,
             {{newcomer.actor, share, newcomer.idle.bytesPerSecond}},
             {newcomer});
    }

    /** @param actor id of the node of the actor that leaves */
    void Leave(uint32_t actor)
    {
        Push(PlanChangeRecord::LEAVE, actor);
    }

    /**
     * An actor has reported.
     *
     * @param actor id of its node
     * @param report its report
     */
    void Report(uint32_t actor, const DeviceReport& report)
    {
        Push(PlanChangeRecord::REPORT,
             actor,
             {{actor, report.share, report.uplinkBitsPerSecond / 8}});
    }

    /** Decide on the server's measured load, if that is due. */
    void DecideIfDue()
    {
        if (m_replan && TakeIfDue({m_compute->GetMeasuredShare()}))
        {
            Push(PlanChangeRecord::SERVER, m_socket.GetNode());
        }
    }

    /** @param round number of a finished round */
    void TakeMet(uint32_t round);

    /** Make no further decisions. */
    void Stop() override
    {
        Replanner::Stop();
        m_isStopped = true;
        m_joins.Cancel();
        m_events.clear();
    }

    /** @return whether an actor waits for its first plan, which will change the present one */
    bool IsAwaited() const
    {
        return AnyOf(m_events, [](const Event& event) {
            return event.change.kind == PlanChangeRecord::JOIN;
        });
    }

    /** @return the problem of the present actors, in order of joining */
    const MultiActorProblem& GetProblem() const;

    /** @return number of layers to run on the actor, by actor */
    std::map<uint32_t, std::size_t> GetCuts() const
    {
        std::map<uint32_t, std::size_t> cuts;
        for (std::size_t i = 0; i < m_plan.cuts.size(); ++i)
        {
            cuts[m_order[i]] = m_plan.cuts[i];
        }
        return cuts;
    }

    /** @return actors that the last plan cuts elsewhere than before, and their layers */
    const std::vector<std::pair<uint32_t, std::size_t>>& GetNewCuts() const
    {
        return m_newCuts;
    }

    /** @return budgets of the present actors */
    MultiActorLimits GetLimits() const
    {
        return GetMultiActorLimits(GetBudgets());
    }

    /** @return what it waits for, in words; empty if it waits for nothing */
    std::string DescribeWait() const
    {
        return m_isDeciding && m_held > 0
                   ? "waits for actor " + std::to_string(m_order[m_rounds[m_held - 1].actor]) +
                         " to meet " + std::to_string(m_rounds[m_held - 1].actors - 1) + " others"
                   : "";
    }

  private:
    /** A cause of a decision. */
    struct Event
    {
        PlanChangeRecord change;         //!< as far as known
        std::vector<Newcomer> newcomers; //!< actors that join
    };

    /**
     * Queue an event, and decide on it when it is its turn.
     *
     * @param kind of the event
     * @param actor that it concerns
     * @param told reported state of the actor
     * @param newcomers the joining actor
     */
    void Push(PlanChangeRecord::Kind kind,
              uint32_t actor,
              std::vector<ActorTold> told = {},
              std::vector<Newcomer> newcomers = {});
    /** Decide on the next event, unless a decision is in progress or more actors may join now. */
    void Advance();
    /** @return whether the event needs a decision, after merging queued ones that belong to it */
    bool PutTogether();
    /** Merge queued joins of the same instant into the join to decide on. */
    void PutJoinsTogether();
    /** @return the budgets of the present actors */
    MultiActorBudgets GetBudgets() const;

    /** @return a present actor at its available share @param id of the actor */
    MultiActor GetActor(uint32_t id) const
    {
        return GetLoadedActor(m_actors.at(id), m_shares.at(id));
    }

    /** @return the planner's plan, after the event has been applied to the problem */
    MultiActorPlan AskPlanner();

    /** Make a plan, and record it. */
    void MakePlan();
    /** Hold the next round, or publish the plan after the last. */
    void BeginRound();

    bool m_replan;                    //!< whether changes of the server's load cause decisions
    bool m_sendsMeetings;             //!< whether rounds are held over the network
    MultiActorModel m_model;          //!< common to all actors
    ActorBudgets m_budgets;           //!< shared by them
    Ptr<MultiActorPlanner> m_planner; //!< makes the plans
    std::vector<uint32_t> m_order;    //!< actors, in order of joining
    std::map<uint32_t, MultiActor> m_actors; //!< idle, by actor
    std::map<uint32_t, double> m_shares;     //!< available, by actor
    double m_serverShare{1};                 //!< available share of the server
    /// Problem of the present actors, kept because every join needs it; none: to be built.
    mutable std::optional<MultiActorProblem> m_problem;
    MultiActorPlan m_plan;             //!< for the present actors
    MultiActorEvaluation m_evaluation; //!< of the plan
    /// Actors that the last plan cuts elsewhere than before, and their layers.
    std::vector<std::pair<uint32_t, std::size_t>> m_newCuts;
    ChangedCallback m_changed;             //!< called with every plan
    std::deque<Event> m_events;            //!< waiting for a decision
    EventId m_joins;                       //!< when all joins of this instant are known
    Event m_event;                         //!< being decided on
    bool m_isDeciding{false};              //!< whether a decision is in progress
    bool m_isStopped{false};               //!< whether no further decision is made
    std::vector<MultiActorRound> m_rounds; //!< to hold for this decision
    std::size_t m_held{0};                 //!< rounds begun
    uint32_t m_round{0};                   //!< number of the latest round
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ACTOR_REPLANNER_H */
