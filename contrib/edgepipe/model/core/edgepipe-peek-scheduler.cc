/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-peek-scheduler.h"

#include "ns3/event-impl.h"
#include "ns3/global-value.h"
#include "ns3/object-factory.h"
#include "ns3/simulator-impl.h"
#include "ns3/simulator.h"
#include "ns3/type-id.h"

#include <vector>

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(PeekScheduler);

namespace
{

PeekScheduler* g_scheduler{nullptr}; //!< of the present simulation

} // namespace

PeekScheduler::PeekScheduler()
{
    g_scheduler = this;
}

PeekScheduler::~PeekScheduler()
{
    g_scheduler = g_scheduler == this ? nullptr : g_scheduler;
}

void
PeekScheduler::Install()
{
    const auto type = Simulator::GetImplementation()->GetInstanceTypeId();
    TypeIdValue chosen;
    GlobalValue::GetValueByName("SchedulerType", chosen);
    if (!g_scheduler && type.GetName() == "ns3::DefaultSimulatorImpl" &&
        chosen.Get() == MapScheduler::GetTypeId())
    {
        Simulator::SetScheduler(ObjectFactory(GetTypeId().GetName()));
    }
}

Time
PeekScheduler::FindNext(const std::set<uint32_t>& but)
{
    if (!g_scheduler)
    {
        return Simulator::Now();
    }
    std::vector<Scheduler::Event> passed;
    Time next = Time::Max();
    while (!g_scheduler->IsEmpty() && next == Time::Max())
    {
        const auto event = g_scheduler->PeekNext();
        if (!event.impl->IsCancelled() && but.count(event.key.m_uid) == 0)
        {
            next = TimeStep(event.key.m_ts);
            break;
        }
        passed.push_back(g_scheduler->RemoveNext());
    }
    for (const auto& event : passed)
    {
        g_scheduler->Insert(event);
    }
    return next;
}

} // namespace ns3::edgepipe
