/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TRAINING_REPORT_H
#define EDGEPIPE_TRAINING_REPORT_H

#include "ns3/edgepipe-training-inputs.h"

#include <cstddef>
#include <string>

namespace ns3
{
namespace edgepipe
{

/**
 * @param ratio a share
 * @return the share in percent, for people
 */
std::string FormatPercent(double ratio);

/**
 * @param count how many
 * @param singular what
 * @param plural what, when not one
 * @return such as "1 sample" or "8 samples"
 */
std::string FormatCount(std::size_t count, const char* singular, const char* plural);

/**
 * Print what is trained and what to know about its figures, above a table, on standard output.
 *
 * @param inputs of the scenario
 * @param devices what it is trained on, such as "15 devices"
 * @param plannerBandwidth that planners are told, bit/s
 */
void PrintHeading(const TrainingInputs& inputs,
                  const std::string& devices,
                  double plannerBandwidth);

/**
 * @param costs of layers, by device type
 * @return every origin of them, once, joined by +
 */
std::string JoinOrigins(const std::map<std::string, LayerCost>& costs);

/**
 * @param inputs of the scenario
 * @param plannerBandwidth that planners are told, bit/s
 * @param more a JSON object, whose members follow
 * @return run.json
 */
std::string FormatRunFile(const TrainingInputs& inputs,
                          double plannerBandwidth,
                          const std::string& more);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_TRAINING_REPORT_H */
