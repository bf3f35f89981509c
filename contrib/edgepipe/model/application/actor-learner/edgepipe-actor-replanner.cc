/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-actor-replanner.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ns3
{
namespace edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeActorReplanner");

NS_OBJECT_ENSURE_REGISTERED(ActorReplanner);

TypeId
ActorReplanner::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::edgepipe::ActorReplanner")
            .SetParent<Replanner>()
            .SetGroupName("Edgepipe")
            .AddConstructor<ActorReplanner>()
            .AddAttribute("Replan",
                          "Whether to decide anew when the server's load changes; links and loads "
                          "of actors are decided on when these report.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&ActorReplanner::m_replan),
                          MakeBooleanChecker())
            .AddAttribute("Meetings",
                          "Whether actors that decide together meet over the network; otherwise "
                          "their messages are counted and cost nothing.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&ActorReplanner::m_sendsMeetings),
                          MakeBooleanChecker());
    return tid;
}

void
ActorReplanner::DoDispose()
{
    m_changed = nullptr;
    Replanner::DoDispose();
}

void
ActorReplanner::SetUp(std::unique_ptr<ActorPlan> plan)
{
    m_plan = std::move(plan);
}

void
ActorReplanner::Start(const TensorSocket& socket,
                      Ptr<ComputeDevice> compute,
                      ChangedCallback changed)
{
    Use(socket, compute);
    m_changed = std::move(changed);
    m_plan->SetServerShare(GetCompute()->GetMeasuredShare());
    m_plan->SetServerState([this]() -> DeviceState {
        return {"server", {}, {}, GetCompute()->GetAvailableShare(), GetCompute()->GetBacklog()};
    });
    if (m_replan)
    {
        SetFigures({m_plan->GetServerShare()});
        Watch();
    }
}

void
ActorReplanner::Stop()
{
    Replanner::Stop();
    m_isStopped = true;
    m_events.clear();
}

bool
ActorReplanner::IsAwaited() const
{
    return std::any_of(m_events.begin(), m_events.end(), [](const Event& event) {
        return event.change.kind == PlanChangeRecord::JOIN;
    });
}

const ActorPlan&
ActorReplanner::GetPlan() const
{
    return *m_plan;
}

PlanChangeRecord
ActorReplanner::MakeRecord(PlanChangeRecord::Kind kind, uint32_t actor)
{
    PlanChangeRecord change;
    change.time = Simulator::Now();
    change.kind = kind;
    change.actor = actor;
    return change;
}

void
ActorReplanner::Join(uint32_t actor, uint32_t stay, const MultiActor& idle, double share)
{
    PlanChangeRecord change = MakeRecord(PlanChangeRecord::JOIN, actor);
    change.told = {{actor, share, idle.bytesPerSecond}};
    Push({change, idle, stay});
}

void
ActorReplanner::Leave(uint32_t actor)
{
    Push({MakeRecord(PlanChangeRecord::LEAVE, actor), {}, 0});
}

void
ActorReplanner::Report(uint32_t actor, const DeviceReport& report)
{
    PlanChangeRecord change = MakeRecord(PlanChangeRecord::REPORT, actor);
    change.told = {{actor, report.share, report.uplinkBitsPerSecond / 8}};
    Push({change, {}, 0});
}

void
ActorReplanner::NoticeWork()
{
    DecideIfDue();
}

void
ActorReplanner::NoticePeriod()
{
    DecideIfDue();
}

void
ActorReplanner::DecideIfDue()
{
    if (m_replan && TakeIfDue({GetCompute()->GetMeasuredShare()}))
    {
        Push({MakeRecord(PlanChangeRecord::SERVER, GetSocket().GetNode()), {}, 0});
    }
}

void
ActorReplanner::Push(Event event)
{
    if (!m_isStopped)
    {
        m_events.push_back(std::move(event));
        Advance();
    }
}

void
ActorReplanner::Advance()
{
    while (!m_isDeciding && !m_events.empty())
    {
        m_event = std::move(m_events.front());
        m_events.pop_front();
        if (PutTogether())
        {
            Decide();
        }
    }
}

