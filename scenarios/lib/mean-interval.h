/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_MEAN_INTERVAL_H
#define EDGEPIPE_MEAN_INTERVAL_H

#include <optional>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** A mean and how far the true one may be from it. */
struct MeanInterval
{
    double mean;      //!< of the sample
    double halfWidth; //!< of the 95 % confidence interval; 0 for one value
};

/**
 * @param sample independent values, at least one
 * @return its mean and Student's 95 % confidence interval, t(0.975, n - 1) s / sqrt(n)
 */
MeanInterval EstimateMean(const std::vector<double>& sample);

/**
 * @param values any
 * @return their mean; none if there is none
 */
std::optional<double> FindMean(const std::vector<double>& values);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_MEAN_INTERVAL_H */
