/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_REPLANNER_H
#define EDGEPIPE_ACTOR_REPLANNER_H

#include "ns3/edgepipe-actor-message.h"
#include "ns3/edgepipe-actor-plan.h"
#include "ns3/edgepipe-actor-record.h"
#include "ns3/edgepipe-device-report.h"
#include "ns3/edgepipe-replanner.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * The server's decisions: has the planner asked when actors come and go, report other links or
 * loads, or the server's own load changes.
 *
 * One decision at a time, in the order in which the server knew; what actors report meanwhile is
 * decided on together. A decision costs the server's processor what Replanner says, and where
 * actors decide together (MultiActorPlanner::GetRounds) those rounds are held over the network, one
 * after the other (ActorMeeting), before anybody is told of a cut; while others wait for their
 * first plan, nobody is. Unless Meetings, they are only counted. The server knows its load by
 * timing its own work; it is due to decide on that as Replanner says.
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

    /** @param plan who cuts where, of nobody as yet */
    void SetUp(std::unique_ptr<ActorPlan> plan);

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
    void Join(uint32_t actor, uint32_t stay, const MultiActor& idle, double share);

    /** @param actor id of its node, that goes */
    void Leave(uint32_t actor);

    /**
     * An actor has reported.
     *
     * @param actor id of its node
     * @param report what it knows
     */
    void Report(uint32_t actor, const DeviceReport& report);

    /** The server has finished a task, and so timed its own work. */
    void NoticeWork();

    /** @param round number of a round that is over */
    void TakeMet(uint32_t round);

    /** Decide no more. */
    void Stop() override;

    /** @return whether an actor waits for its first plan, which will change the present one */
    bool IsAwaited() const;

    /** @return who cuts where */
    const ActorPlan& GetPlan() const;

    /** @return what it waits for, in words; empty if it waits for nothing */
    std::string DescribeWait() const;

  protected:
    void DoDispose() override;

  private:
    /** Something that is to be decided on. */
    struct Event
    {
        PlanChangeRecord change; //!< as far as it is known
        MultiActor idle;         //!< who comes
        uint32_t stay;           //!< its number
    };

    void NoticePeriod() override;
    /**
     * @param kind of an event
     * @param actor whom it is about
     * @return its record so far
     */
    static PlanChangeRecord MakeRecord(PlanChangeRecord::Kind kind, uint32_t actor);
    /**
     * The server's load may have changed.
     */
    void DecideIfDue();
    /** @param event to be decided on */
    void Push(Event event);
    /** Decide on what there is, unless a decision is under way. */
    void Advance();
    /** Decide on the first event. */
    void Decide();
    /** @return whether the first event is about anybody who plays, its reports put together */
    bool PutTogether();
    /** Have the planner asked. */
    void MakePlan();
    /** Have the next round held, or finish. */
    void Meet();
    /** The plan may be told. */
    void Finish();

    bool m_replan;                         //!< whether the server's load is decided on
    bool m_sendsMeetings;                  //!< whether rounds are held over the network
    std::unique_ptr<ActorPlan> m_plan;     //!< decides
    ChangedCallback m_changed;             //!< told of every plan
    std::deque<Event> m_events;            //!< not decided on yet
    Event m_event;                         //!< decided on now
    bool m_isDeciding{false};              //!< whether a decision is under way
    bool m_isStopped{false};               //!< whether none is to be made any more
    std::vector<uint32_t> m_order;         //!< actors of the decision
    std::vector<MultiActorRound> m_rounds; //!< to be held for it
    std::size_t m_held{0};                 //!< of them that have begun
    uint32_t m_round{0};                   //!< number of the latest round
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ACTOR_REPLANNER_H */
