/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-mixed-network.h"

#include "ns3/edgepipe-ranges.h"

#include <algorithm>
#include <map>

namespace ns3::edgepipe
{

namespace
{

/// Index of the cables' medium.
constexpr uint32_t CABLE = 0;

/** A switch, access point or base station under construction. */
struct Center
{
    uint32_t node;   //!< its number
    uint32_t medium; //!< of the first group
};

} // namespace

void
CheckMixed(const NetworkOptions& options, const std::vector<std::string>& names)
{
    for (const auto& name : names)
    {
        Require(options.wiredDevices.count(name) ||
                    AnyOf(options.groups, [&](auto& one) { return one.devices.count(name); }),
                "network",
                "none for " + name,
                "one for each device, as the cluster says; --link gives all the same");
    }
    const std::set<std::string> all(names.begin(), names.end());
    std::map<std::pair<std::string, std::string>, std::vector<std::string>> sharing;
    for (const auto& group : options.groups)
    {
        const auto own = Filter(group.devices, [&](auto& name) { return all.count(name); });
        auto& devices = sharing[{group.link->GetName(), group.cell}];
        devices.insert(devices.end(), own.begin(), own.end());
    }
    uint32_t cells = 0;
    std::set<std::string> seen;
    for (const auto& group : options.groups)
    {
        const auto& link = group.link;
        Require(!link->GetTraits().isForwarding,
                "link",
                "\"" + link->GetName() + "\" for a device of its own",
                "a link that ends in a network, such as lan: devices of " + link->GetName() +
                    " forward for each other");
        NetworkOptions uncut = GetGroupOptions(options, group);
        uncut.cutDevice.clear(); // its device may be of another group
        CheckNetworkOptions(uncut, sharing[{link->GetName(), group.cell}]);
        cells += link->GetName() == "lte" && seen.insert(group.cell).second ? 1 : 0;
    }
    Require(options.fidelity != "packet" || cells <= 1,
            "cell",
            std::to_string(cells) + " of lte",
            "one at packet level, whose devices all have addresses of one core; "
            "--fidelity=flow simulates several");
}

std::string
DescribeMixed(const NetworkOptions& options)
{
    std::vector<std::pair<std::string, std::size_t>> kinds; // in the order of the groups
    for (const auto& group : options.groups)
    {
        const auto kind = group.link->Describe(options);
        const auto known = FindIf(kinds, [&kind](auto& other) { return other.first == kind; });
        (known ? *known : kinds.emplace_back(kind, 0)).second += group.devices.size();
    }
    return JoinWords(Map(kinds, [](const auto& each) {
        return std::to_string(each.second) + " on " + each.first;
    }));
}

Topology
MakeMixedTopology(const NetworkOptions& options, const std::vector<std::string>& names)
{
    const uint32_t devices = names.size();
    Topology mixed{options.mtuBytes, options.lossRate, devices, {}, {}};
    mixed.media.push_back(
        WireMedium{options.backhaulBitsPerSecond, {}, options.backhaulDelay, ETHERNET_OVERHEAD});
    // The core is the last node; its number is known once all others are added.
    constexpr uint32_t core = UINT32_MAX;
    std::map<std::string, uint32_t> indices;
    for (const auto& name : names)
    {
        indices.emplace(name, mixed.nodes.size());
        const bool isCut = name == options.cutDevice;
        mixed.nodes.push_back({name, core, CABLE, isCut ? options.cutTime : Time::Max()});
    }
    std::map<std::pair<std::string, std::string>, Center> centers;
    for (const auto& group : options.groups)
    {
        std::vector<uint32_t> stations;
        for (const auto& name : group.devices)
        {
            const auto index = indices.find(name);
            if (index != indices.end())
            {
                stations.push_back(index->second);
            }
        }
        if (stations.empty())
        {
            continue;
        }
        const auto& link = group.link;
        // Medium and end of its links are the same for any devices.
        Topology part = link->MakeTopology(GetGroupOptions(options, group), {});
        uint32_t medium = mixed.media.size();
        uint32_t parent = core;
        const bool isCell = std::holds_alternative<CellMedium>(part.media.front());
        Center* center = nullptr;
        if (!std::holds_alternative<BearerMedium>(part.media.front()))
        {
            const auto [found, isNew] =
                centers.emplace(std::pair(link->GetName(), group.cell), Center());
            center = &found->second;
            if (isNew)
            {
                const std::string suffix = group.cell.empty() ? "" : " " + group.cell;
                center->node = mixed.nodes.size();
                center->medium = medium;
                mixed.nodes.push_back({part.nodes.back().name + suffix, core, CABLE});
            }
            parent = center->node;
            medium = isCell ? center->medium : medium;
        }
        if (medium == mixed.media.size())
        {
            mixed.media.push_back(std::move(part.media.front()));
        }
        const auto place = DynamicCast<const RadioLink>(link);
        for (const uint32_t station : stations)
        {
            mixed.nodes[station].place = place;
            mixed.nodes[station].parent = parent;
            mixed.nodes[station].medium = medium;
        }
    }
    const uint32_t last = mixed.nodes.size();
    for (auto& node : mixed.nodes)
    {
        node.parent = std::min(node.parent, last);
    }
    mixed.nodes.push_back({"core", last, CABLE});
    return mixed;
}

} // namespace ns3::edgepipe
