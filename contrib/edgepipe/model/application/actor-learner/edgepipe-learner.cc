/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-learner.h"

#include "ns3/edgepipe-actor-message.h"
#include "ns3/edgepipe-attributes.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(Learner);

TypeId
Learner::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("BatchSteps",
             "Steps per update; 0: the learner never updates.",
             {&Learner::m_batchSteps, 640})
        .Add("UpdateSeconds",
             "Time of an update on the idle processor, s.",
             {&Learner::m_updateSeconds, 0, 0})
        .Add("Update", "An update is done.", {&Learner::m_updateTrace, "Update"});
}

void
Learner::TakeIn(uint32_t steps, uint32_t version)
{
    m_steps += steps;
    if (m_batchSteps == 0)
    {
        return;
    }
    m_waiting += steps;
    if (!m_intakes.empty() && m_intakes.back().version == version)
    {
        m_intakes.back().steps += steps;
    }
    else
    {
        m_intakes.push_back({steps, version});
    }
    BeginUpdate();
}

void
Learner::BeginUpdate()
{
    if (m_isUpdating || m_isStopped || m_waiting < m_batchSteps)
    {
        return;
    }
    m_isUpdating = true;
    m_waiting -= m_batchSteps;
    UpdateRecord update{Time(), m_version + 1, m_batchSteps, 0, 0, 0};
    uint32_t left = m_batchSteps;
    while (left > 0)
    {
        Intake& oldest = m_intakes.front();
        const uint32_t taken = std::min(left, oldest.steps);
        const uint32_t lag = m_version - oldest.version;
        update.meanLag += static_cast<double>(lag) * taken / m_batchSteps;
        update.mostLag = std::max(update.mostLag, lag);
        left -= taken;
        oldest.steps -= taken;
        if (oldest.steps == 0)
        {
            m_intakes.pop_front();
        }
    }
    m_compute->Run(ActorTag{ActorTag::TRAINING, update.version}.Pack(),
                   m_updateSeconds,
                   Callback<void>([this, update]() mutable {
                       m_isUpdating = false;
                       m_version = update.version;
                       update.time = Simulator::Now();
                       update.stepsLeft = m_waiting;
                       m_updateTrace(update);
                       BeginUpdate();
                   }),
                   m_job);
}

} // namespace ns3::edgepipe
