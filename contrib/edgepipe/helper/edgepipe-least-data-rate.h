/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LEAST_DATA_RATE_H
#define EDGEPIPE_LEAST_DATA_RATE_H

#include "ns3/node-container.h"

namespace ns3
{
namespace edgepipe
{

/**
 * What planners may take the bandwidth to be where nobody says.
 *
 * @param nodes some nodes
 * @return the least data rate of their net devices and those devices' channels, bit/s
 * @throws InputError if none of them has one
 */
double FindLeastDataRate(const NodeContainer& nodes);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_LEAST_DATA_RATE_H */
