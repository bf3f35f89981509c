/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-loss-check.h"

#include "ns3/ap-wifi-mac.h"
#include "ns3/boolean.h"
#include "ns3/edgepipe-flow-cell.h"
#include "ns3/edgepipe-flow-medium.h"
#include "ns3/edgepipe-traces-folder.h"
#include "ns3/edgepipe-wifi-capacity.h"
#include "ns3/he-configuration.h"
#include "ns3/ht-configuration.h"
#include "ns3/mobility-model.h"
#include "ns3/nstime.h"
#include "ns3/pointer.h"
#include "ns3/spectrum-channel.h"
#include "ns3/sta-wifi-mac.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy.h"

#include <cmath>
#include <map>
#include <memory>
#include <vector>

namespace ns3::edgepipe
{

namespace
{

/// Assumptions of WifiAirtime: ns-3's transmit power, dBm, and path loss exponent.
constexpr double WIFI_POWER_DBM = 16.0206;
constexpr double WIFI_LOSS_EXPONENT = 3; ///< see WIFI_POWER_DBM
/// Frames received below this power, dBm, are not detected and do not keep others from sending, by
/// ns-3's ThresholdPreambleDetectionModel.
constexpr double LEAST_HEARD_DBM = -82;

/**
 * @param isGood whether the device is as expected
 * @param device a Wi-Fi device
 * @param what was found if not
 * @param expected what was expected
 */
void
CheckWifi(bool isGood, Ptr<NetDevice> device, const std::string& what, const std::string& expected)
{
    Require(isGood,
            "node " + std::to_string(device->GetNode()->GetId()) + ": found " + what +
                " on its Wi-Fi device, expected " + expected +
                ", or TransportHelper::DeclareCapacity");
}

/**
 * @param device a Wi-Fi device
 * @return the access points on its channel and frequency
 */
std::vector<Ptr<WifiNetDevice>>
FindAccessPoints(Ptr<WifiNetDevice> device)
{
    std::vector<Ptr<WifiNetDevice>> accessPoints;
    Ptr<Channel> channel = device->GetPhy()->GetChannel();
    for (std::size_t i = 0; i < channel->GetNDevices(); ++i)
    {
        auto other = DynamicCast<WifiNetDevice>(channel->GetDevice(i));
        if (other && DynamicCast<ApWifiMac>(other->GetMac()) &&
            other->GetPhy()->GetFrequency() == device->GetPhy()->GetFrequency())
        {
            accessPoints.push_back(other);
        }
    }
    return accessPoints;
}

/**
 * @param station a station
 * @return its access point: the one on its channel with its SSID, or, of several, the one it is
 *         associated with; null if there is none
 * @throws InputError if there are several and it is not associated yet
 */
Ptr<WifiNetDevice>
FindAccessPoint(Ptr<WifiNetDevice> station)
{
    auto accessPoints = FindAccessPoints(station);
    const auto isOfOthers = [&station](const auto& other) {
        return !other->GetMac()->GetSsid().IsEqual(station->GetMac()->GetSsid());
    };
    accessPoints.erase(std::remove_if(accessPoints.begin(), accessPoints.end(), isOfOthers),
                       accessPoints.end());
    if (accessPoints.size() > 1)
    {
        const auto mac = DynamicCast<StaWifiMac>(station->GetMac());
        for (const auto& each : accessPoints)
        {
            if (mac->IsAssociated() && each->GetMac()->GetAddress() == mac->GetBssid(0))
            {
                return each;
            }
        }
        CheckWifi(false,
                  station,
                  std::to_string(accessPoints.size()) + " access points of its SSID",
                  "one, or the first message after it has associated with one of them");
    }
    return accessPoints.empty() ? nullptr : accessPoints.front();
}

/**
 * @param accessPoint an access point
 * @param packetBytes a full IP packet
 * @return its network
 * @throws InputError if no such network has been calibrated
 */
WifiCell
ReadWifiCell(Ptr<WifiNetDevice> accessPoint, double packetBytes)
{
    Ptr<WifiPhy> phy = accessPoint->GetPhy();
    WifiCell cell;
    const std::map<WifiStandard, std::string> standards{{WIFI_STANDARD_80211n, "n"},
                                                        {WIFI_STANDARD_80211ac, "ac"},
                                                        {WIFI_STANDARD_80211ax, "ax"}};
    const auto standard = standards.find(phy->GetStandard());
    CheckWifi(standard != standards.end(), accessPoint, "another standard", "802.11n, ac or ax");
    cell.standard = standard->second;
    const std::map<std::string, std::string> controls{{"ns3::IdealWifiManager", "ideal"},
                                                      {"ns3::MinstrelHtWifiManager", "minstrel"}};
    const std::string manager =
        accessPoint->GetRemoteStationManager()->GetInstanceTypeId().GetName();
    const auto control = controls.find(manager);
    CheckWifi(control != controls.end(),
              accessPoint,
              manager,
              "IdealWifiManager or MinstrelHtWifiManager");
    cell.rateControl = control->second;
    const auto band = phy->GetPhyBand();
    cell.bandGhz = band == WIFI_PHY_BAND_2_4GHZ ? 2.4 : band == WIFI_PHY_BAND_6GHZ ? 6 : 5;
    cell.channelMhz = static_cast<uint32_t>(phy->GetChannelWidth());
    cell.mtuBytes = static_cast<uint32_t>(packetBytes);
    if (cell.standard == "ax")
    {
        TimeValue guard;
        accessPoint->GetHeConfiguration()->GetAttribute("GuardInterval", guard);
        cell.guardIntervalNs = guard.Get().GetNanoSeconds();
    }
    else
    {
        BooleanValue isShort;
        accessPoint->GetHtConfiguration()->GetAttribute("ShortGuardIntervalSupported", isShort);
        cell.guardIntervalNs = isShort.Get() ? 400 : 800;
    }
    return cell;
}

/**
 * @param phy a physical layer
 * @return its channel's loss model
 */
Ptr<PropagationLossModel>
FindLossModel(Ptr<WifiPhy> phy)
{
    Ptr<Channel> channel = phy->GetChannel();
    PointerValue loss;
    if (channel->GetAttributeFailSafe("PropagationLossModel", loss))
    {
        return loss.Get<PropagationLossModel>();
    }
    auto spectrum = DynamicCast<SpectrumChannel>(channel);
    return spectrum ? spectrum->GetPropagationLossModel() : nullptr;
}

/**
 * @param device a Wi-Fi device
 * @return where it is
 */
Ptr<MobilityModel>
FindWifiPosition(Ptr<WifiNetDevice> device)
{
    auto position = device->GetNode()->GetObject<MobilityModel>();
    CheckWifi(bool(position), device, "no position", "a MobilityModel");
    return position;
}

/**
 * @param from a sender
 * @param to a receiver
 * @return received power, dBm
 */
double
FindReceivedDbm(Ptr<WifiNetDevice> from, Ptr<WifiNetDevice> to)
{
    auto loss = FindLossModel(from->GetPhy());
    CheckWifi(bool(loss), from, "no PropagationLossModel", "one");
    CheckLossModel(from, loss);
    return loss->CalcRxPower(from->GetPhy()->GetTxPowerEnd() + from->GetPhy()->GetTxGain(),
                             FindWifiPosition(from),
                             FindWifiPosition(to)) +
           to->GetPhy()->GetRxGain();
}

/**
 * @param accessPoint an access point
 * @return the first access point of those that share its air, each of which hears another one
 */
Ptr<WifiNetDevice>
FindFirstSharing(Ptr<WifiNetDevice> accessPoint)
{
    const auto all = FindAccessPoints(accessPoint);
    std::vector<Ptr<WifiNetDevice>> sharing{accessPoint};
    for (std::size_t i = 0; i < sharing.size(); ++i)
    {
        for (const auto& other : all)
        {
            if (std::find(sharing.begin(), sharing.end(), other) == sharing.end() &&
                FindReceivedDbm(other, sharing[i]) >= LEAST_HEARD_DBM)
            {
                sharing.push_back(other);
            }
        }
    }
    return *std::find_first_of(all.begin(), all.end(), sharing.begin(), sharing.end());
}

/**
 * @param from a sender
 * @param to a receiver
 * @return the distance at which WifiAirtime gives the same received power, m
 */
double
FindWifiDistance(Ptr<WifiNetDevice> from, Ptr<WifiNetDevice> to)
{
    const double lost = WIFI_POWER_DBM - FindReceivedDbm(from, to) - WifiCell().lossAtOneMeterDb;
    return std::pow(10, lost / (10 * WIFI_LOSS_EXPONENT));
}

/**
 * @param station a station
 * @param accessPoint its access point
 * @return its equivalent distances, up and down, m
 */
FlowCell::Distances
FindDistances(Ptr<WifiNetDevice> station, Ptr<WifiNetDevice> accessPoint)
{
    return {FindWifiDistance(station, accessPoint), FindWifiDistance(accessPoint, station)};
}

} // namespace

/**
 * @ingroup edgepipe
 *
 * The air of an 802.11 infrastructure network, one access point and its stations, by WifiCapacity
 * and the table links/wifi-capacity.csv of the traces folder. Traffic from station to station
 * crosses it twice. Access points on one channel and frequency that hear each other share the air.
 *
 * WifiCapacity assumes the path loss of ns3::LogDistancePropagationLossModel and ns-3's transmit
 * power; a station is taken to be at the distance where that loss equals the one by the channel's
 * loss model, powers and gains.
 */
class WifiMedium : public Typed<WifiMedium, FlowMedium>
{
  public:
    Ptr<Object> FindKey(const FlowHop& hop) const override
    {
        for (const auto& end : {hop.from, hop.to})
        {
            auto device = DynamicCast<WifiNetDevice>(end);
            if (device && DynamicCast<StaWifiMac>(device->GetMac()))
            {
                auto accessPoint = FindAccessPoint(device);
                return accessPoint ? FindFirstSharing(accessPoint) : nullptr;
            }
        }
        return nullptr;
    }

