/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-network-inputs.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-traces-folder.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

void
AddNetworkOptions(ScenarioOptions& o)
{
    o.Add("fidelity",
          "flow (transfers share links' rates) or packet (every packet of ns-3's TCP)",
          "flow");
    o.Add("link", "lan, p2p (a chain) or wifi; empty: the cluster's", "");
    o.Add("bandwidth",
          "of every wire, such as 100Mbps, or by time, such as 0s:100Mbps,5s:20Mbps; empty: the "
          "cluster's",
          "");
    o.Add("delay", "of every wire, one way, such as 20us; empty: the cluster's", "");
    o.Add("mtu", "largest IP packet, bytes", "1500");
    o.Add("loss",
          "share of packets lost on every link, 0 to 0.99; on Wi-Fi of data frames, which are "
          "repeated",
          "0");
    o.Add("cut", "device whose links go dead, and when, such as NAME@2s; empty: none", "");
    o.Add("wifi-standard", "n, ac or ax", "ac");
    o.Add("wifi-band", "2.4, 5 or 6, GHz", "5");
    o.Add("wifi-width", "channel width, MHz; 0: 80, or the widest the band has if less", "0");
    o.Add("wifi-guard-interval",
          "ns: 400 or 800 for n and ac; 800, 1600 or 3200 for ax; 0: 800, for ax 3200",
          "0");
    o.Add("wifi-rate-control", "ideal (by the SNR last seen) or minstrel", "ideal");
    o.Add("distance", "of every Wi-Fi station from the access point, m", "5");
    AddTracesOption(o);
}

NetworkOptions
ReadNetworkOptions(const ScenarioOptions& options, const Cluster& cluster)
{
    const auto given = [&options](const std::string& name) {
        return !options.GetString(name).empty();
    };
    NetworkOptions network;
    network.fidelity = options.GetString("fidelity");
    network.link = given("link") ? options.GetString("link") : cluster.link;
    network.bandwidthBitsPerSecond = cluster.bandwidthBitsPerSecond;
    if (given("bandwidth"))
    {
        const auto steps = options.GetBandwidthSteps("bandwidth");
        network.bandwidthBitsPerSecond = steps.front().bitsPerSecond;
        network.bandwidthSteps.assign(steps.begin() + 1, steps.end());
    }
    network.delay =
        given("delay") ? options.GetTime("delay") : Seconds(std::min(cluster.delaySeconds, 1e9));
    network.mtuBytes = options.GetUint("mtu", 576, 9000);
    network.lossRate = options.GetDouble("loss", 0, 0.99);
    network.wifiStandard = options.GetString("wifi-standard");
    network.wifiBandGhz = options.GetDouble("wifi-band", 2.4, 6);
    network.wifiChannelMhz = options.GetUint("wifi-width", 0, 160);
    network.wifiGuardIntervalNs = options.GetUint("wifi-guard-interval", 0, 3200);
    network.wifiRateControl = options.GetString("wifi-rate-control");
    network.wifiCapacityFile = FindTracesFolder(options) + "/links/wifi-capacity.csv";
    network.wifiDistanceMeters = options.GetDouble("distance", 0.1, 10000);
    if (given("cut"))
    {
        const std::string& cut = options.GetString("cut");
        const auto at = cut.rfind('@');
        if (at == 0 || at == std::string::npos || !ParseTime(cut.substr(at + 1), network.cutTime))
        {
            options.Refuse("cut", "DEVICE@TIME, such as " + cluster.devices.front().name + "@2s");
        }
        network.cutDevice = cut.substr(0, at);
    }
    return network;
}

void
CheckNetwork(const ScenarioOptions& options,
             const NetworkOptions& network,
             const std::vector<std::string>& names,
             const std::string& otherwise)
{
    try
    {
        CheckNetworkOptions(network, names);
    }
    catch (const InputError& error)
    {
        const std::string what = error.what();
        const bool isOption = !options.GetString(what.substr(0, what.find(':'))).empty();
        throw InputError((isOption ? "--" : otherwise) + what);
    }
}

} // namespace edgepipe
} // namespace ns3
