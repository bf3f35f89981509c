/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-capacity-replay.h"

#include "ns3/simulator.h"

namespace ns3::edgepipe
{

CapacityReplay::CapacityReplay(Ptr<FlowNetwork> network, std::unique_ptr<StepSource> bitsPerSecond)
    : m_network(network),
      m_rate(std::move(bitsPerSecond))
{
}

CapacityReplay::~CapacityReplay()
{
    Stop();
}

uint32_t
CapacityReplay::AddLink(const Time& end)
{
    const uint32_t link = m_network->AddLink(m_rate.GetValue() / 8);
    m_links.emplace_back(link, end);
    return link;
}

void
CapacityReplay::Start()
{
    if (!m_isRunning)
    {
        m_isRunning = true;
        Apply();
    }
}

void
CapacityReplay::Stop()
{
    m_isRunning = false;
    m_next.Cancel();
}

void
CapacityReplay::Apply()
{
    const Time now = Simulator::Now();
    m_rate.Advance(now);
    for (const auto& [link, end] : m_links)
    {
        m_network->SetCapacity(link, now < end ? m_rate.GetValue() / 8 : 0);
    }
    if (m_rate.GetNextTime() < Time::Max())
    {
        // Not by a Ptr, which m_next would hold for ever.
        m_next = Simulator::Schedule(m_rate.GetNextTime() - now, &CapacityReplay::Apply, this);
    }
}

} // namespace ns3::edgepipe
