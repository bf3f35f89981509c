/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-mobility.h"
#include "edgepipe-packet-defaults.h"
#include "edgepipe-packet-network-builder.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/edgepipe-attributes.h"
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

} // namespace

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
        : Named(2296, MOST_WIFI_STATIONS, "access point", "access point")
    {
    }

    /// @copydoc Typed::AddAttributes
    static TypeId AddAttributes(TypeId tid)
    {
        return Attributes(tid)
            .Add("WifiStandard", "802.11 standard: n, ac or ax.", {&WifiLink::m_standard, "ac"})
            .Add("WifiBand", "2.4, 5 or 6 GHz.", {&WifiLink::m_bandGhz, 5, 2.4, 6})
            .Add("WifiWidth",
                 "Channel width, MHz; 0: 80, or the widest the band has if less.",
                 {&WifiLink::m_channelMhz, 0, 0, 160})
            .Add("WifiGuardInterval",
                 "ns: 400 or 800 for n and ac; 800, 1600 or 3200 for ax; 0: 800, for ax 3200.",
                 {&WifiLink::m_guardIntervalNs, 0, 0, 3200})
            .Add("WifiRateControl",
                 "ideal (by the SNR last seen) or minstrel.",
                 {&WifiLink::m_rateControl, "ideal"})
            .Add("WifiCapacity",
                 "File of cells' measured capacities, for flows; empty: links/wifi-capacity.csv in "
                 "the folder of traces.",
                 {&WifiLink::m_capacityFile, ""});
    }

    void Check(const NetworkOptions& network, const std::vector<std::string>& names) const override
    {
        RadioLink::Check(network, names);
        Require(WIFI_BANDS.count(m_standard),
                "wifi-standard",
                "\"" + m_standard + "\"",
                "n, ac or ax");
        const WifiBand* band = FindWifiBand(m_standard, m_bandGhz);
        Require(band,
                "wifi-band",
                Table::Exact(m_bandGhz),
                "a band of the standard: n 2.4 or 5, ac 5, ax 2.4, 5 or 6 GHz");
        const std::set<uint32_t> widths{0, 20, 40, 80, 160};
        Require(widths.count(m_channelMhz) && m_channelMhz <= band->widestMhz,
                "wifi-width",
                std::to_string(m_channelMhz),
                "0, or 20 to " + std::to_string(band->widestMhz) + " MHz, a doubling of 20");
        const bool isAx = m_standard == "ax";
        const std::set<uint32_t> guards =
            isAx ? std::set<uint32_t>{0, 800, 1600, 3200} : std::set<uint32_t>{0, 400, 800};
        Require(guards.count(m_guardIntervalNs),
                "wifi-guard-interval",
                std::to_string(m_guardIntervalNs),
                isAx ? "0, 800, 1600 or 3200 ns" : "0, 400 or 800 ns");
        Require(network.lossRate <= 0 || network.fidelity == "packet",
                "loss",
                Table::Exact(network.lossRate),
                "0 on wifi, or --fidelity=packet: its lost frames are sent again at once");
        Require(m_rateControl == "ideal" || m_rateControl == "minstrel",
                "wifi-rate-control",
                "\"" + m_rateControl + "\"",
                "ideal or minstrel");
        try
        {
            if (!m_capacityFile.empty() && network.fidelity == "flow")
            {
                ReadWifiCapacityTable(m_capacityFile);
            }
        }
        catch (const InputError& error)
        {
            throw InputError("wifi-capacity", error);
        }
    }

    /**
     * @param mtuBytes largest IP packet, bytes
     * @return the cell, with what the options leave open filled in
     */
    WifiCell MakeWifiCell(uint32_t mtuBytes) const
    {
        const WifiBand* band = FindWifiBand(m_standard, m_bandGhz);
        WifiCell cell;
        cell.standard = m_standard;
        cell.bandGhz = m_bandGhz;
        cell.channelMhz = m_channelMhz ? m_channelMhz : std::min(80U, band->widestMhz);
        cell.guardIntervalNs = m_guardIntervalNs    ? m_guardIntervalNs
                               : m_standard == "ax" ? 3200
                                                    : 800;
        cell.rateControl = m_rateControl;
        cell.lossAtOneMeterDb = band->lossAtOneMeterDb;
        cell.mtuBytes = mtuBytes;
        return cell;
    }

    std::shared_ptr<RadioCell> MakeCell(uint32_t mtuBytes) const override
    {
        return std::make_shared<WifiCapacity>(MakeWifiCell(mtuBytes),
                                              m_capacityFile.empty()
                                                  ? GetTracesFolder() + "/links/wifi-capacity.csv"
                                                  : m_capacityFile);
    }

    PacketHub Install(uint32_t mtuBytes,
                      const NodeContainer& stations,
                      const std::vector<std::string>& names,
                      PacketNetworkBuilder& builder) const override
    {
        auto accessPoint = CreateObject<Node>();
        PlaceHub(accessPoint);
        WifiHelper wifi;
        wifi.SetStandard(m_standard == "n"    ? WIFI_STANDARD_80211n
                         : m_standard == "ac" ? WIFI_STANDARD_80211ac
                                              : WIFI_STANDARD_80211ax);
        wifi.SetRemoteStationManager(m_rateControl == "ideal" ? "ns3::IdealWifiManager"
                                                              : "ns3::MinstrelHtWifiManager");
        YansWifiPhyHelper phy;
        const WifiBand& band = *FindWifiBand(m_standard, m_bandGhz);
        YansWifiChannelHelper air;
        air.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
        air.AddPropagationLoss("ns3::LogDistancePropagationLossModel",
                               "ReferenceLoss",
                               DoubleValue(band.lossAtOneMeterDb));
        phy.SetChannel(air.Create());
        const uint32_t width = MakeWifiCell(mtuBytes).channelMhz;
        phy.Set("ChannelSettings",
                StringValue("{0, " + std::to_string(width) + ", " + band.name + ", 0}"));
        WifiMacHelper mac;
        const SsidValue ssid(Ssid("edgepipe"));
        mac.SetType("ns3::StaWifiMac", "Ssid", ssid);
        NetDeviceContainer radios;
        for (uint32_t i = 0; i < stations.GetN(); ++i)
        {
            radios.Add(wifi.Install(phy, mac, stations.Get(i)));
            SetUpRadio(mtuBytes, radios.Get(i), names[i], builder);
        }
        mac.SetType("ns3::ApWifiMac", "Ssid", ssid);
        const auto hub = wifi.Install(phy, mac, accessPoint);
        SetUpRadio(mtuBytes, hub.Get(0), GetTransmitter(), builder);
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

  private:
    /**
     * Set a Wi-Fi device's MTU, guard interval, loss and counter.
     *
     * @param mtuBytes largest IP packet, bytes
     * @param netDevice the Wi-Fi device
     * @param name its name
     * @param builder of the network
     */
    void SetUpRadio(uint32_t mtuBytes,
                    Ptr<NetDevice> netDevice,
                    const std::string& name,
                    PacketNetworkBuilder& builder) const
    {
        auto radio = DynamicCast<WifiNetDevice>(netDevice);
        radio->SetMtu(mtuBytes);
        if (const uint32_t guard = m_guardIntervalNs)
        {
            if (m_standard == "ax")
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

    std::string m_standard;     //!< n, ac or ax
    double m_bandGhz;           //!< 2.4, 5 or 6 GHz, as the standard allows
    uint32_t m_channelMhz;      //!< channel width, MHz; 0: 80, or the widest there is
    uint32_t m_guardIntervalNs; //!< ns; 0: as ns-3's default
    std::string m_rateControl;  //!< ideal or minstrel
    std::string m_capacityFile; //!< measured capacities of cells; empty: the usual ones
};

NS_OBJECT_ENSURE_REGISTERED(WifiLink);

WifiCell
MakeWifiCell(const NetworkOptions& network)
{
    NetworkOptions uncut = network;
    uncut.cutDevice.clear();
    CheckNetworkOptions(uncut, {});
    return dynamic_cast<const WifiLink&>(network.GetLink()).MakeWifiCell(network.mtuBytes);
}

} // namespace ns3::edgepipe
