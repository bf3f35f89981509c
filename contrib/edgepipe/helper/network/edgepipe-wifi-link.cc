/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-mobility.h"
#include "edgepipe-packet-defaults.h"
#include "edgepipe-packet-network-builder.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/edgepipe-table.h"
#include "ns3/edgepipe-traces-folder.h"
#include "ns3/edgepipe-wifi-capacity-table.h"
#include "ns3/edgepipe-wifi-capacity.h"
#include "ns3/edgepipe-wifi-data-loss.h"
#include "ns3/he-configuration.h"
#include "ns3/ht-configuration.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/neighbor-cache-helper.h"
#include "ns3/ssid.h"
#include "ns3/string.h"
#include "ns3/wifi-helper.h"
#include "ns3/wifi-mac-helper.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"
#include "ns3/yans-wifi-helper.h"

#include <algorithm>

namespace ns3::edgepipe
{

namespace
{

/** A Wi-Fi band as a standard uses it. */
struct WifiBand
{
    std::string name;        //!< as ns-3 calls it
    uint32_t widestMhz;      //!< widest channel
    double lossAtOneMeterDb; //!< free-space path loss at 1 m (Friis), at 2.4, 5.15 or 5.95 GHz
};

/// By standard and band, GHz; a missing pair does not exist.
const std::map<std::string, std::map<double, WifiBand>> WIFI_BANDS{
    {"n", {{2.4, {"BAND_2_4GHZ", 40, 40.05}}, {5, {"BAND_5GHZ", 40, 46.6777}}}},
    {"ac", {{5, {"BAND_5GHZ", 160, 46.6777}}}},
    {"ax",
     {{2.4, {"BAND_2_4GHZ", 40, 40.05}},
      {5, {"BAND_5GHZ", 160, 46.6777}},
      {6, {"BAND_6GHZ", 160, 47.93}}}},
};

/// Association identifiers of an access point are 1 to this.
constexpr std::size_t MOST_WIFI_STATIONS = 2007;

/**
 * @param standard n, ac or ax
 * @param ghz 2.4, 5 or 6
 * @return the band; null if the standard does not have it or does not exist
 */
const WifiBand*
FindWifiBand(const std::string& standard, double ghz)
{
    const auto bands = WIFI_BANDS.find(standard);
    if (bands == WIFI_BANDS.end())
    {
        return nullptr;
    }
    const auto band = bands->second.find(ghz);
    return band == bands->second.end() ? nullptr : &band->second;
}

/**
 * Set a Wi-Fi device's MTU, guard interval, loss and counter.
 *
 * @param options of the network
 * @param netDevice the Wi-Fi device
 * @param name its name
 * @param builder of the network
 */
void
SetUpRadio(const NetworkOptions& options,
           Ptr<NetDevice> netDevice,
           const std::string& name,
           PacketNetworkBuilder& builder)
{
    auto radio = DynamicCast<WifiNetDevice>(netDevice);
    radio->SetMtu(options.mtuBytes);
    if (const uint32_t guard = options.wifiGuardIntervalNs)
    {
        if (options.wifiStandard == "ax")
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
    if (auto loss = builder.MakeLoss())
    {
        radio->GetPhy()->SetPostReceptionErrorModel(CreateObject<WifiDataLoss>(loss));
    }
    builder.Count(radio->GetPhy(), "PhyTxEnd", name + " -> air");
}

} // namespace

WifiCell
MakeWifiCell(const NetworkOptions& options)
{
    NetworkOptions uncut = options;
    uncut.cutDevice.clear();
    CheckNetworkOptions(uncut, {});
    const WifiBand* band = FindWifiBand(options.wifiStandard, options.wifiBandGhz);
    WifiCell cell;
    cell.standard = options.wifiStandard;
    cell.bandGhz = options.wifiBandGhz;
    cell.channelMhz =
        options.wifiChannelMhz ? options.wifiChannelMhz : std::min(80U, band->widestMhz);
    cell.guardIntervalNs = options.wifiGuardIntervalNs ? options.wifiGuardIntervalNs
                           : cell.standard == "ax"     ? 3200
                                                       : 800;
    cell.rateControl = options.wifiRateControl;
    cell.lossAtOneMeterDb = band->lossAtOneMeterDb;
    cell.mtuBytes = options.mtuBytes;
    return cell;
}

/**
 * @ingroup edgepipe
 *
 * An 802.11 infrastructure network, log-distance path loss, the stations in a circle around the
 * access point, through which all traffic goes; losses by WifiDataLoss.
 */
class WifiLink : public Named<WifiLink, RadioLink>
{
  public:
    static constexpr const char* NAME = "wifi"; //!< to select it by

    WifiLink()
        : Named({"wifi-standard",
                 "wifi-band",
                 "wifi-width",
                 "wifi-guard-interval",
                 "wifi-rate-control"},
                2296,
                MOST_WIFI_STATIONS,
                "access point",
                "access point")
    {
    }

