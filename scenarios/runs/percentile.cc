/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "runs/percentile.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace ns3
{
namespace edgepipe
{

double
FindPercentile(std::vector<double> values, double share)
{
    if (values.empty())
    {
        return 0;
    }
    const double rank = std::ceil(share * values.size());
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(std::max(1.0, rank)) - 1;
    std::nth_element(values.begin(), place, values.end());
    return *place;
}

} // namespace edgepipe
} // namespace ns3
