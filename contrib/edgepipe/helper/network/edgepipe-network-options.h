/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_NETWORK_OPTIONS_H
#define EDGEPIPE_NETWORK_OPTIONS_H

#include "edgepipe-link-type.h"

#include "ns3/edgepipe-ranges.h"

namespace ns3::edgepipe
{

/**
 * @param name of a LinkType
 * @param attributes of it, each name followed by its value
 * @return such a link
 * @throws InputError naming the option "link" if there is none of that name
 */
template <typename... Attributes>
Ptr<LinkType>
MakeLink(const std::string& name, const Attributes&... attributes)
{
    ObjectFactory factory(FindByName<LinkType>("link", name)->GetInstanceTypeId().GetName());
    factory.Set(attributes...);
    return factory.Create<LinkType>();
}

/** Devices connected in the same way. */
struct NetworkGroup
{
    std::string cell;              //!< devices of one link and cell share it
    std::set<std::string> devices; //!< their names; empty: all
    Ptr<const LinkType> link;      //!< how they are connected

    /**
     * Replace the link by one that differs in an attribute.
     *
     * @param attribute of the link
     * @param value it gets
     */
    void Set(const std::string& attribute, const AttributeValue& value);
};

/** How the devices are connected. */
struct NetworkOptions
{
    /** All devices on a LAN. */
    NetworkOptions()
    {
        SetLink("lan");
    }

    /**
     * Connect all devices in the same way.
     *
     * @param name of a LinkType
     * @param attributes of it, each name followed by its value
     * @throws InputError naming the option if there is no link of that name
     */
    template <typename... Attributes>
    void SetLink(const std::string& name, const Attributes&... attributes)
    {
        groups = {{"", {}, MakeLink(name, attributes...)}};
    }

    /**
     * @param name of an attribute of the link of all devices
     * @param value it gets
     * @param more attributes, each followed by its value
     */
    template <typename... More>
    void Set(const std::string& name, const AttributeValue& value, const More&... more)
    {
        groups.front().Set(name, value);
        Set(more...);
    }

    /** Ends the recursion. */
    void Set()
    {
    }

    /** @return whether groups of devices are connected each in their own way */
    bool IsMixed() const
    {
        return groups.size() != 1 || !groups.front().devices.empty();
    }

    /** @return name of the link of all devices; mixed if there are several */
    std::string GetLinkName() const
    {
        return IsMixed() ? "mixed" : groups.front().link->GetName();
    }

    /** @return the link of all devices, not mixed */
    const LinkType& GetLink() const
    {
        return *groups.front().link;
    }

    /** @return the link of every group */
    std::vector<Ptr<const LinkType>> GetLinks() const
    {
        return Map(groups, &NetworkGroup::link);
    }

    /** @return whether transfers share links or a medium */
    bool IsShared() const
    {
        return !IsMixed() && GetLink().GetTraits().isShared;
    }

    /** @return whether links replay a recording */
    bool IsRecorded() const;

    /** @return whether devices move */
    bool IsMobile() const;

    /** @return how many further stations upload all the time, the most of any cell */
    uint32_t CountCompetitors() const;

    std::string fidelity{"flow"}; //!< packet or flow
    /// Devices by how they are connected. One of all devices: by one link; else each group to a
    /// common core, and none may forward.
    std::vector<NetworkGroup> groups;
    uint32_t mtuBytes{1500}; //!< largest IP packet, bytes; wifi: at most 2296
    double lossRate{0};      //!< share of packets lost on every link, 0 to 1
    /// Devices with a cable of their own whatever the link is: servers, to the access point, or to
    /// the network behind the base station; not used by lan and p2p
    std::set<std::string> wiredDevices;
    double backhaulBitsPerSecond{1e9};    //!< of such a cable, bit/s, > 0
    Time backhaulDelay{MicroSeconds(20)}; //!< of such a cable, one way
    /// SO_SNDBUF of every sender, bytes, at most 2^30; 0: TCP sizes its send buffer; empty: as
    /// Topology::GetSendBuffer says
    std::optional<uint32_t> sendBufferBytes;
    std::string cutDevice; //!< device whose links go dead, empty for none
    Time cutTime;          //!< when they go dead
};

/**
 * @param network devices on one kind of link or several
 * @return the kinds and their properties
 */
std::string DescribeLink(const NetworkOptions& network);

/**
 * @param network how to connect the devices, checked
 * @param names of the devices
 * @return the topology
 * @throws InputError if an input file cannot be used
 */
Topology MakeTopology(const NetworkOptions& network, const std::vector<std::string>& names);

/**
 * Refuse invalid options.
 *
 * @param options the options
 * @param names of the devices
 * @throws InputError naming the option
 */
void CheckNetworkOptions(const NetworkOptions& options, const std::vector<std::string>& names);

/**
 * @param network devices with networks of their own
 * @param group one of the groups
 * @return the network of that group alone
 */
NetworkOptions GetGroupOptions(const NetworkOptions& network, const NetworkGroup& group);

/// Bytes an Ethernet frame adds on the wire: preamble 8, header 14, check sequence 4, gap 12.
constexpr double ETHERNET_OVERHEAD = 38;

/// Bytes ns-3's point-to-point device adds.
constexpr double PPP_OVERHEAD = 2;

/// IP header, TCP header and its timestamp option, bytes.
constexpr uint32_t TCP_IP_HEADERS = 52;

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_NETWORK_OPTIONS_H */
