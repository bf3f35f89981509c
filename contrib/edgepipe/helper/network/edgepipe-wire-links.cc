/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-topology.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-table.h"

#include <algorithm>

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(WireLink);

TypeId
WireLink::AddAttributes(TypeId tid)
{
    tid.AddAttribute("Bandwidth",
                     "Rate of every wire, both ways, such as 100Mbps, or rates over time, such as "
                     "0s:100Mbps,5s:20Mbps.",
                     RateStepsValue(1e9),
                     MakeRateStepsAccessor(&WireLink::m_bandwidth),
                     MakeRateStepsChecker());
    return Attributes(tid).Add("Delay",
                               "One-way delay of every wire, such as 20us.",
                               {&WireLink::m_delay, MicroSeconds(20)});
}

void
WireLink::Check(const NetworkOptions& /* network */,
                const std::vector<std::string>& /* names */) const
{
    for (const auto& [time, bitsPerSecond] : m_bandwidth.steps)
    {
        Require(bitsPerSecond >= 1e3 && bitsPerSecond <= 1e12,
                "bandwidth",
                Table::Exact(bitsPerSecond),
                "1e3 to 1e12 bit/s, or 0 for a while except on lan and p2p");
    }
    Require(!m_bandwidth.steps.empty(), "bandwidth", "none", "a rate");
    CheckDelay("delay", m_delay);
}

std::string
WireLink::Describe(const NetworkOptions& network) const
{
    const auto rate = GetRates()[0];
    const double delay = m_delay.GetSeconds();
    return GetName() + " (" + rate.Describe() + ", delay " + Table::Rounded(1e3 * delay) + " ms" +
           DescribeWindow(rate.GetHighest(),
                          (m_traits.isForwarding ? 2 : 4) * delay,
                          network.sendBufferBytes.value_or(0)) +
           ")";
}

std::array<LinkRate, 2>
WireLink::GetRates() const
{
    const double first = m_bandwidth.steps.front().bitsPerSecond;
    return {{{TraceDirection::UP, "", {}, first, m_bandwidth.GetLater()},
             {TraceDirection::DOWN, "", {}, first, m_bandwidth.GetLater()}}};
}

WireMedium
WireLink::MakeWires() const
{
    return {m_bandwidth.steps.front().bitsPerSecond,
            m_bandwidth.GetLater(),
            m_delay,
            m_overheadBytes};
}

/**
 * @ingroup edgepipe
 *
 * Full-duplex Ethernet to one switch, which is a node that forwards in no time beyond its wires'
 * delays. At packet level wires are ns-3 point-to-point links whose rate is set so that a full
 * packet takes as long as on Ethernet, with its 38 bytes of preamble, header, check sequence and
 * gap; shorter packets are slightly too fast.
 */
class LanLink : public Named<LanLink, WireLink>
{
  public:
    static constexpr const char* NAME = "lan"; //!< to select it by

    LanLink()
        : Named({}, ETHERNET_OVERHEAD)
    {
    }

    Topology MakeTopology(const NetworkOptions& network,
                          const std::vector<std::string>& names) const override
    {
        NetworkOptions alike = network;
        alike.wiredDevices.clear();
        return MakeStar(alike, names, "switch", MakeWires());
    }
};

NS_OBJECT_ENSURE_REGISTERED(LanLink);

/**
 * @ingroup edgepipe
 *
 * A chain of point-to-point links in the order of the devices, which forward for each other.
 */
class P2pLink : public Named<P2pLink, WireLink>
{
  public:
    static constexpr const char* NAME = "p2p"; //!< to select it by

    P2pLink()
        : Named({true, true}, PPP_OVERHEAD)
    {
    }

    Topology MakeTopology(const NetworkOptions& network,
                          const std::vector<std::string>& names) const override
    {
        const uint32_t devices = names.size();
        Topology chain{network.mtuBytes, network.lossRate, devices, {MakeWires()}, {}};
        for (uint32_t i = 0; i < devices; ++i)
        {
            const uint32_t next = std::min(i + 1, devices - 1);
            const bool isCut = names[i] == network.cutDevice || names[next] == network.cutDevice;
            chain.nodes.push_back({names[i], next, 0, isCut ? network.cutTime : Time::Max()});
        }
        return chain;
    }
};

NS_OBJECT_ENSURE_REGISTERED(P2pLink);

} // namespace ns3::edgepipe
