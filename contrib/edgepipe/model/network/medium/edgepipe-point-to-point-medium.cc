/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-point-to-point-medium.h"

#include "ns3/data-rate.h"
#include "ns3/edgepipe-flow-route.h"
#include "ns3/nstime.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(PointToPointMedium);

namespace
{

/// Bytes that ns-3's point-to-point device adds to an IP packet.
constexpr double PPP_HEADER = 2;

/**
 * @param device a point-to-point device
 * @param packetBytes a full IP packet
 * @return bytes/s of full IP packets
 */
double
GetWireRate(Ptr<NetDevice> device, double packetBytes)
{
    DataRateValue rate;
    device->GetAttribute("DataRate", rate);
    return rate.Get().GetBitRate() / 8.0 * packetBytes / (packetBytes + PPP_HEADER);
}

} // namespace

TypeId
PointToPointMedium::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::PointToPointMedium")
                            .SetParent<FlowMedium>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<PointToPointMedium>();
    return tid;
}

Ptr<Object>
PointToPointMedium::FindKey(const FlowHop& hop) const
{
    return DynamicCast<PointToPointNetDevice>(hop.from) ? hop.from->GetChannel() : nullptr;
}

void
PointToPointMedium::AddHop(const FlowMediumSettings& settings, const FlowHop& hop, FlowRoute& route)
{
    Ptr<Channel> channel = hop.from->GetChannel();
    if (m_links.empty())
    {
        for (std::size_t end = 0; end < channel->GetNDevices(); ++end)
        {
            Ptr<NetDevice> device = channel->GetDevice(end);
            m_links.emplace_back(
                device,
                settings.network->AddLink(GetWireRate(device, settings.packetBytes)));
        }
        settings.network->SetDuplex(m_links.front().second,
                                    m_links.back().second,
                                    settings.answerShare);
    }
    TimeValue delay;
    channel->GetAttribute("Delay", delay);
    Cross((m_links.front().first == hop.from ? m_links.front() : m_links.back()).second, {}, route);
    route.delaySeconds += delay.Get().GetSeconds();
}

void
PointToPointMedium::Update(const FlowMediumSettings& settings)
{
    for (const auto& [device, link] : m_links)
    {
        settings.network->SetCapacity(link, GetWireRate(device, settings.packetBytes));
    }
}

} // namespace edgepipe
} // namespace ns3
