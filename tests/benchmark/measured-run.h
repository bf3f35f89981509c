// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGEPIPE_MEASURED_RUN_H
#define EDGEPIPE_MEASURED_RUN_H

#include <cstdint>
#include <functional>
#include <string>

namespace ns3::edgepipe
{

/** What a simulation did and how long it took. */
struct RunFigures
{
    uint64_t count{0};          //!< transfers, or events, simulated
    double simulatedSeconds{0}; //!< simulated time at the end
    double wallSeconds{0};      //!< CPU time of one thread, its wall time if left alone

    /** @return transfers, or events, per wall second */
    double GetRate() const
    {
        return static_cast<double>(count) / wallSeconds;
    }
};

/** A simulation in a process of its own. */
struct MeasuredRun
{
    RunFigures figures;          //!< what it returned
    uint64_t peakMemoryBytes{0}; //!< most memory of the process, program and libraries included
};

/// Run something in a child process, so that its memory is its own and a library that can start
/// only once per process starts anew.
/// @return its figures and peak memory
/// @throws InputError or std::runtime_error if the child fails
MeasuredRun MeasureInChild(const std::function<RunFigures()>& run);

/// @param run what to run, each time in a process of its own
/// @return the run of the least wall time
/// @throws InputError or std::runtime_error if a child fails
MeasuredRun MeasureBest(const std::function<RunFigures()>& run, uint32_t repeats);

/** @return CPU time of this process so far, seconds */
double GetProcessSeconds();

/// Print a figure beside its limit.
/// @param value the figure; NaN is within no limit
/// @param limit the most it may be
/// @return whether it is within the limit
bool CheckAtMost(const std::string& name, double value, double limit);

/// Print a figure beside its limit.
/// @param value the figure; NaN is within no limit
/// @param limit the least it may be
/// @return whether it is within the limit
bool CheckAtLeast(const std::string& name, double value, double limit);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_MEASURED_RUN_H */
