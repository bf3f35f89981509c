/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-csma-medium.h"

#include "ns3/csma-channel.h"
#include "ns3/csma-net-device.h"
#include "ns3/edgepipe-flow-route.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(CsmaMedium);

namespace
{

/// Bytes of an Ethernet frame that are not its packet: header 14, check sequence 4.
constexpr double ETHERNET_HEADER = 18;
/// Further bytes by the device's encapsulation LLC.
constexpr double LLC_HEADER = 8;
/// Sending time with what changes of turn leave idle; this and the following: see CsmaMedium.
constexpr double TURN_FACTOR = 1.05;
/// Of the propagation delay: what a sender sleeps on.
constexpr double OVERSLEPT_SHARE = 0.7;
/// The same at most, s.
constexpr double MOST_OVERSLEPT = 333e-6;

} // namespace

TypeId
CsmaMedium::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::CsmaMedium")
                            .SetParent<FlowMedium>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<CsmaMedium>();
    return tid;
}

Ptr<Object>
CsmaMedium::FindKey(const FlowHop& hop) const
{
    return DynamicCast<CsmaNetDevice>(hop.from) && hop.to->GetChannel() == hop.from->GetChannel()
               ? hop.from->GetChannel()
               : nullptr;
}

void
CsmaMedium::AddHop(const FlowMediumSettings& settings, const FlowHop& hop, FlowRoute& route)
{
    auto device = DynamicCast<CsmaNetDevice>(hop.from);
    auto channel = DynamicCast<CsmaChannel>(device->GetChannel());
    if (!m_link)
    {
        m_link = settings.network->AddLink(1);
    }
    const double headers =
        ETHERNET_HEADER + (device->GetEncapsulationMode() == CsmaNetDevice::LLC ? LLC_HEADER : 0);
    const double delay = channel->GetDelay().GetSeconds();
    const double rate = channel->GetDataRate().GetBitRate() / 8.0;
    const auto getSeconds = [=](double bytes) {
        return TURN_FACTOR * (bytes + headers) / rate + delay +
               std::min(OVERSLEPT_SHARE * delay, MOST_OVERSLEPT);
    };
    const double packet = getSeconds(settings.packetBytes);
    const double answer = settings.answerShare > 0 ? getSeconds(settings.acknowledgementBytes) /
                                                         settings.packetsPerAnswer
                                                   : 0;
    Cross(*m_link, {(packet + answer) / settings.packetBytes}, route);
    route.delaySeconds += delay;
}

} // namespace edgepipe
} // namespace ns3
