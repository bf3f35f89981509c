/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-flow-bearers.h"

#include "ns3/edgepipe-bearer.h"
#include "ns3/edgepipe-capacity-replay.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * Have capacities followed while messages are under way.
 *
 * @param transport moves the messages
 * @param replays the capacities
 */
void
FollowMessages(Ptr<FlowTransport> transport, const std::vector<Ptr<CapacityReplay>>& replays)
{
    const auto moving = std::make_shared<uint64_t>(0);
    transport->TraceConnectWithoutContext(
        "TransferStart",
        Callback<void, uint64_t, const Message&>([replays, moving](uint64_t, const Message&) {
            ++*moving;
            for (const auto& replay : replays)
            {
                replay->Start();
            }
        }));
    transport->TraceConnectWithoutContext(
        "TransferEnd",
        Callback<void, uint64_t, const Message&>([replays, moving](uint64_t, const Message&) {
            if (--*moving == 0)
            {
                for (const auto& replay : replays)
                {
                    replay->Stop();
                }
            }
        }));
}

} // namespace

FlowRouter
FlowBearers::Join()
{
    m_network.capacity = MakeBearerCapacity(m_options, m_names);
    // Rates are those of IP packets.
    m_transport->SetAttribute("HeaderSize", UintegerValue(TCP_IP_HEADERS));
    const auto up = Create<CapacityReplay>(m_flows, MakeBearerRates(m_options, TraceDirection::UP));
    const auto down =
        Create<CapacityReplay>(m_flows, MakeBearerRates(m_options, TraceDirection::DOWN));
    FollowMessages(m_transport, {up, down});
    std::vector<double> delays;
    for (uint32_t i = 0; i < m_names.size(); ++i)
    {
        if (IsWired(i))
        {
            AddCable(m_names[i], "core");
            delays.push_back(m_options.backhaulDelay.GetSeconds());
            continue;
        }
        const bool isCut = m_names[i] == m_options.cutDevice;
        const Time end = isCut ? m_options.cutTime : Time::Max();
        const uint32_t forth = up->AddLink(end);
        const uint32_t back = down->AddLink(end);
        m_flows->SetDuplex(forth, back, m_transport->GetAcknowledgementShare());
        AddCounter(m_names[i] + " -> core");
        AddCounter("core -> " + m_names[i]);
        delays.push_back(m_options.delay.GetSeconds() + m_options.jitter.GetSeconds() / 2);
        if (isCut)
        {
            m_cutLinks.insert(m_cutLinks.end(), {forth, back});
        }
    }
    return [links = m_network.links, delays](uint32_t from, uint32_t to) {
        const uint32_t forth = 2 * from;
        const uint32_t back = 2 * to + 1;
        return FlowRoute{{{forth, 1}, {back, 1}},
                         delays[from] + delays[to],
                         {links[forth].get(), links[back].get()},
                         {links[back - 1].get(), links[forth + 1].get()}};
    };
}

} // namespace edgepipe
} // namespace ns3
