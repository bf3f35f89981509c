// SPDX-License-Identifier: GPL-2.0-only

// Changes of a network's link in steps.

#ifndef EDGEPIPE_TEST_LINKS_H
#define EDGEPIPE_TEST_LINKS_H

#include "ns3/edgepipe-network-options.h"

#include <string>
#include <vector>

/// Join the devices by another kind of link, with the attributes that both have and that were
/// changed.
inline void
SetKind(ns3::edgepipe::NetworkOptions& network, const std::string& kind)
{
    const auto old = network.groups.front().link;
    const auto usual = ns3::edgepipe::FindByName<ns3::edgepipe::LinkType>("link", old->GetName());
    network.SetLink(kind);
    for (const auto& [option, attribute] : old->GetOptions())
    {
        const auto value = attribute.checker->Create();
        const auto before = attribute.checker->Create();
        old->GetAttribute(attribute.name, *value);
        usual->GetAttribute(attribute.name, *before);
        if (network.GetLink().HasOption(option) && value->SerializeToString(attribute.checker) !=
                                                       before->SerializeToString(attribute.checker))
        {
            network.Set(attribute.name, *value);
        }
    }
}

/// Set the bandwidth, both ways, at first.
inline void
SetRate(ns3::edgepipe::NetworkOptions& network, double bitsPerSecond)
{
    ns3::edgepipe::RateStepsValue old;
    network.GetLink().GetAttribute("Bandwidth", old);
    network.Set("Bandwidth", ns3::edgepipe::RateStepsValue({bitsPerSecond, old.Get().GetLater()}));
}

/// Set the bandwidth, both ways, from some time on.
inline void
SetLaterRates(ns3::edgepipe::NetworkOptions& network,
              const std::vector<ns3::edgepipe::BandwidthStep>& later)
{
    const double first = network.GetLink().GetRates()[0].bitsPerSecond;
    network.Set("Bandwidth", ns3::edgepipe::RateStepsValue({first, later}));
}

/// @return the bandwidth, both ways, at first, bit/s
inline double
GetRate(const ns3::edgepipe::NetworkOptions& network)
{
    return network.GetLink().GetRates()[0].bitsPerSecond;
}

/// @return one-way delay of each link
inline ns3::Time
GetDelay(const ns3::edgepipe::NetworkOptions& network)
{
    return network.GetLink().GetDelay();
}

#endif /* EDGEPIPE_TEST_LINKS_H */
