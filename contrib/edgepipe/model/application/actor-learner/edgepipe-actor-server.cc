/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-actor-server.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

namespace ns3::edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeActorServer");

NS_OBJECT_ENSURE_REGISTERED(ActorServer);

TypeId
ActorServer::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("Learner",
             "The learner, which trains on the server's processor.",
             {&ActorServer::m_learner, TypeId::ATTR_GET})
        .Add("Replanner",
             "The replanner, which runs the planner.",
             {&ActorServer::m_replanner, TypeId::ATTR_GET})
        .Add("MostBatch",
             "Most requests computed together, of those waiting when the "
             "processor is free; 1: no batches.",
             {&ActorServer::m_mostBatch, 1, 1, ActorTag::RELEASE})
        .Add("ParameterPeriod",
             "Time between parameter updates to actors that run layers.",
             {&ActorServer::m_parameterPeriod, Seconds(1), MilliSeconds(1)})
        .Add("Served",
             "The layers of a request are computed.",
             {&ActorServer::m_servedTrace, "Served"})
        .Add("PlanChange",
             "A plan is complete, and actors can be told.",
             {&ActorServer::m_planTrace, "Plan"})
        .Add("BudgetUse",
             "The possible budget use of the actors changes.",
             {&ActorServer::m_budgetTrace, "Budget"});
}

void
ActorServer::SetUp(const MultiActorModel& model,
                   std::vector<std::vector<double>> batchSeconds,
                   const std::vector<uint64_t>& parameterBytes,
                   Ptr<MultiActorPlanner> planner,
                   const ActorBudgets& budgets,
                   Describe describe)
{
    const std::size_t layers = model.layerFlop.size();
    NS_ABORT_MSG_UNLESS(parameterBytes.size() == layers, "parameters of other layers");
    m_requests.SetUp(model, std::move(batchSeconds));
    m_parameterBytes.assign(1, 0);
    for (const uint64_t bytes : parameterBytes)
    {
        m_parameterBytes.push_back(m_parameterBytes.back() + bytes);
    }
    m_actionBytes = model.outputBytes.back();
    m_handover = std::make_unique<ActorHandover>(model, planner->KeepsBudgets());
    m_replanner->SetUp(planner, model, budgets);
    m_describe = std::move(describe);
}

void
ActorServer::DoDispose()
{
    m_distribution.Cancel();
    m_learner->Dispose();
    m_replanner->Dispose();
    m_requests.Stop();
    m_describe = nullptr;
    m_clients.clear();
    EdgeApplication::DoDispose();
}

void
ActorServer::StartApplication()
{
    NS_ABORT_MSG_UNLESS(m_handover, "SetUp was not called");
    EdgeApplication::StartApplication();
    m_learner->SetUp(m_compute, m_socket.GetJob());
    m_requests.Start(m_compute,
                     m_socket.GetJob(),
                     m_mostBatch,
                     [this](ServedRecord request, std::size_t cut) {
                         --m_clients.at(request.actor).requests;
                         request.served = Simulator::Now();
                         // The processor runs one task at a time: no update meanwhile.
                         request.version = m_learner->GetVersion();
                         m_servedTrace(request);
                         m_socket.Send(request.actor,
                                       ACTOR_PORT,
                                       ActorTag{ActorTag::ACTION, request.step}.Pack(),
                                       m_actionBytes);
                         if (cut == 0)
                         {
                             m_learner->TakeIn(1, request.version);
                         }
                         m_replanner->DecideIfDue();
                     });
    m_replanner->Start(m_socket,
                       m_compute,
                       [this](const PlanChangeRecord& change,
                              const std::vector<ActorReplanner::Newcomer>& joined) {
                           m_planTrace(change);
                           for (const auto& [actor, stay, idle] : joined)
                           {
                               const auto client = m_clients.find(actor);
                               // It may have left during the meetings.
                               if (client != m_clients.end() && client->second.stay == stay)
                               {
                                   m_handover->Add(actor);
                               }
                           }
                           m_handover->SetTargets(m_replanner->GetNewCuts(),
                                                  m_replanner->GetLimits());
                           // Do not send parameters while cuts are still being negotiated.
                           if (!m_replanner->IsAwaited())
                           {
                               SendOrders();
                           }
                       });
    m_distribution = Simulator::Schedule(m_parameterPeriod, &ActorServer::Distribute, this);
}

