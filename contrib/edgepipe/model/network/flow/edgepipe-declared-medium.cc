/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-declared-medium.h"

#include "ns3/edgepipe-flow-route.h"

#include <algorithm>

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(DeclaredMedium);

TypeId
DeclaredMedium::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::edgepipe::DeclaredMedium").SetParent<FlowMedium>().SetGroupName("Edgepipe");
    return tid;
}

void
DeclaredMedium::Declare(const NetDeviceContainer& devices, const DeclaredCapacity& capacity)
{
    m_devices = devices;
    m_capacity = capacity;
}

Ptr<Object>
DeclaredMedium::FindKey(const FlowHop& hop) const
{
    const auto isOurs = [this](Ptr<NetDevice> device) {
        return std::find(m_devices.Begin(), m_devices.End(), device) != m_devices.End();
    };
    return isOurs(hop.from) && isOurs(hop.to) ? Ptr<Object>(const_cast<DeclaredMedium*>(this))
                                              : nullptr;
}

void
DeclaredMedium::AddHop(const FlowMediumSettings& settings, const FlowHop& hop, FlowRoute& route)
{
    const Ptr<NetDevice> sender = m_capacity.isShared ? m_devices.Get(0) : hop.from;
    const auto known = m_links.find(sender);
    const uint32_t link = known != m_links.end()
                              ? known->second
                              : m_links[sender] =
                                    settings.network->AddLink(m_capacity.rate.GetBitRate() / 8.0);
    // Acknowledgements share a shared medium with what they answer.
    Cross(link,
          m_capacity.isShared ? 1 + settings.answerShare : 1,
          m_capacity.delay.GetSeconds(),
          route);
}

} // namespace ns3::edgepipe
