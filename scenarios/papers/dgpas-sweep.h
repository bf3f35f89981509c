/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DGPAS_SWEEP_H
#define EDGEPIPE_DGPAS_SWEEP_H

#include "papers/dgpas-setting.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** A plan under one more condition, without and with help. */
struct DgpasPoint
{
    std::size_t model;      //!< index in the models
    std::string method;     //!< whose plan
    uint64_t seed;          //!< of the plan
    double x;               //!< the condition
    DgpasOutcomes outcomes; //!< what came of it
};

/// Gains below this share of an iteration do not count as such.
constexpr double DGPAS_LEAST_GAIN = 0.001;

/**
 * The bandwidth from which on helping pays.
 *
 * @param points of one model and method, by rising bandwidth
 * @return the least of the bandwidths from which on `full` gains DGPAS_LEAST_GAIN or more at every
 *         one; none if it does not at the last
 */
std::optional<double> FindPayingBandwidth(const std::vector<DgpasPoint>& points);

/**
 * @param isQuick whether few will do
 * @return bandwidths of wires, rising, as options take them: 10 Mbit/s to 100 Gbit/s
 */
std::vector<std::string> GetDgpasBandwidths(bool isQuick);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_DGPAS_SWEEP_H */
