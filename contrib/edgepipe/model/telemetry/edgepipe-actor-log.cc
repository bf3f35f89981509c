/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-actor-log.h"

#include "ns3/abort.h"

namespace ns3
{
namespace edgepipe
{

void
ActorLog::Observe(Ptr<ActorDevice> actor)
{
    actor->TraceConnectWithoutContext("StepBegin",
                                      Callback<void, uint32_t>([this](uint32_t) { ++m_begun; }));
    actor->TraceConnectWithoutContext(
        "StepEnd",
        Callback<void, const StepRecord&>([this](const StepRecord& step) { End(step); }));
}

void
ActorLog::Observe(Ptr<EdgeServer> server, Ptr<Learner> learner)
{
    m_learner = learner;
    server->TraceConnectWithoutContext(
        "Served",
        Callback<void, const ServedRecord&>([this](const ServedRecord& request) {
            ++m_requests;
            const bool isNew =
                m_served.emplace(std::make_pair(request.actor, request.step), request).second;
            NS_ABORT_MSG_UNLESS(isNew, "a request was answered twice");
        }));
    server->TraceConnectWithoutContext(
        "PlanChange",
        Callback<void, const PlanChangeRecord&>(
            [this](const PlanChangeRecord& change) { m_changes.push_back(change); }));
    server->TraceConnectWithoutContext(
        "BudgetUse",
        Callback<void, const BudgetRecord&>(
            [this](const BudgetRecord& use) { m_budgets.push_back(use); }));
    learner->TraceConnectWithoutContext(
        "Update",
        Callback<void, const UpdateRecord&>(
            [this](const UpdateRecord& update) { m_updates.push_back(update); }));
}

void
ActorLog::End(StepRecord step)
{
    const auto found = m_served.find({step.actor, step.step});
    if (found != m_served.end())
    {
        step.served = found->second.served;
        step.serverVersion = found->second.version;
        m_served.erase(found);
    }
    step.newestVersion = m_learner->GetVersion();
    m_steps.push_back(step);
}

const std::vector<StepRecord>&
ActorLog::GetSteps() const
{
    return m_steps;
}

const std::vector<PlanChangeRecord>&
ActorLog::GetChanges() const
{
    return m_changes;
}

const std::vector<BudgetRecord>&
ActorLog::GetBudgets() const
{
    return m_budgets;
}

const std::vector<UpdateRecord>&
ActorLog::GetUpdates() const
{
    return m_updates;
}

uint64_t
ActorLog::GetBegun() const
{
    return m_begun;
}

uint64_t
ActorLog::GetServed() const
{
    return m_requests;
}

} // namespace edgepipe
} // namespace ns3
