/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_RUN_REPORT_H
#define EDGEPIPE_RUN_REPORT_H

#include "lib/scenario-options.h"
#include "runs/percent.h"

#include "ns3/edgepipe-layer-cost.h"
#include "ns3/edgepipe-link-counter.h"
#include "ns3/edgepipe-network-options.h"
#include "ns3/edgepipe-sheet.h"
#include "ns3/edgepipe-table.h"

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <utility>

namespace ns3::edgepipe
{

/// Figures that differ by at most this share are ties; models err by more.
constexpr double TIE = 0.02;

/**
 * @param a a figure, 0 or more
 * @param b another
 * @return whether a is less, and no tie with b
 */
inline bool
IsLess(double a, double b)
{
    return a < (1 - TIE) * b;
}

/** @return 4 significant digits */
inline std::string
FormatRounded(double value)
{
    return Table::Rounded(value);
}

/** @return 3 significant digits */
inline std::string
FormatShort(double value)
{
    return Table::Rounded(value, 3);
}

/**
 * @param seconds some time
 * @return it in milliseconds, for people
 */
inline std::string
FormatMs(double seconds)
{
    return Table::Rounded(1e3 * seconds);
}

/**
 * @param seconds some time
 * @return it in microseconds, for people
 */
inline std::string
FormatUs(double seconds)
{
    return Table::Rounded(1e6 * seconds, 3);
}

/** @return bytes for people, see Table::Bytes */
inline std::string
FormatBytes(double bytes)
{
    return Table::Bytes(static_cast<uint64_t>(bytes));
}

/**
 * @param count how many
 * @param singular what
 * @param plural what, when not one
 * @return such as "1 sample" or "8 samples"
 */
inline std::string
FormatCount(std::size_t count, const char* singular, const char* plural)
{
    return std::to_string(count) + " " + (count == 1 ? singular : plural);
}

/**
 * @param values some figures, in any order
 * @param share 0 to 1
 * @return the percentile by nearest rank: the smallest value that at least that share of the values
 *         do not exceed; 0 without values
 */
double FindPercentile(std::vector<double> values, double share);

/**
 * @param costs of layers, by device type
 * @return a line that names the device types of each kind of stack; empty if all have one kind
 */
std::string DescribeUnlikeStacks(const std::map<std::string, LayerCost>& costs);

/**
 * Print where layer costs come from, a line per device type, on standard output; then
 * DescribeUnlikeStacks.
 *
 * @param costs of layers, by device type
 */
void PrintLayerCosts(const std::map<std::string, LayerCost>& costs);

/**
 * @param costs of layers, by device type
 * @return their distinct origins, joined by +
 */
std::string JoinOrigins(const std::map<std::string, LayerCost>& costs);

/** @return peak memory of this process so far, bytes */
uint64_t GetPeakMemoryBytes();

/**
 * @param options of the scenario
 * @param costs of layers, by device type
 * @param more an object, whose members are appended
 * @return run.json
 */
std::string FormatRunFile(const ScenarioOptions& options,
                          const std::map<std::string, LayerCost>& costs,
                          const nlohmann::ordered_json& more);

/**
 * @param network of all cases; null if they have none in common
 * @return columns and cells of what else a sweep may vary: properties of the links, given or
 *         default, and ns-3's seed and run number; so rows of many runs can be put together
 */
std::vector<std::pair<std::string, std::string>> ListRunColumns(const NetworkOptions* network);

/**
 * @param results of a scenario, a row per case
 * @param network of all cases; null if they have none in common
 * @return the results with ListRunColumns
 */
Table AddRunColumns(Table results, const NetworkOptions* network = nullptr);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_RUN_REPORT_H */
