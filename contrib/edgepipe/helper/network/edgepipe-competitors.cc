/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-competitors.h"

#include "ns3/edgepipe-packet-transport.h"
#include "ns3/edgepipe-saturating-sender.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace edgepipe
{

void
StartUploads(const NodeContainer& stations,
             const std::vector<Ipv4Address>& addresses,
             Ptr<Node> sink,
             Ipv4Address sinkAddress,
             uint32_t segmentBytes,
             const Time& begin)
{
    auto transport = CreateObject<PacketTransport>();
    transport->SetAttribute("SegmentSize", UintegerValue(segmentBytes));
    transport->SetAttribute("FirstConnect", TimeValue(begin));
    const uint32_t count = stations.GetN();
    for (uint32_t i = 0; i < count; ++i)
    {
        transport->AddNode(stations.Get(i), addresses[i]);
    }
    transport->AddNode(sink, sinkAddress);
    transport->Listen(sink, 0, Callback<void, const Message&>([](const Message&) {}));
    for (uint32_t i = 0; i < count; ++i)
    {
        SendWithoutEnd(transport, stations.Get(i)->GetId(), sink->GetId());
    }
    Simulator::ScheduleDestroy([transport] { transport->Dispose(); });
}

} // namespace edgepipe
} // namespace ns3
