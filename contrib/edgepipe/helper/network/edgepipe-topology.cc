/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-topology.h"

#include "ns3/edgepipe-table.h"
#include "ns3/edgepipe-time.h"

namespace ns3::edgepipe
{

/// Least send buffer, bytes, on bearers. TCP's own sizing grows to a megabyte, which takes seconds
/// at their rates.
constexpr uint32_t BEARER_SEND_BUFFER = 128 * 1024;

bool
BearerMedium::HasRecordedDelay() const
{
    return rates[0].GetRecordedDelay() || rates[1].GetRecordedDelay();
}

Time
BearerMedium::GetDelay(std::size_t way) const
{
    return rates[way].GetRecordedDelay().value_or(delay);
}

uint32_t
BearerMedium::GetSendBuffer() const
{
    const auto [slow, fast] = std::minmax({rates[0].GetHighest(), rates[1].GetHighest()});
    const double roundTripSeconds = 2 * (GetDelay(0) + GetDelay(1) + jitter + jitter).GetSeconds();
    // A way to a wired device is one bearer, a way between two is as fast as the slower direction.
    return std::clamp(std::max(slow, fast / 2) / 8 * roundTripSeconds,
                      double{BEARER_SEND_BUFFER},
                      0x1p30);
}

std::unique_ptr<StepSource>
BearerMedium::MakeDelays(std::size_t way) const
{
    const LinkRate& rate = rates[way];
    auto recorded =
        rate.trace.empty() ? nullptr : OpenDelayTrace(rate.trace, rate.direction, rate.replay);
    return recorded ? std::move(recorded)
                    : std::make_unique<ListedSteps>(
                          std::vector<TraceStep>{{Time(), delay.GetSeconds()}});
}

double
WireMedium::GetGoodput(uint32_t mtuBytes, const Time& time) const
{
    double rate = bitsPerSecond;
    for (const auto& step : steps)
    {
        rate = step.time <= time ? step.bitsPerSecond : rate;
    }
    return rate * (mtuBytes - TCP_IP_HEADERS) / (mtuBytes + overheadBytes);
}

std::vector<TopologyHop>
Topology::GetPath(uint32_t from, uint32_t to) const
{
    std::vector<TopologyHop> path;
    std::vector<TopologyHop> down;
    while (from != to)
    {
        // Parents come later, so that the earlier of two nodes is not above the other.
        if (from < to)
        {
            path.push_back({from, true});
            from = nodes[from].parent;
        }
        else
        {
            down.push_back({to, false});
            to = nodes[to].parent;
        }
    }
    path.insert(path.end(), down.rbegin(), down.rend());
    return path;
}

double
Topology::GetDelaySeconds(uint32_t from, uint32_t to) const
{
    Time delay;
    for (const auto& hop : GetPath(from, to))
    {
        const Medium& medium = GetMedium(hop.node);
        if (const auto* wire = std::get_if<WireMedium>(&medium))
        {
            delay += wire->delay;
        }
        else if (const auto* bearer = std::get_if<BearerMedium>(&medium))
        {
            delay += bearer->GetDelay(hop.isUp ? 0 : 1) + bearer->jitter / 2;
        }
    }
    return delay.GetNanoSeconds() / 1e9; // GetSeconds() makes 1.9999999999999998e-05 of 20 us
}

uint32_t
Topology::GetSendBuffer() const
{
    uint32_t bytes = 0;
    for (const auto& medium : media)
    {
        const auto* bearer = std::get_if<BearerMedium>(&medium);
        bytes = std::max(bytes, bearer ? bearer->GetSendBuffer() : 0);
    }
    return bytes;
}

Topology
MakeStar(const NetworkOptions& options,
         const std::vector<std::string>& names,
         const std::string& center,
         Medium medium)
{
    const uint32_t devices = names.size();
    Topology star{options.mtuBytes, options.lossRate, devices, {std::move(medium)}, {}};
    star.media.push_back(
        WireMedium{options.backhaulBitsPerSecond, {}, options.backhaulDelay, ETHERNET_OVERHEAD});
    for (const auto& name : names)
    {
        star.nodes.push_back({name,
                              devices,
                              options.wiredDevices.count(name) ? 1U : 0U,
                              name == options.cutDevice ? options.cutTime : Time::Max()});
    }
    star.nodes.push_back({center, devices, 0});
    return star;
}

} // namespace ns3::edgepipe
