/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_MOBILITY_H
#define EDGEPIPE_MOBILITY_H

#include "ns3/node-container.h"
#include "ns3/node.h"

#include <set>

namespace ns3::edgepipe
{

class RadioLink;

/**
 * @ingroup edgepipe
 *
 * Put devices on the circle around the origin, where the access point or base station is, each at
 * the angle of its number, and let them move as their link says:
 *
 * - static: they stay;
 * - away: straight outwards at constant velocity (ConstantVelocityMobilityModel);
 * - random-walk: straight to a point drawn uniformly from the disc within the circle, from there to
 *   another, without a pause (RandomWaypointMobilityModel).
 *
 * A device's path depends on the link, its number, the number of devices, and ns-3's seed and
 * run, not on which of the others have a position, nor on the fidelity.
 *
 * @param link the mobility, the distance and the speed
 * @param devices all devices
 * @param which those that get a position
 */
void InstallMobility(const RadioLink& link,
                     const NodeContainer& devices,
                     const std::set<uint32_t>& which);

/**
 * Put competitors on the same circle, between the devices; they stay.
 *
 * @param link the distance
 * @param competitors their nodes
 */
void PlaceCompetitors(const RadioLink& link, const NodeContainer& competitors);

/**
 * Put the access point or base station at the origin.
 *
 * @param hub its node
 */
void PlaceHub(Ptr<Node> hub);

/**
 * @param link the distance
 * @param device its node
 * @return its present distance from the origin, m; that of the link if it has no position
 */
double GetHubDistance(const RadioLink& link, Ptr<Node> device);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_MOBILITY_H */
