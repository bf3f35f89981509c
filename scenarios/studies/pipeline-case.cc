/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/pipeline-case.h"

namespace ns3
{
namespace edgepipe
{

const char*
PipelineCase::GetAdaptation() const
{
    return isReplanned ? (helped ? "both" : "replanning") : helped ? "adjacent" : "neither";
}

const char*
PipelineCase::GetStatus() const
{
    return !HasPlan() ? "no-plan" : result.finished ? "finished" : "stalled";
}

bool
PipelineCase::HasPlan() const
{
    return problemWithPlan.empty();
}

std::vector<double>
PipelineCase::GetIterationSeconds() const
{
    std::vector<double> seconds;
    for (const auto& [start, end] : result.iterations)
    {
        seconds.push_back((end - start).GetSeconds());
    }
    return seconds;
}

double
PipelineCase::GetTotalSeconds() const
{
    const auto& all = result.iterations;
    return all.empty() ? 0 : (all.back().end - all.front().start).GetSeconds();
}

double
PipelineCase::GetMigrationSeconds() const
{
    double seconds = 0;
    for (const auto& change : result.planChanges)
    {
        seconds += (change.inForce - change.decided).GetSeconds();
    }
    return seconds;
}

double
PipelineCase::GetDecidingSeconds() const
{
    Time between;
    for (std::size_t i = 1; i < result.iterations.size(); ++i)
    {
        between += result.iterations[i].start - result.iterations[i - 1].end;
    }
    for (const auto& change : result.planChanges)
    {
        between -= change.inForce - change.decided;
    }
    return between.GetSeconds();
}

uint64_t
PipelineCase::GetMigratedBytes() const
{
    uint64_t bytes = 0;
    for (const auto& change : result.planChanges)
    {
        bytes += change.decision.moveBytes;
    }
    return bytes;
}

PlannerFailures
PipelineCase::GetFailures() const
{
    PlannerFailures failures;
    for (const auto& made : result.decisions)
    {
        const std::string& why = made.decision.problemWithPlan;
        failures.Add(PlannerFailures{why.empty() ? uint64_t{0} : uint64_t{1}, why});
    }
    return failures;
}

} // namespace edgepipe
} // namespace ns3
