/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/data-rate.h"
#include "ns3/edgepipe-flow-medium.h"
#include "ns3/edgepipe-flow-route.h"
#include "ns3/nstime.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"

#include <utility>
#include <vector>

namespace ns3::edgepipe
{

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

/**
 * @ingroup edgepipe
 *
 * A PointToPointChannel: a wire each way at the sending device's data rate, less 2 bytes of PPP
 * header per packet. FlowPacer models the queues before the wires.
 */
class PointToPointMedium : public Typed<PointToPointMedium, FlowMedium>
{
  public:
    Ptr<Object> FindKey(const FlowHop& hop) const override
    {
        return DynamicCast<PointToPointNetDevice>(hop.from) ? hop.from->GetChannel() : nullptr;
    }

    void AddHop(const FlowMediumSettings& settings, const FlowHop& hop, FlowRoute& route) override
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
                                        settings.acknowledgementShare);
        }
        TimeValue delay;
        channel->GetAttribute("Delay", delay);
        const auto& link = m_links.front().first == hop.from ? m_links.front() : m_links.back();
        if (route.uses.empty())
        {
            route.hostLink = link.second;
        }
        Cross(link.second, 1, delay.Get().GetSeconds(), route);
    }

    void Update(const FlowMediumSettings& settings) override
    {
        for (const auto& [device, link] : m_links)
        {
            settings.network->SetCapacity(link, GetWireRate(device, settings.packetBytes));
        }
    }

  private:
    std::vector<std::pair<Ptr<NetDevice>, uint32_t>> m_links; //!< senders and their links
};

NS_OBJECT_ENSURE_REGISTERED(PointToPointMedium);

} // namespace ns3::edgepipe
