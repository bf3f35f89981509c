/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/mean-interval.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

namespace ns3
{
namespace edgepipe
{

MeanInterval
EstimateMean(const std::vector<double>& sample)
{
    const double n = sample.size();
    const double mean = *FindMean(sample);
    if (sample.size() == 1)
    {
        return {mean, 0};
    }
    double squares = 0;
    for (const double value : sample)
    {
        squares += (value - mean) * (value - mean);
    }
    const double t = boost::math::quantile(boost::math::students_t(n - 1), 0.975);
    return {mean, t * std::sqrt(squares / (n - 1) / n)};
}

std::optional<double>
FindMean(const std::vector<double>& values)
{
    return values.empty() ? std::nullopt
                          : std::make_optional(std::accumulate(values.begin(), values.end(), 0.0) /
                                               values.size());
}

} // namespace edgepipe
} // namespace ns3
