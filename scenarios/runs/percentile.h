/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PERCENTILE_H
#define EDGEPIPE_PERCENTILE_H

#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @param values some figures, in any order
 * @param share 0 to 1
 * @return the smallest of them that at least that share of them do not exceed (the nearest rank);
 *         0 if there is none
 */
double FindPercentile(std::vector<double> values, double share);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PERCENTILE_H */
