/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TRAINING_REPORT_H
#define EDGEPIPE_TRAINING_REPORT_H

#include "lib/run-report.h"
#include "lib/training-inputs.h"

#include "ns3/edgepipe-job-recorder.h"

#include <string>

namespace ns3
{
namespace edgepipe
{

/** Print what the columns idle and bubbles are, below a table, on standard output. */
void PrintIdleLegend();

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
 * Write timeline.json: who did what, when.
 *
 * @tparam Case has a name, and a result with a timeline, which may be null
 * @param os where to
 * @param cases of pipeline training
 * @param names of the devices
 */
template <typename Case>
void
WriteTimeline(std::ostream& os,
              const std::vector<Case>& cases,
              const std::vector<std::string>& names)
{
    ChromeTraceWriter writer(os);
    for (const auto& one : cases)
    {
        if (one.result.timeline)
        {
            writer.AddCase(one.name, names, *one.result.timeline, LabelPipelineTag);
        }
    }
    writer.Finish();
}

/**
 * @param inputs of the scenario
 * @param plannerBandwidth that planners are told, bit/s
 * @param more an object, whose members follow
 * @return run.json
 */
std::string FormatRunFile(const TrainingInputs& inputs,
                          double plannerBandwidth,
                          const nlohmann::ordered_json& more);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_TRAINING_REPORT_H */
