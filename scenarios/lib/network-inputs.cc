/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/network-inputs.h"

#include "lib/flow-errors.h"
#include "lib/recording-inputs.h"
#include "lib/traces-option.h"

#include "ns3/edgepipe-json-reader.h"
#include "ns3/edgepipe-link-type.h"

namespace ns3::edgepipe
{

namespace
{

/// SO_SNDBUF of all senders where some of several networks are bearers, bytes.
constexpr uint32_t MIXED_SEND_BUFFER = 128 * 1024;

/// The help of --link, up to its default.
const std::string LINKS = "lan, p2p (a chain), wifi, lte, 4g, 3g or cat1 (a mobile bearer for each "
                          "device), or trace (bearers that replay a recording); empty: ";

/// Options of lower layers that an option replaces, by that option, see ReadLink.
using Words = std::set<std::string>;
const std::map<std::string, Words> REPLACED{
    {"trace", {"bandwidth", "uplink-bandwidth", "trace-down", "downlink-bandwidth"}},
    {"bandwidth", {"trace", "uplink-bandwidth", "trace-down", "downlink-bandwidth"}},
    {"uplink-bandwidth", {"trace"}},
    {"trace-down", {"downlink-bandwidth"}},
    {"downlink-bandwidth", {"trace-down"}}};

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
 * Refuse options that no link would use.
 *
 * @param options of the scenario, parsed
 * @param links all links of the network
 */
void
RefuseUnusedOptions(const ScenarioOptions& options, const std::vector<Ptr<const LinkType>>& links)
{
    for (const auto& name : GetLinkOptions())
    {
        const bool isUsed =
            AnyOf(links, [&](const auto& link) { return link->GetTraits().options.count(name); });
        if (!isUsed && options.IsChanged(name))
        {
            options.Refuse(name, ExplainUnused(*links.front(), name));
        }
    }
}

/**
 * @param cluster a cluster
 * @return whether it has devices with a network of their own
 */
bool
HasOwnNetworks(const Cluster& cluster)
{
    return AnyOf(cluster.devices, &ClusterDevice::network);
}

/**
 * @param network of a cluster's file, or of --link alone, without a place
 * @return its kind of link
 * @throws InputError that names the file, or --link, for an unknown link, or an option that it does
 * not have
 */
Ptr<const LinkType>
FindLink(const ClusterNetwork& network)
{
    const Ptr<const LinkType> link =
        FindByName<LinkType>(network.place.empty() ? "--link" : network.place + ".link",
                             network.link);
    const auto known = GetLinkOptions();
    for (const auto& [name, value] : network.options)
    {
        Require(known.count(name) > 0,
                network.place + ": unknown key " + QuoteForMessage(name) +
                    ", expected link, cell or an option of links: " + JoinWords(known));
        Require(link->GetTraits().options.count(name) > 0,
                network.place + "." + name + ": found \"" + value + "\", expected " +
                    ExplainUnused(*link, name));
    }
    return link;
}

/**
 * Complete the network of devices on one kind of link.
 *
 * @param options of the scenario, parsed; those that the link uses take precedence if changed
 * @param common the cluster's network for all devices, overridden by the others
 * @param own the cluster's network for these devices
 * @param link how they are joined
 * @param network to be completed
 */
void
ReadLink(const ScenarioOptions& options,
         const ClusterNetwork& common,
         const ClusterNetwork& own,
         const Ptr<const LinkType>& link,
         NetworkOptions& network)
{
    const auto& used = link->GetTraits().options;
    const auto ofLinks = GetLinkOptions();
    ScenarioOptions words(options.GetName(), "");
    AddNetworkOptions(words, network);
    network.link = link->GetName();
    std::map<std::string, std::string> typed;
    for (const auto& [name, value] : words.GetAll())
    {
        const std::string& given = options.GetString(name);
        if (used.count(name) && options.IsChanged(name))
        {
            typed[name] = given;
        }
        // What this link does not use was typed for other devices.
        else if (!(ofLinks.count(name) && options.IsChanged(name)))
        {
            words.Set(name, given);
        }
    }
    std::map<std::string, std::string> shared;
    for (const auto& [name, value] : common.options)
    {
        // Wires of any kind take the cluster's bandwidth and delay; other links have their own.
        const bool isWire = !used.count("downlink-bandwidth");
        if (used.count(name) &&
            (common.link == network.link || (isWire && (name == "bandwidth" || name == "delay"))))
        {
            shared[name] = value;
        }
    }
    std::map<std::string, std::string> places; // of values from the file
    using Layer = const std::map<std::string, std::string>;
    for (Layer* layer : std::vector<Layer*>{&shared, &own.options, &typed})
    {
        for (const auto& [name, value] : *layer)
        {
            for (const auto& other : REPLACED.count(name) ? REPLACED.at(name) : Words())
            {
                words.Set(other, "");
            }
        }
        for (const auto& [name, value] : *layer)
        {
            words.Set(name, value);
            places[name] = layer == &shared ? common.place : layer == &typed ? "" : own.place;
        }
    }
    link->SetDefaults(network);
    try
    {
        words.Apply();
        ReadRates(words, used, network);
    }
    catch (const InputError& error)
    {
        const std::string what = error.what();
        const auto colon = what.find(':');
        const auto place =
            what.rfind("--", 0) == 0 ? places.find(what.substr(2, colon - 2)) : places.end();
        if (place == places.end() || place->second.empty())
        {
            throw;
        }
        throw InputError(place->second + "." + what.substr(2));
    }
}

/**
 * Read the networks of devices that have their own.
 *
 * @param options of the scenario, parsed
 * @param cluster the devices
 * @param network its groups are set
 */
void
ReadGroups(const ScenarioOptions& options, const Cluster& cluster, NetworkOptions& network)
{
    std::vector<ClusterNetwork> kinds;
    std::vector<Ptr<const LinkType>> links;
    const NetworkOptions all = network;
    for (const auto& device : cluster.devices)
    {
        const ClusterNetwork& own = device.network ? *device.network : cluster.network;
        const auto known = std::find(kinds.begin(), kinds.end(), own);
        const std::size_t index = known - kinds.begin();
        if (known == kinds.end())
        {
            network.groups.push_back({own.cell, {}, all});
            links.push_back(FindLink(own));
            kinds.push_back(own);
        }
        network.groups[index].devices.insert(device.name);
    }
    RefuseUnusedOptions(options, links);
    for (std::size_t i = 0; i < kinds.size(); ++i)
    {
        ReadLink(options, cluster.network, kinds[i], links[i], network.groups[i].network);
    }
    network.link = "mixed";
    // The transport has one attribute for all senders, those of cells too.
    if (AnyOf(links, [](const auto& link) { return link->GetTraits().options.count("queue"); }))
    {
        network.sendBufferBytes = MIXED_SEND_BUFFER;
    }
}

} // namespace

bool
ReplaysRecording(const NetworkOptions& one)
{
    return !one.uplinkTrace.empty() || !one.downlinkTrace.empty();
}

bool
MovesDevices(const NetworkOptions& one)
{
    return one.mobility != "static";
}

void
AddNetworkOptions(ScenarioOptions& o, NetworkOptions& network)
{
    o.Bind("fidelity=flow", network.fidelity)
        .Help("flow (transfers share links' rates) or packet (every packet of ns-3's TCP)");
    const auto rules = Map(ListFlowRules(), [](const auto& rule) { return rule.first; });
    const auto read = [&o, rules] {
        std::vector<std::string> without;
        if (!o.GetString("without").empty())
        {
            o.Expect("without",
                     o.GetString("fidelity") == "flow",
                     "none, since --fidelity=packet has no rules of flows");
            o.Read("without", without, rules);
        }
        return without;
    };
    auto& without = o.Bind("without=", std::function<void()>(read));
    without.Help(
        "rules of flows to leave out of the simulation, to see what they matter, "
        "separated by commas: " +
        JoinWords(rules) +
        "; --PrintAttributes=ns3::edgepipe::FlowTransport and TensorTransport explain them");
    without.set = [read](AttributeDefaults& defaults) {
        const auto all = ListFlowRules();
        for (const auto& rule : read())
        {
            defaults.Set(all.at(rule), BooleanValue(false));
        }
    };
    network.link.clear();
    o.Bind("link=").Help(LINKS + "the cluster's");
    o.Bind("bandwidth=")
        .Help(
            "rate of every wire or bearer, both ways, such as 100Mbps, or rates over time, such "
            "as 0s:100Mbps,5s:20Mbps; wifi, lte: limit of what every device sends, and of what it "
            "receives; empty: the default of --link=4g, 3g or cat1, none of wifi or lte, else the "
            "cluster's");
    o.Bind("uplink-bandwidth=").Help("the same of every uplink alone; empty: as --bandwidth");
    o.Bind("downlink-bandwidth=").Help("the same of every downlink alone; empty: as --bandwidth");
    o.Bind("delay=").Help("one-way delay of every wire or bearer, such as 20us; empty: the default "
                          "of --link=4g, 3g, cat1 or trace, else the cluster's");
    o.Bind("jitter=").Help(
        "largest additional delay of every bearer, such as 8ms, at flow level the mean of a "
        "message's latest packet; empty: the link's default");
    o.Bind("queue=").Help("queue before each direction of a bearer, packets; empty: 1000");
    o.Bind("send-buffer=")
        .Help(
            "SO_SNDBUF of every sender, bytes, which Linux doubles; 0: TCP sizes the buffer; "
            "empty: on bearers 131072, or what they send in a round trip at their highest rate if "
            "that is more, else 0");
    o.Bind("trace=").Help(
        "recorded bandwidth of every uplink: a file, or a name in traces/bandwidth such as lte-up "
        "or lte-driving; without --trace-down, downlinks replay FILE.down beside FILE.up, the "
        "downlink in a file with both, or else the same recording");
    o.Bind("trace-down=")
        .Help("recorded bandwidth of every downlink: a file or a name as for --trace");
    o.Bind("trace-format=auto", network.trace.format)
        .Help("format of recordings: mahimahi, pensieve, gnettrack, csv, log, mets, sabre, iperf3 "
              "or columns; auto: by content");
    o.Bind("trace-columns=", network.trace.columns)
        .Help("what the columns of a recording hold, such as time:ms,down:kbps (in their order) or "
              "time=NAME:s,down=NAME:Mbps,up=NUMBER:bytes; empty: by its format");
    o.Bind("trace-order=strict", network.trace.order)
        .Help("rows of a recording that go back in time: strict (refused), sort or drop");
    o.Bind("trace-unsaturated=false", network.trace.isUnsaturated)
        .Help("whether to replay a direction that was not saturated when it was recorded, such as "
              "a download's acknowledgements");
    o.Bind("trace-end=loop", network.trace.end)
        .Help("what comes after a recording: loop, hold (the last value) or stop");
    o.Bind("trace-offset=0s", network.trace.offset)
        .Help("where in the recording the simulation starts, such as 30s");
    o.Bind("trace-scale=1", network.trace.scale, 1e-3, 1e3)
        .Help("factor on recorded bandwidth, 0.001 to 1000");
    o.Bind("mtu=1500", network.mtuBytes, 576, 9000).Help("largest IP packet, bytes");
    o.Bind("loss=0", network.lossRate, 0, 0.99)
        .Help("share of packets lost on every link, 0 to 0.99; on Wi-Fi, of data frames, which are "
              "retransmitted");
    o.Bind("cut=").Help("device whose links go dead, and when, such as NAME@2s; empty: none");
    o.Bind("wifi-standard=ac", network.wifiStandard).Help("802.11 standard: n, ac or ax");
    o.Bind("wifi-band=5", network.wifiBandGhz, 2.4, 6).Help("2.4, 5 or 6 GHz");
    o.Bind("wifi-width=0", network.wifiChannelMhz, 0, 160)
        .Help("channel width, MHz; 0: 80, or the widest the band has if less");
    o.Bind("wifi-guard-interval=0", network.wifiGuardIntervalNs, 0, 3200)
        .Help("ns: 400 or 800 for n and ac; 800, 1600 or 3200 for ax; 0: 800, for ax 3200");
    o.Bind("wifi-rate-control=ideal", network.wifiRateControl)
        .Help("ideal (by the SNR last seen) or minstrel");
    o.Bind("distance=5", network.distanceMeters, 0.1, 10000)
        .Help("wifi, lte: distance of every device from the access point or base station, m");
    o.Bind("mobility=static", network.mobility)
        .Help("wifi, lte: static; away (straight outwards from --distance); or random-walk (within "
              "--distance)");
    o.Bind("speed=1", network.speedMetersPerSecond, 0, 1000)
        .Help("wifi, lte: speed of every moving device, m/s");
    o.Bind("competitors=0", network.competitors, 0, 1000)
        .Help("wifi, lte: further stations at --distance that upload by TCP all the time");
    o.Bind("lte-bandwidth=25", network.lteResourceBlocks, 6, 100)
        .Help("resource blocks of 180 kHz each way: 6, 15, 25, 50, 75 or 100 (1.4 to 20 MHz)");
    AddTracesOption(o);
}

void
SetUsualLink(ScenarioOptions& options, NetworkOptions& network, const std::string& link)
{
    network.link = link;
    options.SetDefault("link", "")
        .Help(LINKS + "the links that the cluster gives single devices, if any, else " + link);
}

bool
SetUsualRecording(ScenarioOptions& options, const std::string& trace)
{
    bool isOpen = !IsGiven(options, "trace") && !IsGiven(options, "bandwidth") &&
                  !IsGiven(options, "uplink-bandwidth");
    if (IsGiven(options, "link"))
    {
        isOpen &= options.GetString("link") == "trace";
    }
    else if (IsGiven(options, "cluster"))
    {
        const std::string file = FindTracesFile(options, "cluster", "clusters");
        isOpen &= !HasOwnNetworks(ReadCluster(file, FindTracesFolder(options)));
    }
    if (isOpen)
    {
        options.Set("trace", trace);
    }
    return isOpen;
}

void
ReadNetworkOptions(const ScenarioOptions& options, const Cluster& cluster, NetworkOptions& network)
{
    const auto given = [&options](const std::string& name) { return IsGiven(options, name); };
    network.wifiCapacityFile = FindTracesFolder(options) + "/links/wifi-capacity.csv";
    if (!given("link") && HasOwnNetworks(cluster))
    {
        ReadGroups(options, cluster, network);
    }
    else
    {
        const std::string link = given("link") ? options.GetString("link") : network.link;
        const ClusterNetwork own = link.empty() ? cluster.network : ClusterNetwork{link, ""};
        const auto type = FindLink(own);
        RefuseUnusedOptions(options, {type});
        ReadLink(options, cluster.network, own, type, network);
    }
    for (const auto& name : {"trace-format",
                             "trace-columns",
                             "trace-order",
                             "trace-unsaturated",
                             "trace-end",
                             "trace-offset",
                             "trace-scale"})
    {
        options.Expect(name,
                       !options.IsChanged(name) || AnyOf(ListNetworks(network), ReplaysRecording),
                       "none, since no link replays a recording");
    }
    options.Expect("speed",
                   !options.IsChanged("speed") || AnyOf(ListNetworks(network), MovesDevices),
                   "none, since --mobility=static does not use it; away does");
    if (given("send-buffer"))
    {
        options.Read("send-buffer", network.sendBufferBytes.emplace(), 0, 1U << 30);
    }
    if (given("cut"))
    {
        const std::string& cut = options.GetString("cut");
        const auto at = cut.rfind('@');
        options.Expect("cut",
                       at != 0 && at != std::string::npos &&
                           ParseTime(cut.substr(at + 1), network.cutTime),
                       "DEVICE@TIME, such as " + cluster.devices.front().name + "@2s");
        network.cutDevice = cut.substr(0, at);
    }
}

std::optional<Cluster>
ReadServedCluster(const ScenarioOptions& options,
                  std::initializer_list<const char*> others,
                  const std::string& device)
{
    if (!IsGiven(options, "cluster"))
    {
        return std::nullopt;
    }
    for (const char* other : others)
    {
        options.Expect(other, !options.IsChanged(other), "none where --cluster says it");
    }
    const std::string file = FindTracesFile(options, "cluster", "clusters");
    Cluster cluster = ReadCluster(file, FindTracesFolder(options));
    Require(cluster.devices.size() >= 2,
            file + ": devices: found one, expected " + device + " and, last, the server");
    return cluster;
}

Cluster
MakeServedCluster(const std::vector<DeviceSpec>& types,
                  const DeviceSpec& server,
                  std::size_t count,
                  const std::string& link)
{
    Cluster cluster{"", {}, {}, {link, ""}};
    for (std::size_t i = 0; i <= count; ++i)
    {
        const DeviceSpec& spec = i < count ? types[i % types.size()] : server;
        cluster.devices.push_back({i < count ? spec.name + "-" + std::to_string(i) : "server",
                                   spec.name,
                                   AddDeviceType(cluster.specs, spec),
                                   spec.usableMemoryBytes});
    }
    return cluster;
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

} // namespace ns3::edgepipe
