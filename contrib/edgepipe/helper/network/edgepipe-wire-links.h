/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_WIRE_LINKS_H
#define EDGEPIPE_WIRE_LINKS_H

#include "edgepipe-link-type.h"
#include "edgepipe-topology.h"

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Wires of one bandwidth, which may change, and one delay.
 */
class WireLink : public LinkType
{
  public:
    std::string Describe(const NetworkOptions& options, bool isDetailed) const override;

  protected:
    /**
     * @param name of the link type
     * @param isForwarding whether devices forward for each other
     * @param overheadBytes that a packet takes on the wire beyond its own
     */
    WireLink(const std::string& name, bool isForwarding, double overheadBytes);

    /**
     * @param options of such a link
     * @return its wires
     */
    WireMedium MakeWires(const NetworkOptions& options) const;

  private:
    double m_overheadBytes; //!< that a packet takes on the wire beyond its own
};

/**
 * @ingroup edgepipe
 *
 * Full-duplex Ethernet to one switch, which is a node that forwards in no time beyond its wires'
 * delays. At packet level wires are ns-3 point-to-point links whose rate is set so that a full
 * packet takes as long as on Ethernet, with its 38 bytes of preamble, header, check sequence and
 * gap; shorter packets are slightly too fast.
 */
class LanLink : public WireLink
{
  public:
    /**
     * Register this type.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    LanLink();
    Topology MakeTopology(const NetworkOptions& options,
                          const std::vector<std::string>& names) const override;
};

/**
 * @ingroup edgepipe
 *
 * A chain of point-to-point links in the order of the devices, which forward for each other.
 */
class P2pLink : public WireLink
{
  public:
    /**
     * Register this type.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    P2pLink();
    Topology MakeTopology(const NetworkOptions& options,
                          const std::vector<std::string>& names) const override;
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_WIRE_LINKS_H */
