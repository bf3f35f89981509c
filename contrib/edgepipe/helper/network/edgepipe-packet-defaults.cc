/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-packet-defaults.h"

#include "ns3/ap-wifi-mac.h"
#include "ns3/arp-cache.h"
#include "ns3/boolean.h"
#include "ns3/channel.h"
#include "ns3/config.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/lte-enb-net-device.h"
#include "ns3/lte-ue-net-device.h"
#include "ns3/lte-ue-phy.h"
#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/ssid.h"
#include "ns3/sta-wifi-mac.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-net-device.h"

#include <map>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

namespace
{

/// When the first station of a channel chooses its access point, and how long after it each further
/// one. Stations that do so at the same instant collide again and again.
const Time FIRST_CHOICE = MilliSeconds(120);
const Time NEXT_CHOICE = MilliSeconds(5);

/// From a station's choice to its association.
const Time ASSOCIATION = MilliSeconds(30);

/// Time-out of a block-ack agreement. If the response comes later, as it does among busy stations
/// with ns-3's default of 1 ms, data has been sent without it, and ns-3's receiver then holds back
/// all later frames for one that it already has.
const Time ADDBA_TIMEOUT = MilliSeconds(200);

/// After a failed address resolution, such as before association, ns-3 drops everything for 100 s;
/// real hosts try again at the next packet.
const Time ARP_DEAD_TIMEOUT = Seconds(1);

/// Buffer of a bearer, bytes: two of PacketTransport's windows with their headers. With ns-3's
/// default, 10 kB, every burst of TCP loses packets.
constexpr uint32_t BEARER_BUFFER = 2200000;

/**
 * @param value of an attribute
 * @param info of the attribute
 * @return whether it is ns-3's own default
 */
bool
IsOriginal(const AttributeValue& value, const TypeId::AttributeInformation& info)
{
    return value.SerializeToString(info.checker) ==
           info.originalInitialValue->SerializeToString(info.checker);
}

/**
 * Set a default of ns-3, unless the user has, or this ns-3 does not know it.
 *
 * @param type name of the type
 * @param name of its attribute
 * @param value new default
 */
void
SetDefault(const std::string& type, const std::string& name, const AttributeValue& value)
{
    TypeId::AttributeInformation info;
    if (TypeId::LookupByName(type).LookupAttributeByName(name, &info) &&
        IsOriginal(*info.initialValue, info))
    {
        Config::SetDefault(type + "::" + name, value);
    }
}

/**
 * Set an attribute, unless the user has, or this ns-3 does not know it.
 *
 * @param object has the attribute; may be null
 * @param name of its attribute
 * @param value new value
 */
void
SetUnlessChosen(Ptr<Object> object, const std::string& name, const AttributeValue& value)
{
    TypeId::AttributeInformation info;
    if (!object || !object->GetInstanceTypeId().LookupAttributeByName(name, &info))
    {
        return;
    }
    const auto now = info.checker->Create();
    object->GetAttribute(name, *now);
    if (IsOriginal(*now, info))
    {
        object->SetAttribute(name, value);
    }
}

/** Who shares a Wi-Fi channel. */
struct Air
{
    std::vector<Ptr<StaWifiMac>> stations;        //!< in the order of their nodes
    std::map<std::string, uint32_t> accessPoints; //!< their number, by the name of their network
};

/**
 * @param mac of a Wi-Fi device
 * @param air of its channel
 */
void
SetWifi(Ptr<WifiMac> mac, Air& air)
{
    for (const std::string queue : {"BE_Txop", "BK_Txop", "VI_Txop", "VO_Txop"})
    {
        PointerValue access;
        mac->GetAttribute(queue, access);
        SetUnlessChosen(access.GetObject(), "AddBaResponseTimeout", TimeValue(ADDBA_TIMEOUT));
    }
    if (auto station = DynamicCast<StaWifiMac>(mac))
    {
        air.stations.push_back(station);
    }
    else if (DynamicCast<ApWifiMac>(mac))
    {
        ++air.accessPoints[mac->GetSsid().PeekString()];
    }
}

} // namespace

void
SetPacketDefaults()
{
    SetDefault("ns3::QosTxop", "AddBaResponseTimeout", TimeValue(ADDBA_TIMEOUT));
    SetDefault("ns3::LteRlcUm", "MaxTxBufferSize", UintegerValue(BEARER_BUFFER));
    // Newer ns-3 drops what has waited for 300 ms, less than a full buffer takes at the cell's
    // edge.
    SetDefault("ns3::LteRlcUm", "EnablePdcpDiscarding", BooleanValue(false));
    std::map<Ptr<Channel>, Air> airs;
    std::vector<Ptr<LteUePhy>> phones;
    uint32_t baseStations = 0;
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        for (uint32_t i = 0; i < (*node)->GetNDevices(); ++i)
        {
            const auto device = (*node)->GetDevice(i);
            if (auto wifi = DynamicCast<WifiNetDevice>(device); wifi && wifi->GetMac())
            {
                SetWifi(wifi->GetMac(), airs[wifi->GetChannel()]);
            }
            else if (auto phone = DynamicCast<LteUeNetDevice>(device))
            {
                phones.push_back(phone->GetPhy());
            }
            baseStations += DynamicCast<LteEnbNetDevice>(device) ? 1 : 0;
        }
        const auto ip = (*node)->GetObject<Ipv4L3Protocol>();
        for (uint32_t i = 0; ip && i < ip->GetNInterfaces(); ++i)
        {
            SetUnlessChosen(ip->GetInterface(i)->GetArpCache(),
                            "DeadTimeout",
                            TimeValue(ARP_DEAD_TIMEOUT));
        }
    }
    for (auto& [channel, air] : airs)
    {
        for (std::size_t i = 0; i < air.stations.size(); ++i)
        {
            const Time choice = FIRST_CHOICE + NEXT_CHOICE * static_cast<int64_t>(i);
            SetUnlessChosen(air.stations[i], "WaitBeaconTimeout", TimeValue(choice));
            if (air.accessPoints[air.stations[i]->GetSsid().PeekString()] == 1)
            {
                // Lost beacons are no reason to look for another access point; and ns-3.37 aborts
                // when a station gives up while it is associating.
                SetUnlessChosen(air.stations[i], "MaxMissedBeacons", UintegerValue(UINT32_MAX));
            }
        }
    }
    for (const auto& phone : phones)
    {
        if (baseStations == 1)
        {
            SetUnlessChosen(phone, "EnableRlfDetection", BooleanValue(false));
        }
    }
}

Time
GetAssociationEnd(uint32_t stations)
{
    return FIRST_CHOICE + NEXT_CHOICE * static_cast<int64_t>(stations) + ASSOCIATION;
}

} // namespace ns3::edgepipe