bool
ActorReplanner::PutTogether()
{
    PlanChangeRecord& change = m_event.change;
    const auto& playing = m_plan->GetCuts();
    if (change.kind == PlanChangeRecord::SERVER)
    {
        return !playing.empty();
    }
    if (change.kind != PlanChangeRecord::REPORT)
    {
        return true;
    }
    if (playing.count(change.actor) == 0)
    {
        return false; // it has left
    }
    std::map<uint32_t, ActorTold> latest{{change.actor, change.told.front()}};
    const auto isReport = [&](const Event& event) {
        const bool isOne =
            event.change.kind == PlanChangeRecord::REPORT && playing.count(event.change.actor);
        if (isOne)
        {
            latest[event.change.actor] = event.change.told.front();
        }
        return isOne;
    };
    m_events.erase(std::remove_if(m_events.begin(), m_events.end(), isReport), m_events.end());
    change.told.clear();
    for (const auto& [actor, told] : latest)
    {
        change.told.push_back(told);
    }
    return true;
}

void
ActorReplanner::Decide()
{
    m_isDeciding = true;
    const double before = GetDecisionSeconds();
    MakePlan();
    Pay(GetDecisionSeconds() - before,
        ActorTag{ActorTag::PLANNING}.Pack(),
        [self = Ptr<ActorReplanner>(this)] {
            self->Meet();
            self->Advance();
        });
}

void
ActorReplanner::MakePlan()
{
    PlanChangeRecord& change = m_event.change;
    const auto before = m_plan->GetCuts();
    const uint64_t messages = m_plan->GetMessages();
    const auto ask = [&] {
        switch (change.kind)
        {
        case PlanChangeRecord::JOIN:
            m_plan->Join(change.actor, m_event.idle, change.told.front().share);
            break;
        case PlanChangeRecord::LEAVE:
            m_plan->Leave(change.actor);
            break;
        case PlanChangeRecord::REPORT:
            m_plan->Change(change.told, m_plan->GetServerShare());
            break;
        case PlanChangeRecord::SERVER:
            m_plan->Change({}, GetCompute()->GetMeasuredShare());
            break;
        }
    };
    if (!Ask(ask))
    {
        m_plan->Keep();
    }
    const auto& cuts = m_plan->GetCuts();
    change.serverShare = m_plan->GetServerShare();
    change.actors = cuts.size();
    for (const auto& [actor, cut] : cuts)
    {
        const auto found = before.find(actor);
        change.moved += found != before.end() && found->second != cut;
    }
    change.messages = m_plan->GetMessages() - messages;
    change.isMet = m_sendsMeetings;
    const MultiActorCost cost = m_plan->Evaluate();
    change.totalReductionSeconds = cost.totalReductionSeconds;
    change.cutVariance = cost.cutVariance;
    change.reductionVariance = cost.reductionVariance;
    change.used = {cost.computeUsedFlop, static_cast<uint64_t>(cost.bandwidthUsedBytes)};
    change.limits = m_plan->GetLimits();
    m_order = m_plan->GetOrder();
    m_rounds = m_sendsMeetings ? m_plan->GetRounds() : std::vector<MultiActorRound>();
    m_held = 0;
}

void
ActorReplanner::Meet()
{
    if (m_isStopped)
    {
        return;
    }
    if (m_held == m_rounds.size())
    {
        Finish();
        return;
    }
    const MultiActorRound round = m_rounds[m_held++];
    ActorRoster roster{{m_order.begin(), m_order.begin() + round.actors}};
    roster.others.erase(roster.others.begin() + round.actor);
    const std::string body = WriteBody(roster);
    NS_LOG_LOGIC("actor " << m_order[round.actor] << " meets " << roster.others.size());
    GetSocket().Send(m_order[round.actor],
                     ACTOR_PORT,
                     ActorTag{ActorTag::ROUND, ++m_round}.Pack(),
                     ACTOR_NOTICE_BYTES + body.size(),
                     body);
}

void
ActorReplanner::TakeMet(uint32_t round)
{
    if (round == m_round)
    {
        Meet();
        Advance();
    }
}

void
ActorReplanner::Finish()
{
    m_isDeciding = false;
    m_event.change.inForce = Simulator::Now();
    m_changed(m_event.change, m_event.stay);
}

std::string
ActorReplanner::DescribeWait() const
{
    return m_isDeciding && m_held > 0
               ? "waits for actor " + std::to_string(m_order[m_rounds[m_held - 1].actor]) +
                     " to meet " + std::to_string(m_rounds[m_held - 1].actors - 1) + " others"
               : "";
}

} // namespace edgepipe
} // namespace ns3
