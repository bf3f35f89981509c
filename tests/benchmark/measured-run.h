// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGEPIPE_MEASURED_RUN_H
#define EDGEPIPE_MEASURED_RUN_H

// What benchmarks include and share.

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-table.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <valgrind/callgrind.h>
#include <vector>

using namespace ns3;
using namespace ns3::edgepipe;

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

/// Works of a benchmark that can be counted, by name.
using CountedWorks = std::map<std::string, std::function<void()>>;

/// Do what CountInstructions asks of this process, if it does.
/// @return whether it did
bool RunCounted(int argc, char* argv[], const CountedWorks& works);

/// Instructions of what a work measures, counted by valgrind: a busy machine counts as a quiet one.
/// @param work which of the works that this program gives RunCounted
/// @throws std::runtime_error if valgrind fails, or counts none
double CountInstructions(const std::string& work);

/** @return CPU time of this process so far, seconds; of one thread, its wall time if left alone */
double GetProcessSeconds();

/// @return seconds that some work takes; its instructions count
template <typename Work>
double
Measure(Work work)
{
    const double start = GetProcessSeconds();
    CALLGRIND_START_INSTRUMENTATION;
    work();
    CALLGRIND_STOP_INSTRUMENTATION;
    return GetProcessSeconds() - start;
}

/// Print a figure beside its limit.
/// @param value the figure; NaN is within no limit
/// @param limit the most it may be
/// @return whether it is within the limit
bool CheckAtMost(const std::string& name, double value, double limit);

/// As CheckAtMost, with the least it may be.
bool CheckAtLeast(const std::string& name, double value, double limit);

/** @return the middle one of some figures, the larger of two */
double GetMedian(std::vector<double> values);

/** @return whether the command line says --short and nothing else */
bool IsShort(int argc, char* argv[]);

/// @return the least of its seconds: whatever else the machine does only adds
template <typename Work>
double
MeasureLeast(Work work, std::size_t repeats)
{
    double least = HUGE_VAL;
    for (std::size_t i = 0; i < repeats; ++i)
    {
        least = std::min(least, Measure(work));
    }
    return least;
}

#endif /* EDGEPIPE_MEASURED_RUN_H */
