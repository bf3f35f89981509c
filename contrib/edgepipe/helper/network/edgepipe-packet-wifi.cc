/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-packet-wifi.h"

#include "ns3/arp-cache.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/edgepipe-radio-link.h"
#include "ns3/edgepipe-wifi-data-loss.h"
#include "ns3/he-configuration.h"
#include "ns3/ht-configuration.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/pointer.h"
#include "ns3/ssid.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-helper.h"
#include "ns3/wifi-mac-helper.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"
#include "ns3/yans-wifi-helper.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// How long a block-ack agreement is waited for. If it is answered later, as among busy stations
/// within ns-3's default of 1 ms, data has gone out without it, and ns-3's receiver then holds back
/// all that follows for a frame it has had already.
const Time ADDBA_TIMEOUT = MilliSeconds(200);

} // namespace

std::vector<Ipv4Address>
PacketWifi::Join(const std::set<uint32_t>& active)
{
    m_network.capacity = MakeRadioCapacity(m_options, m_names, m_network.devices);
    const NodeContainer accessPoint(1);
    Place(active, accessPoint.Get(0));
    const NodeContainer nodes = GetStations();
    const auto names = GetStationNames();

    const auto& standard = m_options.wifiStandard;
    WifiHelper wifi;
    wifi.SetStandard(standard == "n"    ? WIFI_STANDARD_80211n
                     : standard == "ac" ? WIFI_STANDARD_80211ac
                                        : WIFI_STANDARD_80211ax);
    wifi.SetRemoteStationManager(m_options.wifiRateControl == "ideal"
                                     ? "ns3::IdealWifiManager"
                                     : "ns3::MinstrelHtWifiManager");
    YansWifiPhyHelper phy;
    const WifiBand& band = *FindWifiBand(standard, m_options.wifiBandGhz);
    YansWifiChannelHelper air;
    air.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    air.AddPropagationLoss("ns3::LogDistancePropagationLossModel",
                           "ReferenceLoss",
                           DoubleValue(band.lossAtOneMeterDb));
    phy.SetChannel(air.Create());
    const uint32_t width =
        m_options.wifiChannelMhz ? m_options.wifiChannelMhz : std::min(80U, band.widestMhz);
    phy.Set("ChannelSettings",
            StringValue("{0, " + std::to_string(width) + ", " + band.name + ", 0}"));
    WifiMacHelper mac;
    const SsidValue ssid(Ssid("edgepipe"));
    NetDeviceContainer stations;
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        // Stations that cannot hear each other and associate at the same instant collide again and
        // again, so each begins a little later than the one before. They know one
        // access point, so that lost beacons are no reason to look for another; and ns-3.37 aborts
        // when a station gives up while it is associating.
        mac.SetType("ns3::StaWifiMac",
                    "Ssid",
                    ssid,
                    "WaitBeaconTimeout",
                    TimeValue(MilliSeconds(120 + 5 * i)),
                    "MaxMissedBeacons",
                    UintegerValue(UINT32_MAX));
        stations.Add(wifi.Install(phy, mac, nodes.Get(i)));
        SetUpRadio(stations.Get(i), names[i]);
    }
    mac.SetType("ns3::ApWifiMac", "Ssid", ssid);
    const auto hub = wifi.Install(phy, mac, accessPoint);
    SetUpRadio(hub.Get(0), "access point");
    const NetDeviceContainer devices(stations, hub);
    m_stream += wifi.AssignStreams(devices, m_stream);

    InternetStackHelper stack;
    stack.Install(NodeContainer(m_network.devices, m_competitors, accessPoint));
    stack.AssignStreams(NodeContainer(nodes, accessPoint), m_stream);
    const auto interfaces = Ipv4AddressHelper("10.0.0.0", "255.255.0.0").Assign(devices);
    std::vector<Ipv4Address> addresses;
    for (uint32_t i = 0; i < interfaces.GetN(); ++i)
    {
        addresses.push_back(interfaces.GetAddress(i));
        // ns-3 drops everything for 100 s after an address was not resolved, such as before the
        // station was associated; hosts try again at the next packet.
        const auto [ip, interface] = interfaces.Get(i);
        auto cache = DynamicCast<Ipv4L3Protocol>(ip)->GetInterface(interface)->GetArpCache();
        cache->SetDeadTimeout(Seconds(1));
    }
    const Ipv4Address gateway = addresses.back();
    addresses.pop_back();
    return Finish(addresses, accessPoint.Get(0), "access point", gateway);
}

void
PacketWifi::SetUpRadio(Ptr<NetDevice> netDevice, const std::string& name)
{
    auto radio = DynamicCast<WifiNetDevice>(netDevice);
    radio->SetMtu(m_options.mtuBytes);
    if (const uint32_t guard = m_options.wifiGuardIntervalNs)
    {
        if (m_options.wifiStandard == "ax")
        {
            radio->GetHeConfiguration()->SetAttribute("GuardInterval",
                                                      TimeValue(NanoSeconds(guard)));
        }
        else
        {
            radio->GetHtConfiguration()->SetAttribute("ShortGuardIntervalSupported",
                                                      BooleanValue(guard == 400));
        }
    }
    PointerValue queue;
    radio->GetMac()->GetAttribute("BE_Txop", queue);
    queue.GetObject()->SetAttribute("AddBaResponseTimeout", TimeValue(ADDBA_TIMEOUT));
    if (auto loss = MakeLoss({}))
    {
        radio->GetPhy()->SetPostReceptionErrorModel(CreateObject<WifiDataLoss>(loss));
    }
    Count(radio->GetPhy(), "PhyTxEnd", name + " -> air");
}

} // namespace edgepipe
} // namespace ns3
