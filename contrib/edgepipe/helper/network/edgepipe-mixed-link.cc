/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-topology.h"

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

NetworkOptions
GetGroupOptions(const NetworkOptions& options, const NetworkGroup& group)
{
    NetworkOptions own = group.network;
    own.groups.clear();
    own.fidelity = options.fidelity;
    own.mtuBytes = options.mtuBytes;
    own.lossRate = options.lossRate;
    own.wiredDevices.clear();
    own.backhaulBitsPerSecond = options.backhaulBitsPerSecond;
    own.backhaulDelay = options.backhaulDelay;
    own.sendBufferBytes = options.sendBufferBytes;
    own.cutDevice = options.cutDevice;
    own.cutTime = options.cutTime;
    return own;
}

/**
 * @ingroup edgepipe
 *
 * Devices with networks of their own, NetworkOptions::groups, around one core that forwards in no
 * time: bearers end at it; access points, base stations, switches and devices of no group are
 * connected to it by a cable. Groups of one link and cell share the cell, in which each device has
 * its own place, or the switch.
 *
 * No option selects it by name: FindLinkType returns it for options that have groups.
 */
class MixedLink : public LinkType
{
  public:
    /**
     * Register this type.
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        // Without a constructor, so that it is not found by name.
        static TypeId tid =
            TypeId("ns3::edgepipe::MixedLink").SetParent<LinkType>().SetGroupName("Edgepipe");
        return tid;
    }

    MixedLink()
        : LinkType({})
    {
    }

    std::string GetName() const override
    {
        return "mixed";
    }

    void Check(const NetworkOptions& options, const std::vector<std::string>& names) const override
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
            auto& devices = sharing[{group.network.link, group.cell}];
            devices.insert(devices.end(), own.begin(), own.end());
        }
        uint32_t cells = 0;
        std::set<std::string> seen;
        for (const auto& group : options.groups)
        {
            const NetworkOptions own = GetGroupOptions(options, group);
            const auto link = FindLinkType(own);
            Require(!link->GetTraits().isForwarding,
                    "link",
                    "\"" + link->GetName() + "\" for a device of its own",
                    "a link that ends in a network, such as lan: devices of " + link->GetName() +
                        " forward for each other");
            NetworkOptions uncut = own;
            uncut.cutDevice.clear(); // its device may be of another group
            CheckNetworkOptions(uncut, sharing[{own.link, group.cell}]);
            cells += link->GetName() == "lte" && seen.insert(group.cell).second ? 1 : 0;
        }
        Require(options.fidelity != "packet" || cells <= 1,
                "cell",
                std::to_string(cells) + " of lte",
                "one at packet level, whose devices all have addresses of one core; "
                "--fidelity=flow simulates several");
    }

    std::string Describe(const NetworkOptions& options) const override
    {
        std::vector<std::pair<std::string, std::size_t>> kinds; // in the order of the groups
        for (const auto& group : options.groups)
        {
            NetworkOptions own = group.network;
            own.sendBufferBytes = options.sendBufferBytes;
            const auto kind = DescribeLink(own);
            const auto known = FindIf(kinds, [&kind](auto& other) { return other.first == kind; });
            (known ? *known : kinds.emplace_back(kind, 0)).second += group.devices.size();
        }
        return JoinWords(Map(kinds, [](const auto& each) {
            return std::to_string(each.second) + " on " + each.first;
        }));
    }

    Topology MakeTopology(const NetworkOptions& options,
                          const std::vector<std::string>& names) const override
    {
        const uint32_t devices = names.size();
        Topology mixed{options.mtuBytes, options.lossRate, devices, {}, {}};
        mixed.media.push_back(WireMedium{options.backhaulBitsPerSecond,
                                         {},
                                         options.backhaulDelay,
                                         ETHERNET_OVERHEAD});
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
            const NetworkOptions own = GetGroupOptions(options, group);
            const auto link = FindLinkType(own);
            // Medium and end of its links are the same for any devices.
            Topology part = link->MakeTopology(own, {});
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
            const auto place = isCell ? std::make_shared<NetworkOptions>(own) : nullptr;
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
};

NS_OBJECT_ENSURE_REGISTERED(MixedLink);

Ptr<const LinkType>
MakeMixedLink()
{
    return CreateObject<MixedLink>();
}

} // namespace ns3::edgepipe
