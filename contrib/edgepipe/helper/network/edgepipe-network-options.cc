/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-network-options.h"

#include "ns3/edgepipe-bearer.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-radio-options.h"
#include "ns3/edgepipe-table.h"

#include <algorithm>
#include <map>
#include <set>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// By standard and band, GHz; a missing pair does not exist.
const std::map<std::string, std::map<double, WifiBand>> WIFI_BANDS{
    {"n", {{2.4, {"BAND_2_4GHZ", 40, 40.05}}, {5, {"BAND_5GHZ", 40, 46.6777}}}},
    {"ac", {{5, {"BAND_5GHZ", 160, 46.6777}}}},
    {"ax",
     {{2.4, {"BAND_2_4GHZ", 40, 40.05}},
      {5, {"BAND_5GHZ", 160, 46.6777}},
      {6, {"BAND_6GHZ", 160, 47.93}}}},
};

/// Bytes an Ethernet frame adds on the wire: preamble 8, header 14, check sequence 4, gap 12.
constexpr double ETHERNET_OVERHEAD = 38;
/// Bytes ns-3's point-to-point device adds.
constexpr double PPP_OVERHEAD = 2;

} // namespace

double
GetEthernetShare(uint32_t mtuBytes)
{
    return (mtuBytes + PPP_OVERHEAD) / (mtuBytes + ETHERNET_OVERHEAD);
}

void
CheckNetworkOptions(const NetworkOptions& o, const std::vector<std::string>& names)
{
    const auto refuse = [](const std::string& option,
                           const std::string& found,
                           const std::string& want) { throw InputError(option, found, want); };
    if (o.fidelity != "packet" && o.fidelity != "flow")
    {
        refuse("fidelity", "\"" + o.fidelity + "\"", "packet or flow");
    }
    if (o.fidelity == "flow" && o.lossRate > 0)
    {
        refuse("loss",
               Table::Exact(o.lossRate),
               "0, or --fidelity=packet: flows are made of bytes, and lose no packets");
    }
    if (o.link != "lan" && o.link != "p2p" && o.link != "wifi" && o.link != "lte" &&
        !FindBearer(o.link))
    {
        refuse("link", "\"" + o.link + "\"", "lan, p2p, wifi, lte, 4g, 3g, cat1 or trace");
    }
    CheckBearerOptions(o);
    CheckRadioOptions(o, names);
    if (o.uplinkTrace.empty() &&
        !(o.bandwidthBitsPerSecond >= 1e3 && o.bandwidthBitsPerSecond <= 1e12))
    {
        refuse("bandwidth", Table::Exact(o.bandwidthBitsPerSecond), "1e3 to 1e12 bit/s");
    }
    for (const auto& step : o.bandwidthSteps)
    {
        if (!(step.bitsPerSecond >= 1e3 && step.bitsPerSecond <= 1e12))
        {
            refuse("bandwidth", Table::Exact(step.bitsPerSecond), "1e3 to 1e12 bit/s");
        }
    }
    if (o.delay.IsStrictlyNegative() || o.delay > Seconds(100))
    {
        refuse("delay", Table::Exact(o.delay.GetSeconds()), "0 to 100 s");
    }
    if (!(o.lossRate >= 0 && o.lossRate < 1))
    {
        refuse("loss", Table::Exact(o.lossRate), "a share of packets from 0 to below 1");
    }
    const uint32_t largest = o.link == "wifi" ? 2296 : 9000;
    if (o.mtuBytes < 576 || o.mtuBytes > largest)
    {
        refuse("mtu",
               std::to_string(o.mtuBytes),
               o.link == "wifi" ? "576 to 2296 bytes" : "576 to 9000 bytes");
    }
    if (!o.cutDevice.empty())
    {
        if (std::find(names.begin(), names.end(), o.cutDevice) == names.end())
        {
            refuse("cut",
                   "\"" + o.cutDevice + "\"",
                   "a device of the cluster, such as " + names.back());
        }
        if (o.cutTime.IsStrictlyNegative())
        {
            refuse("cut", Table::Exact(o.cutTime.GetSeconds()), "a time of 0 s or later");
        }
    }
    if (o.link == "wifi")
    {
        if (!WIFI_BANDS.count(o.wifiStandard))
        {
            refuse("wifi-standard", "\"" + o.wifiStandard + "\"", "n, ac or ax");
        }
        const WifiBand* band = FindWifiBand(o.wifiStandard, o.wifiBandGhz);
        if (!band)
        {
            refuse("wifi-band",
                   Table::Exact(o.wifiBandGhz),
                   "a band of the standard: n 2.4 or 5, ac 5, ax 2.4, 5 or 6 GHz");
        }
        const std::set<uint32_t> widths{0, 20, 40, 80, 160};
        if (!widths.count(o.wifiChannelMhz) || o.wifiChannelMhz > band->widestMhz)
        {
            refuse("wifi-width",
                   std::to_string(o.wifiChannelMhz),
                   "0, or 20 to " + std::to_string(band->widestMhz) + " MHz, a doubling of 20");
        }
        const bool isAx = o.wifiStandard == "ax";
        const std::set<uint32_t> guards =
            isAx ? std::set<uint32_t>{0, 800, 1600, 3200} : std::set<uint32_t>{0, 400, 800};
        if (!guards.count(o.wifiGuardIntervalNs))
        {
            refuse("wifi-guard-interval",
                   std::to_string(o.wifiGuardIntervalNs),
                   isAx ? "0, 800, 1600 or 3200 ns" : "0, 400 or 800 ns");
        }
        if (o.wifiRateControl != "ideal" && o.wifiRateControl != "minstrel")
        {
            refuse("wifi-rate-control", "\"" + o.wifiRateControl + "\"", "ideal or minstrel");
        }
    }
}

double
GetWireGoodput(const NetworkOptions& options, const Time& time)
{
    double bitsPerSecond = options.bandwidthBitsPerSecond;
    for (const auto& step : options.bandwidthSteps)
    {
        bitsPerSecond = step.time <= time ? step.bitsPerSecond : bitsPerSecond;
    }
    const double packet =
        options.mtuBytes + (options.link == "lan" ? ETHERNET_OVERHEAD : PPP_OVERHEAD);
    return bitsPerSecond * (options.mtuBytes - TCP_IP_HEADERS) / packet;
}

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

} // namespace edgepipe
} // namespace ns3
