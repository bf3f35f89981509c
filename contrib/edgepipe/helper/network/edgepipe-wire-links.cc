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
    CheckRates("bandwidth", m_bandwidth, false);
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

    /// @copydoc Typed::AddAttributes
    static TypeId AddAttributes(TypeId tid)
    {
        return Attributes(tid)
            .Add("PortBuffer",
                 "Bytes that wait in a port of the switch at most, at packet level; 0: 1000 "
                 "packets, or what --shared-buffer holds.",
                 {&LanLink::m_portBytes, 0, 0, 1000000000})
            .Add("SharedBuffer",
                 "Bytes that wait in all ports of the switch at most, at packet level; 0: no "
                 "limit.",
                 {&LanLink::m_sharedBytes, 0, 0, 1000000000});
    }

    void Check(const NetworkOptions& network, const std::vector<std::string>& names) const override
    {
        WireLink::Check(network, names);
        const auto check = [&](const char* option, uint32_t bytes) {
            const bool isHeld = bytes == 0 || bytes >= network.mtuBytes;
            Require(isHeld && (bytes == 0 || network.fidelity == "packet"),
                    option,
                    std::to_string(bytes),
                    isHeld ? "0 at flow level, where no buffer overflows"
                           : "0, or a packet of " + std::to_string(network.mtuBytes) +
                                 " bytes or more");
        };
        check("port-buffer", m_portBytes);
        check("shared-buffer", m_sharedBytes);
    }

    std::string Describe(const NetworkOptions& network) const override
    {
        const auto describe = [](uint32_t bytes, const char* of) {
            return bytes == 0 ? "" : ", " + Table::Rounded(bytes / 1e3) + " kB of buffer in " + of;
        };
        return WireLink::Describe(network) + describe(m_portBytes, "a port") +
               describe(m_sharedBytes, "all ports");
    }

    Topology MakeTopology(const NetworkOptions& network,
                          const std::vector<std::string>& names) const override
    {
        NetworkOptions alike = network;
        alike.wiredDevices.clear();
        WireMedium wires = MakeWires();
        wires.portBytes = m_portBytes;
        wires.sharedBytes = m_sharedBytes;
        return MakeStar(alike, names, "switch", wires);
    }

  private:
    uint32_t m_portBytes;   //!< see SwitchBuffer
    uint32_t m_sharedBytes; //!< see SwitchBuffer
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