    void AddHop(const FlowMediumSettings& settings, const FlowHop& hop, FlowRoute& route) override
    {
        if (!m_cell)
        {
            const auto cell =
                ReadWifiCell(DynamicCast<WifiNetDevice>(FindKey(hop)), settings.packetBytes);
            m_cell = std::make_unique<FlowCell>(
                settings.network,
                std::make_shared<WifiCapacity>(cell,
                                               GetTracesFolder() + "/links/wifi-capacity.csv"));
        }
        for (const auto& [end, direction] :
             {std::pair(hop.from, RadioDirection::UP), std::pair(hop.to, RadioDirection::DOWN)})
        {
            auto station = DynamicCast<WifiNetDevice>(end);
            if (DynamicCast<StaWifiMac>(station->GetMac()))
            {
                auto& accessPoint = m_stations[station];
                if (auto present = FindAccessPoint(station); present != accessPoint)
                {
                    accessPoint = present;
                    m_cell->SetDistances(station, FindDistances(station, accessPoint));
                    m_cell->Settle();
                }
                m_cell->AddHop(station, direction, route);
            }
        }
    }

    void Update(const FlowMediumSettings& /* settings */) override
    {
        for (const auto& [station, accessPoint] : m_stations)
        {
            m_cell->SetDistances(station, FindDistances(station, accessPoint));
        }
        m_cell->Settle();
    }

  private:
    std::unique_ptr<FlowCell> m_cell; //!< the air
    /// Stations that routes cross, each with its access point.
    std::map<Ptr<WifiNetDevice>, Ptr<WifiNetDevice>> m_stations;
};

NS_OBJECT_ENSURE_REGISTERED(WifiMedium);

} // namespace ns3::edgepipe
