/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-flow-wires.h"

#include "ns3/simulator.h"

namespace ns3
{
namespace edgepipe
{

FlowRouter
FlowLan::Join()
{
    m_network.capacity = [options = m_options](uint32_t, uint32_t) {
        return GetWireGoodput(options, Simulator::Now());
    };
    m_wireShare = GetEthernetShare(m_options.mtuBytes);
    for (const auto& name : m_names)
    {
        AddWire(name, "switch", {name});
    }
    const double delay = 2 * m_options.delay.GetSeconds();
    return [links = m_network.links, delay](uint32_t from, uint32_t to) {
        const uint32_t up = 2 * from;
        const uint32_t down = 2 * to + 1;
        return FlowRoute{{{up, 1}, {down, 1}},
                         delay,
                         {links[up].get(), links[down].get()},
                         {links[down - 1].get(), links[up + 1].get()}};
    };
}

FlowRouter
FlowChain::Join()
{
    m_network.capacity = [options = m_options](uint32_t, uint32_t) {
        return GetWireGoodput(options, Simulator::Now());
    };
    for (std::size_t i = 0; i + 1 < m_names.size(); ++i)
    {
        AddWire(m_names[i], m_names[i + 1], {m_names[i], m_names[i + 1]});
    }
    const double delay = m_options.delay.GetSeconds();
    return [links = m_network.links, delay](uint32_t from, uint32_t to) {
        FlowRoute route;
        const bool isForward = from < to;
        for (uint32_t at = from; at != to; isForward ? ++at : --at)
        {
            const uint32_t link = isForward ? 2 * at : 2 * (at - 1) + 1;
            const uint32_t reverse = isForward ? link + 1 : link - 1;
            route.uses.push_back({link, 1});
            route.delaySeconds += delay;
            route.senders.push_back(links[link].get());
            route.answerers.push_back(links[reverse].get());
        }
        return route;
    };
}

} // namespace edgepipe
} // namespace ns3
