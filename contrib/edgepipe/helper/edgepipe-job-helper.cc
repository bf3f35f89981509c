/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-job-helper.h"

#include "ns3/channel.h"
#include "ns3/edgepipe-flow-topology.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/net-device.h"
#include "ns3/uinteger.h"

#include <iostream>
#include <limits>
#include <optional>

namespace ns3::edgepipe
{

void
AttributeList::Add(const std::string& name, const AttributeValue& value)
{
    m_attributes.emplace_back(name, value.Copy());
}

void
AttributeList::Apply(ObjectBase& object) const
{
    for (const auto& [name, value] : m_attributes)
    {
        Require(object.SetAttributeFailSafe(name, *value),
                "attribute: found no \"" + name + "\" of " + object.GetInstanceTypeId().GetName() +
                    " that takes such a value, expected one that it has");
    }
}

namespace
{

/// More than any data rate, bit/s.
constexpr double ENDLESS = std::numeric_limits<double>::infinity();

/**
 * @param device a net device
 * @return its data rate, or that of its channel, bit/s, of which 0 is none at all; nothing if
 *         neither has one
 */
std::optional<double>
GetDataRate(const Ptr<NetDevice>& device)
{
    const Ptr<Channel> channel = device->GetChannel();
    DataRateValue rate;
    if (device->GetAttributeFailSafe("DataRate", rate) ||
        (channel && channel->GetAttributeFailSafe("DataRate", rate)))
    {
        return rate.Get().GetBitRate() > 0 ? rate.Get().GetBitRate() : ENDLESS;
    }
    return {};
}

/**
 * @param nodes some nodes
 * @return the least data rate of their net devices, bit/s; endless if none has one
 */
double
FindOwnDataRate(const NodeContainer& nodes)
{
    double least = ENDLESS;
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        for (uint32_t j = 0; j < nodes.Get(i)->GetNDevices(); ++j)
        {
            least = std::min(least, GetDataRate(nodes.Get(i)->GetDevice(j)).value_or(ENDLESS));
        }
    }
    return least;
}

/**
 * @param hop of a route
 * @return the least data rate on it, bit/s
 * @throws InputError if it is not known
 */
double
FindHopDataRate(const FlowHop& hop)
{
    const Ptr<Node> node = hop.from->GetNode();
    const double ports = hop.from->IsBridge() ? FindOwnDataRate(node) : ENDLESS;
    const auto rate = ports < ENDLESS ? ports : GetDataRate(hop.from);
    Require(rate.has_value(),
            JoinParts("node ",
                      node->GetId(),
                      ": found a ",
                      hop.from->GetInstanceTypeId().GetName(),
                      " on the way to node ",
                      hop.to->GetNode()->GetId(),
                      ", which has no DataRate: expected SetBandwidth to tell the helper what "
                      "planners assume"));
    // Behind a bridge.
    const bool isOther = hop.to->GetChannel() != hop.from->GetChannel();
    return std::min(*rate, isOther ? GetDataRate(hop.to).value_or(ENDLESS) : ENDLESS);
}

} // namespace

double
FindLeastDataRate(const NodeContainer& from, const NodeContainer& to)
{
    double least = ENDLESS;
    HopFinder finder;
    bool isTold = false;
    const auto add = [&](const Ptr<Node>& sender, const Ptr<Node>& receiver) {
        std::vector<FlowHop> hops;
        try
        {
            hops = finder.Find(sender->GetId(), receiver->GetId());
        }
        catch (const InputError& error)
        {
            std::cerr << (isTold ? ""
                                 : JoinParts("edgepipe: the first plan assumes the DataRate of the "
                                             "nodes' own net devices, since ",
                                             error.what(),
                                             "; expected Install after that, or SetBandwidth\n"));
            isTold = true;
            least = std::min(least, FindOwnDataRate(NodeContainer(sender, receiver)));
        }
        for (const auto& hop : hops)
        {
            least = std::min(least, FindHopDataRate(hop));
        }
    };
    for (auto sender = from.Begin(); sender != from.End(); ++sender)
    {
        for (auto receiver = to.Begin(); receiver != to.End(); ++receiver)
        {
            if (*sender != *receiver)
            {
                add(*sender, *receiver);
            }
        }
    }
    least = least < ENDLESS ? least : FindOwnDataRate(from); // of one node, alone
    Require(least < ENDLESS,
            "none of the nodes has a net device with a DataRate, expected one, or the "
            "helper to be told a bandwidth, which planners ask for");
    return least;
}

ApplicationContainer
AddJob(const std::vector<std::pair<Ptr<Node>, Ptr<EdgeApplication>>>& parts)
{
    NodeContainer nodes;
    for (const auto& [node, application] : parts)
    {
        nodes.Add(node);
    }
    const auto number = UintegerValue(TensorEndpoint::TakeJob(nodes));
    ApplicationContainer applications;
    for (const auto& [node, application] : parts)
    {
        application->SetAttribute("JobNumber", number);
        node->AddApplication(application);
        applications.Add(application);
    }
    return applications;
}

} // namespace ns3::edgepipe
