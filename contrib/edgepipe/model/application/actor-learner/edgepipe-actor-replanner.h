/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_REPLANNER_H
#define EDGEPIPE_ACTOR_REPLANNER_H

#include "ns3/edgepipe-actor-message.h"
#include "ns3/edgepipe-actor-record.h"
#include "ns3/edgepipe-multi-actor-planner.h"
#include "ns3/edgepipe-multi-actor-problem.h"
#include "ns3/edgepipe-replanner.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3::edgepipe
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
 * @return the model with a server of that share
 */
MultiActorModel GetLoadedModel(MultiActorModel model, double share);

/**
 * @ingroup edgepipe
 *
 * The server's decisions: has the planner asked when actors come and go, report other links or
 * loads, or the server's own load changes.
 *
 * One decision at a time, in the order in which the server knew; what actors report meanwhile is
 * decided on together. A decision costs the server's processor what Replanner says, and where
 * actors decide together (MultiActorPlanner::GetRounds) those rounds are held over the network, one
 * after the other (ActorDevice), before anybody is told of a cut; while others wait for their
 * first plan, nobody is. Unless Meetings, they are only counted. The server knows its load by
 * timing its own work; it is due to decide on that as Replanner says.
 *
 * The planner is asked for the actors there are, in the order in which they joined (PlanJoin,
 * PlanLeave, PlanChange). Where a plan from outside does not come, cuts stay as they are, who has
 * none runs all layers itself, and so do those that joined last as far as the budgets need it; the
 * first plan has to come.
 */
class ActorReplanner : public Replanner
{
  public:
    /// Told of every plan, when actors can be told, with the number of the stay of who came.
    using ChangedCallback = std::function<void(const PlanChangeRecord& change, uint32_t stay)>;

    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    /**
     * @param planner decides
     * @param model what is the same for all actors
     * @param budgets what they share
     * @throws InputError if the model or budgets are malformed
     */
    void SetUp(Ptr<MultiActorPlanner> planner,
               const MultiActorModel& model,
               const ActorBudgets& budgets);

    /**
     * The server starts.
     *
     * @param socket moves its messages
     * @param compute its processor
     * @param changed told of every plan
     */
    void Start(const TensorSocket& socket, Ptr<ComputeDevice> compute, ChangedCallback changed);

    /**
     * An actor comes.
     *
     * @param actor id of its node
     * @param stay number of its stay
     * @param idle what it can do when idle, and its link
     * @param share of it that is left for us, 0 to 1
     */
    void Join(uint32_t actor, uint32_t stay, const MultiActor& idle, double share)
    {
        Push(PlanChangeRecord::JOIN, actor, {{actor, share, idle.bytesPerSecond}}, idle, stay);
    }

    /** @param actor id of its node, that goes */
    void Leave(uint32_t actor)
    {
        Push(PlanChangeRecord::LEAVE, actor);
    }

    /**
     * An actor has reported.
     *
     * @param actor id of its node
     * @param report what it knows
     */
    void Report(uint32_t actor, const DeviceReport& report)
    {
        Push(PlanChangeRecord::REPORT,
             actor,
             {{actor, report.share, report.uplinkBitsPerSecond / 8}});
    }

    /** The server has finished a task, and so timed its own work. */
    void DecideIfDue()
    {
        if (m_replan && TakeIfDue({m_compute->GetMeasuredShare()}))
        {
            Push(PlanChangeRecord::SERVER, m_socket.GetNode());
        }
    }

    /** @param round number of a round that is over */
    void TakeMet(uint32_t round);

    /** Decide no more. */
    void Stop() override
    {
        Replanner::Stop();
        m_isStopped = true;
        m_events.clear();
    }

    /** @return whether an actor waits for its first plan, which will change the present one */
    bool IsAwaited() const
    {
        return std::any_of(m_events.begin(), m_events.end(), [](const Event& event) {
            return event.change.kind == PlanChangeRecord::JOIN;
        });
    }

    /** @return the problem of the actors there are, in the order of joining */
    const MultiActorProblem& GetProblem() const;

    /** @return by actor, layers that it is to run */
    const std::map<uint32_t, std::size_t>& GetCuts() const
    {
        return m_cuts;
    }

    /** @return what the actors there are may take of the server */
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
    /** Something that is to be decided on. */
    struct Event
    {
        PlanChangeRecord change; //!< as far as it is known
        MultiActor idle;         //!< who comes
        uint32_t stay;           //!< its number
    };

    /**
     * Something is to be decided on.
     *
     * @param kind of the event
     * @param actor whom it is about
     * @param told what the actor tells
     * @param idle the actor, if it comes
     * @param stay number of its stay
     */
    void Push(PlanChangeRecord::Kind kind,
              uint32_t actor,
              std::vector<ActorTold> told = {},
              const MultiActor& idle = {},
              uint32_t stay = 0);
    /** Decide on what there is, unless a decision is under way. */
    void Advance();
    /** @return whether the first event is about anybody who plays, its reports put together */
    bool PutTogether();
    /** @return the budgets of the actors there are */
    MultiActorBudgets GetBudgets() const;

    /** @return an actor that is in, under its load @param id of the actor */
    MultiActor GetActor(uint32_t id) const
    {
        return GetLoadedActor(m_actors.at(id), m_shares.at(id));
    }

    /** Change the problem by the event, and have the planner asked. */
    void AskPlanner();

    /** @param plan for the actors there are */
    void Take(const MultiActorPlan& plan)
    {
        for (std::size_t i = 0; i < m_order.size(); ++i)
        {
            m_cuts[m_order[i]] = plan.cuts[i];
        }
    }

    /** Have a plan made, and recorded. */
    void MakePlan();
    /** Have the next round held, or have the plan told. */
    void Meet();

    bool m_replan;                           //!< whether the server's load is decided on
    bool m_sendsMeetings;                    //!< whether rounds are held over the network
    MultiActorModel m_model;                 //!< the same for all
    ActorBudgets m_budgets;                  //!< what they share
    Ptr<MultiActorPlanner> m_planner;        //!< decides
    std::vector<uint32_t> m_order;           //!< actors, in the order of joining
    std::map<uint32_t, MultiActor> m_actors; //!< by actor, idle
    std::map<uint32_t, double> m_shares;     //!< by actor, that is left for us
    double m_serverShare{1};                 //!< that is left for us
    /// Of the actors there are; none: to be built. Every join asks for it.
    mutable std::optional<MultiActorProblem> m_problem;
    std::map<uint32_t, std::size_t> m_cuts; //!< by actor
    ChangedCallback m_changed;              //!< told of every plan
    std::deque<Event> m_events;             //!< not decided on yet
    Event m_event;                          //!< decided on now
    bool m_isDeciding{false};               //!< whether a decision is under way
    bool m_isStopped{false};                //!< whether none is to be made any more
    std::vector<MultiActorRound> m_rounds;  //!< to be held for it
    std::size_t m_held{0};                  //!< of them that have begun
    uint32_t m_round{0};                    //!< number of the latest round
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ACTOR_REPLANNER_H */
