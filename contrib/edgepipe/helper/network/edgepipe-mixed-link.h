/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_MIXED_LINK_H
#define EDGEPIPE_MIXED_LINK_H

#include "edgepipe-link-type.h"

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Devices with networks of their own, NetworkOptions::groups, around one core that forwards in no
 * time: bearers end in it, access points, base stations and switches are joined to it by a cable,
 * and so are devices of no group. Groups of one link and cell share the cell, in which each device
 * has its own place, or the switch.
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
    static TypeId GetTypeId();

    MixedLink();
    void Check(const NetworkOptions& options, const std::vector<std::string>& names) const override;
    std::string Describe(const NetworkOptions& options, bool isDetailed) const override;
    Topology MakeTopology(const NetworkOptions& options,
                          const std::vector<std::string>& names) const override;
};

/**
 * @param options of devices with networks of their own
 * @param group one of the groups
 * @return options of that group alone, with what holds for the whole network
 */
NetworkOptions GetGroupOptions(const NetworkOptions& options, const NetworkGroup& group);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_MIXED_LINK_H */
