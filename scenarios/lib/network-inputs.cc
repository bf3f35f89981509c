/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/network-inputs.h"

#include "lib/radio-inputs.h"
#include "lib/traces-option.h"

#include "ns3/edgepipe-bearer-links.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-link-type.h"
#include "ns3/edgepipe-table.h"
#include "ns3/log.h"

#include <algorithm>
#include <iostream>
#include <utility>

namespace ns3
{
namespace edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeNetworkInputs");

namespace
{

/// Means of recordings below and above are likely to be of another unit, bit/s: GPRS on one slot
/// by its most robust coding has 8 kbit/s (3GPP TS 43.064), 5G at its peak 20 Gbit/s (ITU-R
/// M.2410).
constexpr double LEAST_PLAUSIBLE = 1e3;
constexpr double MOST_PLAUSIBLE = 20e9;

/**
 * @param options of the scenario, parsed
 * @param name of an option
 * @return whether it has a value
 */
bool
IsGiven(const ScenarioOptions& options, const std::string& name)
{
    return !options.GetString(name).empty();
}

/**
 * Read recordings, and refuse those that cannot be replayed.
 *
 * @param options of the scenario, parsed
 * @param network set to what is replayed and how
 */
void
ReadTraces(const ScenarioOptions& options, NetworkOptions& network)
{
    network.uplinkTrace = options.GetString("trace");
    network.downlinkTrace = options.GetString("trace-down");
    network.trace.format = options.GetString("trace-format");
    network.trace.end = options.GetString("trace-end");
    network.trace.offset = options.GetTime("trace-offset");
    network.trace.scale = options.GetDouble("trace-scale", 1e-3, 1e3);
    for (const auto& [trace, bandwidth] :
         {std::pair("trace", "bandwidth"), std::pair("trace-down", "downlink-bandwidth")})
    {
        if (IsGiven(options, trace) && IsGiven(options, bandwidth))
        {
            options.Refuse(bandwidth, "none where --" + std::string(trace) + " says it");
        }
    }
    if (IsGiven(options, "trace") && !IsGiven(options, "trace-down") &&
        !IsGiven(options, "downlink-bandwidth"))
    {
        network.downlinkTrace = FindDownlinkTrace(network.uplinkTrace);
        NS_LOG_INFO("downlinks replay " << network.downlinkTrace);
    }
    try
    {
        if (!network.uplinkTrace.empty())
        {
            // For who wants one number.
            network.bandwidthBitsPerSecond =
                CheckTrace(network.uplinkTrace, TraceDirection::UP, network.trace)
                    .meanBitsPerSecond;
        }
        if (!network.downlinkTrace.empty())
        {
            CheckTrace(network.downlinkTrace, TraceDirection::DOWN, network.trace);
        }
    }
    catch (const InputError& error)
    {
        throw InputError((error.GetOption().empty() ? "--trace: " : "--") +
                         std::string(error.what()));
    }
}

/**
 * @param bitsPerSecond a rate
 * @return for people
 */
std::string
FormatRate(double bitsPerSecond)
{
    const auto [unit, name] = bitsPerSecond >= 1e5   ? std::pair(1e6, " Mbit/s")
                              : bitsPerSecond >= 1e3 ? std::pair(1e3, " kbit/s")
                                                     : std::pair(1.0, " bit/s");
    return Table::Rounded(bitsPerSecond / unit) + name;
}

/**
 * @param format of a recording
 * @return what its values are
 */
std::string
ExplainValues(TraceFormat format)
{
    switch (format)
    {
    case TraceFormat::MAHIMAHI:
        return "every line of mahimahi is a millisecond at which 1500 bytes may cross";
    case TraceFormat::PENSIEVE:
        return "pensieve is in seconds and Mbit/s";
    case TraceFormat::GNETTRACK:
        return "gnettrack is in kbit/s";
    case TraceFormat::CSV:
        break;
    }
    return "seconds,bitsPerSecond is in bit/s";
}

/**
 * Say what a recording holds on standard output, see PrintRecordings.
 *
 * @param who replays it
 * @param path the file
 * @param direction which one, where the file has both
 * @param trace how it is replayed
 */
void
PrintRecording(const std::string& who,
               const std::string& path,
               TraceDirection direction,
               const TraceOptions& trace)
{
    const TraceSummary summary = CheckTrace(path, direction, trace);
    std::cout << who << " replay " << path;
    if (trace.scale != 1)
    {
        std::cout << ", rates times " << Table::Exact(trace.scale);
    }
    std::cout << ": " << FormatRate(summary.meanBitsPerSecond) << " in the mean, "
              << FormatRate(summary.lowestBitsPerSecond) << " to "
              << FormatRate(summary.highestBitsPerSecond) << ", "
              << Table::Rounded(summary.durationSeconds) << " s long\n";
    const bool isLow = summary.meanBitsPerSecond < LEAST_PLAUSIBLE;
    if (isLow || summary.meanBitsPerSecond > MOST_PLAUSIBLE)
    {
        std::cout << "hint: a mean "
                  << (isLow ? "below 1 kbit/s is slower than GPRS; "
                            : "above 20 Gbit/s is faster than 5G; ")
                  << ExplainValues(summary.format) << ", --trace-scale multiplies it\n";
    }
}

/**
 * Refuse options that the link would leave unused.
 *
 * @param options of the scenario, parsed
 * @param link the link
 */
void
RefuseUnusedOptions(const ScenarioOptions& options, const LinkType& link)
{
    for (const auto& name : GetLinkOptions())
    {
        if (!link.GetTraits().options.count(name) && options.IsChanged(name))
        {
            options.Refuse(name, ExplainUnused(link, name));
        }
    }
}

} // namespace

void
AddNetworkOptions(ScenarioOptions& o)
{
    o.Add("fidelity",
          "flow (transfers share links' rates) or packet (every packet of ns-3's TCP)",
          "flow");
    o.Add(
        "link",
        "lan, p2p (a chain), wifi, lte, 4g, 3g or cat1 (a mobile bearer for each device), or trace "
        "(bearers that replay a recording); empty: the cluster's",
        "");
    o.Add("bandwidth",
          "of every wire or uplink, such as 100Mbps, or by time, such as 0s:100Mbps,5s:20Mbps; "
          "empty: that of --link=4g, 3g or cat1, else the cluster's",
          "");
    o.Add("downlink-bandwidth",
          "of every downlink, likewise; empty: that of 4g, 3g or cat1, or as the uplink's of trace",
          "");
    o.Add("delay",
          "of every wire or bearer, one way, such as 20us; empty: that of --link=4g, 3g, cat1 or "
          "trace, else the cluster's",
          "");
    o.Add("jitter", "of every bearer, largest further delay, such as 8ms; empty: the link's", "");
    o.Add("queue", "before each direction of a bearer, packets; empty: 1000", "");
    o.Add("trace",
          "file with the recorded bandwidth of every uplink; if --trace-down is not given, FILE.up "
          "has its downlinks beside it in FILE.down, G-NetTrack in the same file, and others are "
          "replayed both ways",
          "");
    o.Add("trace-down", "file with the recorded bandwidth of every downlink", "");
    o.Add("trace-format",
          "of recordings: mahimahi, pensieve, gnettrack or csv; auto: by content",
          "auto");
    o.Add("trace-end", "what comes after a recording: loop, hold (the last value) or stop", "loop");
    o.Add("trace-offset", "where in the recording the simulation starts, such as 30s", "0s");
    o.Add("trace-scale", "recorded bandwidth is multiplied by this, 0.001 to 1000", "1");
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
    AddRadioOptions(o);
    AddTracesOption(o);
}

void
PrintRecordings(const std::string& who, const NetworkOptions& network)
{
    const std::string& up = network.uplinkTrace;
    const bool isBoth =
        !up.empty() && up == network.downlinkTrace &&
        CheckTrace(up, TraceDirection::UP, network.trace).format != TraceFormat::GNETTRACK;
    if (!up.empty())
    {
        PrintRecording(who + (isBoth ? "uplinks and downlinks" : "uplinks"),
                       up,
                       TraceDirection::UP,
                       network.trace);
    }
    if (!network.downlinkTrace.empty() && !isBoth)
    {
        PrintRecording(who + "downlinks",
                       network.downlinkTrace,
                       TraceDirection::DOWN,
                       network.trace);
    }
    std::cout.flush(); // what follows may take long
}

NetworkOptions
ReadNetworkOptions(const ScenarioOptions& options, const Cluster& cluster)
{
    const auto given = [&options](const std::string& name) { return IsGiven(options, name); };
    NetworkOptions network;
    network.fidelity = options.GetString("fidelity");
    network.link = given("link") ? options.GetString("link") : cluster.link;
    Ptr<const LinkType> link;
    try
    {
        link = FindLinkType(network);
    }
    catch (const InputError&)
    {
        return network; // CheckNetwork says so
    }
    network.link = link->GetName();
    RefuseUnusedOptions(options, *link);
    const Time delay = Seconds(std::min(cluster.delaySeconds, 1e9));
    network.bandwidthBitsPerSecond = cluster.bandwidthBitsPerSecond;
    network.delay = delay;
    link->SetDefaults(network);
    if (!given("link")) // a cluster whose link it is says these itself
    {
        network.bandwidthBitsPerSecond = cluster.bandwidthBitsPerSecond;
        network.delay = delay;
    }
    ReadTraces(options, network);
    if (given("bandwidth"))
    {
        const auto steps = options.GetBandwidthSteps("bandwidth");
        network.bandwidthBitsPerSecond = steps.front().bitsPerSecond;
        network.bandwidthSteps.assign(steps.begin() + 1, steps.end());
    }
    else if (network.bandwidthBitsPerSecond == 0 && network.uplinkTrace.empty())
    {
        options.Refuse("trace", "a file, or --bandwidth of the uplink");
    }
    if (given("downlink-bandwidth"))
    {
        const auto steps = options.GetBandwidthSteps("downlink-bandwidth");
        network.downlinkBitsPerSecond = steps.front().bitsPerSecond;
        network.downlinkSteps.assign(steps.begin() + 1, steps.end());
    }
    network.delay = given("delay") ? options.GetTime("delay") : network.delay;
    network.jitter = given("jitter") ? options.GetTime("jitter") : network.jitter;
    network.queuePackets =
        given("queue") ? options.GetUint("queue", 1, 1000000) : network.queuePackets;
    network.mtuBytes = options.GetUint("mtu", 576, 9000);
    network.lossRate = options.GetDouble("loss", 0, 0.99);
    network.wifiStandard = options.GetString("wifi-standard");
    network.wifiBandGhz = options.GetDouble("wifi-band", 2.4, 6);
    network.wifiChannelMhz = options.GetUint("wifi-width", 0, 160);
    network.wifiGuardIntervalNs = options.GetUint("wifi-guard-interval", 0, 3200);
    network.wifiRateControl = options.GetString("wifi-rate-control");
    network.wifiCapacityFile = FindTracesFolder(options) + "/links/wifi-capacity.csv";
    ReadRadioOptions(options, network);
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
        const std::string& option = error.GetOption();
        const bool isGiven = !option.empty() && !options.GetString(option).empty();
        throw InputError((isGiven ? "--" : otherwise) + error.what());
    }
}

} // namespace edgepipe
} // namespace ns3