void
ActorServer::Receive(const Message& message)
{
    const ActorTag tag = ActorTag::Unpack(message.tag);
    const uint32_t actor = message.from;
    NS_LOG_LOGIC("server: " << tag.Describe() << " from actor " << actor);
    NS_ABORT_MSG_UNLESS(tag.kind == ActorTag::JOIN || tag.kind == ActorTag::MET ||
                            m_clients.count(actor),
                        "actor " << actor << " has not joined");
    switch (tag.kind)
    {
    case ActorTag::JOIN: {
        const auto report = ReadBody<DeviceReport>(message.body);
        m_clients[actor].stay = tag.number;
        MultiActor idle = m_describe(actor);
        if (report.uplinkBitsPerSecond > 0)
        {
            idle.bytesPerSecond = report.uplinkBitsPerSecond / 8;
        }
        m_replanner->Join({actor, tag.number, idle}, report.share);
        break;
    }
    case ActorTag::MET:
        m_replanner->TakeMet(tag.number); // also from an actor that has left
        break;
    case ActorTag::LEAVE:
        NS_ABORT_MSG_IF(m_clients.at(actor).requests > 0, "actor " << actor << " leaves early");
        m_clients.erase(actor);
        m_handover->Remove(actor);
        m_replanner->Leave(actor);
        break;
    case ActorTag::TAKEN:
        m_clients.at(actor).isAnswering = false;
        m_handover->TakeOver(actor);
        SendOrders();
        break;
    case ActorTag::REPORT:
        m_replanner->Report(actor, ReadBody<DeviceReport>(message.body));
        break;
    case ActorTag::TENSOR:
        ++m_clients.at(actor).requests;
        m_requests.Add({actor, tag.number, Simulator::Now(), Time(), 0}, tag.index);
        break;
    case ActorTag::TRAJECTORY:
        m_learner->TakeIn(tag.index, tag.number);
        break;
    default:
        NS_ABORT_MSG("a server of actors cannot use " << tag.Describe());
    }
}

void
ActorServer::SendOrders()
{
    for (const auto& order : m_handover->TakeOrders())
    {
        Client& client = m_clients.at(order.actor);
        client.isAnswering = true;
        const uint32_t told = order.cut ? *order.cut : ActorTag::RELEASE;
        m_socket.Send(order.actor,
                      ACTOR_PORT,
                      ActorTag{ActorTag::CUT, client.stay, told}.Pack(),
                      ACTOR_NOTICE_BYTES);
        if (order.cut)
        {
            client.layers = *order.cut;
            if (client.layers > client.held)
            {
                SendParameters(order.actor, client);
            }
        }
    }
    m_budgetTrace({Simulator::Now(),
                   m_handover->GetHeld(),
                   m_handover->GetLimits(),
                   m_replanner->GetLimits(),
                   m_handover->IsSettled()});
}

void
ActorServer::SendParameters(uint32_t actor, Client& client)
{
    // Parameters held in the newest version are not sent again; older ones are replaced.
    const bool isHeld = client.version == m_learner->GetVersion();
    const std::size_t held = isHeld ? client.held : 0;
    client.version = m_learner->GetVersion();
    client.held = client.layers;
    client.isReceiving = true;
    const uint32_t stay = client.stay;
    m_socket.Send(actor,
                  ACTOR_PORT,
                  ActorTag{ActorTag::PARAMETERS, client.version, stay}.Pack(),
                  ACTOR_NOTICE_BYTES + m_parameterBytes.at(client.layers) -
                      m_parameterBytes.at(held),
                  "",
                  Callback<void>([this, actor, stay] {
                      const auto found = m_clients.find(actor);
                      if (found != m_clients.end() && found->second.stay == stay)
                      {
                          found->second.isReceiving = false;
                      }
                  }));
}

void
ActorServer::Distribute()
{
    for (auto& [actor, client] : m_clients)
    {
        if (client.layers > 0 && !client.isReceiving && !client.isAnswering &&
            client.version < m_learner->GetVersion())
        {
            SendParameters(actor, client);
        }
    }
    m_distribution = Simulator::Schedule(m_parameterPeriod, &ActorServer::Distribute, this);
}

std::string
ActorServer::DescribeWait() const
{
    const std::string meeting = m_replanner->DescribeWait();
    if (!meeting.empty())
    {
        return meeting;
    }
    std::vector<std::string> actors;
    for (const auto& [actor, client] : m_clients)
    {
        if (client.isAnswering)
        {
            actors.push_back("actor " + std::to_string(actor) + " to take its cut");
        }
    }
    return actors.empty() ? "" : "waits for " + JoinWords(actors);
}

} // namespace ns3::edgepipe
