/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-topology.h"

#include "ns3/edgepipe-table.h"

#include <algorithm>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Wires of one bandwidth, which may change, and one delay.
 */
class WireLink : public LinkType
{
  public:
    void SetDefaults(NetworkOptions& options) const override
    {
        options.bandwidthBitsPerSecond = MakeWires(options).bitsPerSecond;
    }

    std::string Describe(const NetworkOptions& options) const override
    {
        const double bitsPerSecond = MakeWires(options).bitsPerSecond;
        const double delay = options.delay.GetSeconds();
        double highest = bitsPerSecond;
        for (const auto& step : options.bandwidthSteps)
        {
            highest = std::max(highest, step.bitsPerSecond);
        }
        return GetName() + " (" + Table::Rounded(bitsPerSecond / 1e6) + " Mbit/s" +
               (options.bandwidthSteps.empty() ? "" : " at first") + ", delay " +
               Table::Rounded(1e3 * delay) + " ms" +
               DescribeWindow(highest,
                              (m_traits.isForwarding ? 2 : 4) * delay,
                              options.sendBufferBytes.value_or(0)) +
               ")";
    }

  protected:
    /**
     * @param isForwarding whether devices forward for each other
     * @param overheadBytes per packet on the wire, beyond those of IP
     */
    WireLink(bool isForwarding, double overheadBytes)
        : LinkType({{"bandwidth", "delay"}, isForwarding, isForwarding}),
          m_overheadBytes(overheadBytes)
    {
    }

    /**
     * @param options of such a link
     * @return its wires
     */
    WireMedium MakeWires(const NetworkOptions& options) const
    {
        return {options.bandwidthBitsPerSecond > 0 ? options.bandwidthBitsPerSecond : 1e9,
                options.bandwidthSteps,
                options.delay,
                m_overheadBytes};
    }

  private:
    double m_overheadBytes; //!< per packet on the wire, beyond those of IP
};

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
        : Named(false, ETHERNET_OVERHEAD)
    {
    }

    Topology MakeTopology(const NetworkOptions& options,
                          const std::vector<std::string>& names) const override
    {
        NetworkOptions alike = options;
        alike.wiredDevices.clear();
        return MakeStar(alike, names, "switch", MakeWires(options));
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
        : Named(true, PPP_OVERHEAD)
    {
    }

    Topology MakeTopology(const NetworkOptions& options,
                          const std::vector<std::string>& names) const override
    {
        const uint32_t devices = names.size();
        Topology chain{options.mtuBytes, options.lossRate, devices, {MakeWires(options)}, {}};
        for (uint32_t i = 0; i < devices; ++i)
        {
            const uint32_t next = std::min(i + 1, devices - 1);
            const bool isCut = names[i] == options.cutDevice || names[next] == options.cutDevice;
            chain.nodes.push_back({names[i], next, 0, isCut ? options.cutTime : Time::Max()});
        }
        return chain;
    }
};

NS_OBJECT_ENSURE_REGISTERED(P2pLink);

} // namespace ns3::edgepipe
