/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TRAINING_REPORT_H
#define EDGEPIPE_TRAINING_REPORT_H

#include "lib/run-report.h"
#include "lib/training-inputs.h"

#include "ns3/edgepipe-chrome-trace.h"

#include <string>

namespace ns3
{
namespace edgepipe
{

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
 * @param tag of a task or a message of a run of pipelines, see PipelineTag
 * @return how a timeline shows it
 */
TagLabel LabelPipelineTag(uint64_t tag);

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