    void Check(const NetworkOptions& o, const std::vector<std::string>& names) const override
    {
        RadioLink::Check(o, names);
        Require(WIFI_BANDS.count(o.wifiStandard),
                "wifi-standard",
                "\"" + o.wifiStandard + "\"",
                "n, ac or ax");
        const WifiBand* band = FindWifiBand(o.wifiStandard, o.wifiBandGhz);
        Require(band,
                "wifi-band",
                Table::Exact(o.wifiBandGhz),
                "a band of the standard: n 2.4 or 5, ac 5, ax 2.4, 5 or 6 GHz");
        const std::set<uint32_t> widths{0, 20, 40, 80, 160};
        Require(widths.count(o.wifiChannelMhz) && o.wifiChannelMhz <= band->widestMhz,
                "wifi-width",
                std::to_string(o.wifiChannelMhz),
                "0, or 20 to " + std::to_string(band->widestMhz) + " MHz, a doubling of 20");
        const bool isAx = o.wifiStandard == "ax";
        const std::set<uint32_t> guards =
            isAx ? std::set<uint32_t>{0, 800, 1600, 3200} : std::set<uint32_t>{0, 400, 800};
        Require(guards.count(o.wifiGuardIntervalNs),
                "wifi-guard-interval",
                std::to_string(o.wifiGuardIntervalNs),
                isAx ? "0, 800, 1600 or 3200 ns" : "0, 400 or 800 ns");
        Require(o.lossRate <= 0 || o.fidelity == "packet",
                "loss",
                Table::Exact(o.lossRate),
                "0 on wifi, or --fidelity=packet: its lost frames are sent again at once");
        Require(o.wifiRateControl == "ideal" || o.wifiRateControl == "minstrel",
                "wifi-rate-control",
                "\"" + o.wifiRateControl + "\"",
                "ideal or minstrel");
    }

    std::shared_ptr<RadioCell> MakeCell(const NetworkOptions& options) const override
    {
        const std::string file = options.wifiCapacityFile.empty()
                                     ? GetTracesFolder() + "/links/wifi-capacity.csv"
                                     : options.wifiCapacityFile;
        return std::make_shared<WifiCapacity>(MakeWifiCell(options), file);
    }

    PacketHub Install(const NetworkOptions& options,
                      const NodeContainer& stations,
                      const std::vector<std::string>& names,
                      PacketNetworkBuilder& builder) const override
    {
        auto accessPoint = CreateObject<Node>();
        PlaceHub(accessPoint);
        const auto& standard = options.wifiStandard;
        WifiHelper wifi;
        wifi.SetStandard(standard == "n"    ? WIFI_STANDARD_80211n
                         : standard == "ac" ? WIFI_STANDARD_80211ac
                                            : WIFI_STANDARD_80211ax);
        wifi.SetRemoteStationManager(options.wifiRateControl == "ideal"
                                         ? "ns3::IdealWifiManager"
                                         : "ns3::MinstrelHtWifiManager");
        YansWifiPhyHelper phy;
        const WifiBand& band = *FindWifiBand(standard, options.wifiBandGhz);
        YansWifiChannelHelper air;
        air.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
        air.AddPropagationLoss("ns3::LogDistancePropagationLossModel",
                               "ReferenceLoss",
                               DoubleValue(band.lossAtOneMeterDb));
        phy.SetChannel(air.Create());
        const uint32_t width = MakeWifiCell(options).channelMhz;
        phy.Set("ChannelSettings",
                StringValue("{0, " + std::to_string(width) + ", " + band.name + ", 0}"));
        WifiMacHelper mac;
        const SsidValue ssid(Ssid("edgepipe"));
        mac.SetType("ns3::StaWifiMac", "Ssid", ssid);
        NetDeviceContainer radios;
        for (uint32_t i = 0; i < stations.GetN(); ++i)
        {
            radios.Add(wifi.Install(phy, mac, stations.Get(i)));
            SetUpRadio(options, radios.Get(i), names[i], builder);
        }
        mac.SetType("ns3::ApWifiMac", "Ssid", ssid);
        const auto hub = wifi.Install(phy, mac, accessPoint);
        SetUpRadio(options, hub.Get(0), GetTransmitter(), builder);
        const NetDeviceContainer devices(radios, hub);
        builder.AssignStreams([&](int64_t first) { return wifi.AssignStreams(devices, first); });

        InternetStackHelper().Install(NodeContainer(stations, accessPoint));
        const auto interfaces = builder.AssignCellAddresses(devices);
        const Time attached = GetAssociationEnd(stations.GetN());
        // Requests for addresses are broadcast, and one that collides costs a second. Association
        // empties the caches.
        Simulator::Schedule(attached,
                            [devices] { NeighborCacheHelper().PopulateNeighborCache(devices); });
        return {accessPoint,
                interfaces.GetAddress(stations.GetN()),
                PacketNetworkBuilder::CELL_MASK,
                attached};
    }
};

NS_OBJECT_ENSURE_REGISTERED(WifiLink);

} // namespace ns3::edgepipe
