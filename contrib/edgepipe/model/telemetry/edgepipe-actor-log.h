/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_LOG_H
#define EDGEPIPE_ACTOR_LOG_H

#include "ns3/edgepipe-actor-device.h"
#include "ns3/edgepipe-actor-record.h"
#include "ns3/edgepipe-edge-server.h"
#include "ns3/edgepipe-learner.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Collects what became of actors' steps, of the plan, the budgets and the learner, from the trace
 * sources of the applications; the log must outlive the simulation.
 */
class ActorLog
{
  public:
    ActorLog() = default;
    // The trace sources hold this object's address.
    ActorLog(const ActorLog&) = delete;
    ActorLog& operator=(const ActorLog&) = delete;

    /** @param actor to record the steps of */
    void Observe(Ptr<ActorDevice> actor);

    /**
     * @param server to record
     * @param learner of the server
     */
    void Observe(Ptr<EdgeServer> server, Ptr<Learner> learner);

    /** @return steps that have ended, in that order */
    const std::vector<StepRecord>& GetSteps() const;

    /** @return joins and leaves */
    const std::vector<PlanChangeRecord>& GetChanges() const;

    /** @return use of the budgets, in the order of time */
    const std::vector<BudgetRecord>& GetBudgets() const;

    /** @return updates of the learner */
    const std::vector<UpdateRecord>& GetUpdates() const;

    /** @return steps begun */
    uint64_t GetBegun() const;

    /** @return requests that the server has answered */
    uint64_t GetServed() const;

  private:
    /** @param step that has ended */
    void End(StepRecord step);

    Ptr<Learner> m_learner; //!< whose version is the newest
    /// Answered requests, by actor and step, until the step ends.
    std::map<std::pair<uint32_t, uint32_t>, ServedRecord> m_served;
    std::vector<StepRecord> m_steps;         //!< ended
    std::vector<PlanChangeRecord> m_changes; //!< joins and leaves
    std::vector<BudgetRecord> m_budgets;     //!< in the order of time
    std::vector<UpdateRecord> m_updates;     //!< of the learner
    uint64_t m_begun{0};                     //!< steps
    uint64_t m_requests{0};                  //!< answered
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ACTOR_LOG_H */
