/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/network-inputs.h"

#include "lib/flow-errors.h"
#include "lib/traces-option.h"

#include "ns3/edgepipe-json-reader.h"

namespace ns3::edgepipe
{

namespace
{

/// SO_SNDBUF of all senders where some of several networks are bearers, bytes.
constexpr uint32_t MIXED_SEND_BUFFER = 128 * 1024;

/// The help of --link, up to its default.
const std::string LINKS = "lan, p2p (a chain), wifi, lte, 4g, 3g or cat1 (a mobile bearer for each "
                          "device), or trace (bearers that replay a recording); empty: ";

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
 * @param options of the scenario, parsed
 * @param name of an option of links
 * @return whether it has a value that is not its default, nor empty, which says the same
 */
bool
IsChanged(const ScenarioOptions& options, const std::string& name)
{
    return IsGiven(options, name) && options.IsChanged(name);
}

/**
 * Refuse options that no link would use.
 *
 * @param options of the scenario, parsed
 * @param links all links of the network
 */
void
RefuseUnusedOptions(const ScenarioOptions& options, const std::vector<Ptr<LinkType>>& links)
{
    for (const auto& [name, users] : GetLinkOptions())
    {
        const bool isUsed =
            AnyOf(links, [&name = name](const auto& link) { return link->HasOption(name); });
        if (!isUsed && IsChanged(options, name))
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
Ptr<LinkType>
FindLink(const ClusterNetwork& network)
{
    const Ptr<LinkType> link =
        FindByName<LinkType>(network.place.empty() ? "--link" : network.place + ".link",
                             network.link);
    const auto known = GetLinkOptions();
    for (const auto& [name, value] : network.options)
    {
        Require(known.count(name) > 0,
                network.place + ": unknown key " + QuoteForMessage(name) +
                    ", expected link, cell or an option of links: " +
                    JoinWords(Map(known, [](const auto& one) { return one.first; })));
        Require(link->HasOption(name),
                network.place + "." + name + ": found \"" + value + "\", expected " +
                    ExplainUnused(*link, name));
    }
    return link;
}

/** Options of a link that are given together. */
struct Layer
{
    LinkType::Options values; //!< by option
    std::string place;        //!< file and field they are from; empty: the command line

    /** @return what a message about one of them begins with */
    std::string GetStart() const
    {
        return place.empty() ? "--" : place + ".";
    }
};

/**
 * Set options of a link.
 *
 * @param options of the scenario, parsed
 * @param layer the options
 * @param link they are set of
 * @throws InputError naming the option, if it is not one that the link takes
 */
void
SetLinkOptions(const ScenarioOptions& options, const Layer& layer, LinkType& link)
{
    try
    {
        link.Forget(layer.values);
    }
    catch (const InputError& error)
    {
        throw InputError(layer.GetStart() + error.what());
    }
    for (const auto& [name, value] : layer.values)
    {
        ScenarioOptions words(options.GetName(), "");
        words.Bind("traces=" + options.GetString("traces"));
        words.Bind(name + "=" + value);
        try
        {
            const auto attribute = link.GetOptions().at(name);
            const std::string text =
                name == "trace"        ? FindRecording(words, name, TraceDirection::UP)
                : name == "trace-down" ? FindRecording(words, name, TraceDirection::DOWN)
                                       : words.ReadAttribute(name, *attribute.checker);
            link.SetAttribute(attribute.name, StringValue(text));
        }
        catch (const InputError& error)
        {
            const std::string what = error.what();
            const bool isOwn = what.rfind("--" + name + ":", 0) == 0;
            throw InputError(isOwn ? layer.GetStart() + what.substr(2) : what);
        }
    }
}

/**
 * Set the options of devices on one kind of link.
 *
 * @param options of the scenario, parsed; those that the link has take precedence if changed
 * @param common the cluster's network for all devices, overridden by the others
 * @param own the cluster's network for these devices
 * @param network that the devices are part of
 * @param link how they are joined
 */
void
ReadLink(const ScenarioOptions& options,
         const ClusterNetwork& common,
         const ClusterNetwork& own,
         const NetworkOptions& network,
         LinkType& link)
{
    std::array<Layer, 3> layers{{{{}, common.place}, {own.options, own.place}, {}}};
    const bool isWire = dynamic_cast<const WireLink*>(&link);
    for (const auto& [name, value] : common.options)
    {
        // Wires of any kind take the cluster's bandwidth and delay; other links have their own.
        if (link.HasOption(name) &&
            (common.link == link.GetName() || (isWire && (name == "bandwidth" || name == "delay"))))
        {
            layers[0].values[name] = value;
        }
    }
    for (const auto& [name, attribute] : link.GetOptions())
    {
        if (IsChanged(options, name))
        {
            layers[2].values[name] = options.GetString(name);
        }
    }
    if (link.HasOption("wifi-capacity"))
    {
        link.SetAttribute("WifiCapacity",
                          StringValue(FindTracesFolder(options) + "/links/wifi-capacity.csv"));
    }
    for (const auto& layer : layers)
    {
        SetLinkOptions(options, layer, link);
    }
    try
    {
        link.Check(network, {});
    }
    catch (const InputError& error)
    {
        // CheckNetwork says where other values are from.
        if (link.HasOption(error.GetOption()))
        {
            const auto layer = std::find_if(layers.rbegin(), layers.rend(), [&](const auto& one) {
                return one.values.count(error.GetOption()) > 0;
            });
            throw InputError((layer == layers.rend() ? "--" : layer->GetStart()) + error.what());
        }
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
    std::vector<Ptr<LinkType>> links;
    network.groups.clear();
    for (const auto& device : cluster.devices)
    {
        const ClusterNetwork& own = device.network ? *device.network : cluster.network;
        const auto known = std::find(kinds.begin(), kinds.end(), own);
        const std::size_t index = known - kinds.begin();
        if (known == kinds.end())
        {
            links.push_back(FindLink(own));
            network.groups.push_back({own.cell, {}, links.back()});
            kinds.push_back(own);
        }
        network.groups[index].devices.insert(device.name);
    }
    RefuseUnusedOptions(options, links);
    for (std::size_t i = 0; i < kinds.size(); ++i)
    {
        ReadLink(options, cluster.network, kinds[i], network, *links[i]);
    }
    // The transport has one attribute for all senders, those of cells too.
    if (AnyOf(links, [](const auto& link) { return link->HasOption("queue"); }))
    {
        network.sendBufferBytes = MIXED_SEND_BUFFER;
    }
}

/**
 * @param name of an option
 * @param links that have it, by their names
 * @return its help, with the links' defaults where these differ
 */
std::string
DescribeOption(const std::string& name, const std::map<std::string, Ptr<const LinkType>>& links)
{
    using Words = std::vector<std::string>;
    std::map<std::string, std::map<std::string, Words>> users; // by help and default
    std::set<std::string> defaults;
    for (const auto& [link, type] : links)
    {
        const auto attribute = type->GetOptions().at(name);
        users[FormatHelp(attribute)][FormatDefault(attribute)].push_back(link);
        defaults.insert(FormatDefault(attribute));
    }
    const auto describe = [&defaults](const auto& one) {
        Words all;
        Words values;
        for (const auto& [value, names] : one.second)
        {
            all.insert(all.end(), names.begin(), names.end());
            values.push_back(value + (one.second.size() > 1 ? " (" + JoinWords(names) + ")" : ""));
        }
        std::sort(all.begin(), all.end());
        const bool isTold = defaults.size() > 1 && !values.front().empty();
        return JoinWords(all) + ": " + one.first +
               (isTold ? ", by default " + JoinWords(values, ", ", " or ") : "");
    };
    return JoinWords(Map(users, describe), "; ");
}

/**
 * Declare the options of all links that are not declared yet.
 *
 * @param options of the scenario
 */
void
AddLinkOptions(ScenarioOptions& options)
{
    for (const auto& [name, links] : GetLinkOptions())
    {
        const std::string usual = FormatDefault(links.begin()->second->GetOptions().at(name));
        const bool differs = AnyOf(links, [&, &name = name](const auto& link) {
            return FormatDefault(link.second->GetOptions().at(name)) != usual;
        });
        if (!options.Has(name))
        {
            options.Bind(name + "=" + (differs ? "" : usual)).Help(DescribeOption(name, links));
        }
    }
}

} // namespace

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
    network.groups.clear();
    o.Bind("link=").Help(LINKS + "the cluster's");
    o.Bind("send-buffer=")
        .Help(
            "SO_SNDBUF of every sender, bytes, which Linux doubles; 0: TCP sizes the buffer; "
            "empty: on bearers 131072, or what they send in a round trip at their highest rate if "
            "that is more, else 0");
    o.Bind("mtu=1500", network.mtuBytes, 576, 9000).Help("largest IP packet, bytes");
    o.Bind("loss=0", network.lossRate, 0, 0.99)
        .Help("share of packets lost on every link, 0 to 0.99; on Wi-Fi, of data frames, which are "
              "retransmitted");
    o.Bind("cut=").Help("device whose links go dead, and when, such as NAME@2s; empty: none");
    AddLinkOptions(o);
    o.OnLibrary([&o] { AddLinkOptions(o); });
    AddTracesOption(o);
}

void
SetUsualLink(ScenarioOptions& options, NetworkOptions& network, const std::string& link)
{
    network.SetLink(link);
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
    if (!given("link") && HasOwnNetworks(cluster))
    {
        ReadGroups(options, cluster, network);
    }
    else
    {
        const std::string link = given("link")            ? options.GetString("link")
                                 : network.groups.empty() ? ""
                                                          : network.GetLinkName();
        const ClusterNetwork own = link.empty() ? cluster.network : ClusterNetwork{link, ""};
        const auto type = FindLink(own);
        RefuseUnusedOptions(options, {type});
        ReadLink(options, cluster.network, own, network, *type);
        network.groups = {{"", {}, type}};
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
                       !options.IsChanged(name) || network.IsRecorded(),
                       "none, since no link replays a recording");
    }
    options.Expect("speed",
                   !options.IsChanged("speed") || network.IsMobile(),
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
        const bool isGiven = options.Has(option) && !options.GetString(option).empty();
        throw InputError((isGiven ? "--" : otherwise) + error.what());
    }
}

} // namespace ns3::edgepipe
