/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "measured-run.h"

#include "ns3/edgepipe-table.h"

#include <ctime>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param name what was measured
 * @param value the figure
 * @param bound the word before the limit
 * @param limit the limit
 * @param isWithin whether the figure is within it
 * @return isWithin
 */
bool
Report(const std::string& name, double value, const char* bound, double limit, bool isWithin)
{
    std::cout << (isWithin ? "ok      " : "FAILED  ") << name << ": " << Table::Rounded(value)
              << ", " << bound << " " << Table::Rounded(limit) << std::endl;
    return isWithin;
}

} // namespace

MeasuredRun
MeasureInChild(const std::function<RunFigures()>& run)
{
    int channel[2];
    if (pipe(channel) != 0)
    {
        throw std::runtime_error("no pipe to a child process");
    }
    std::cout.flush();
    const pid_t child = fork();
    if (child == 0)
    {
        try
        {
            const RunFigures figures = run();
            const bool isWritten = write(channel[1], &figures, sizeof figures) == sizeof figures;
            _exit(isWritten ? 0 : 1);
        }
        catch (const std::exception& error)
        {
            std::cerr << error.what() << std::endl;
            _exit(1);
        }
    }
    close(channel[1]);
    MeasuredRun measured;
    const bool isRead =
        read(channel[0], &measured.figures, sizeof measured.figures) == sizeof measured.figures;
    close(channel[0]);
    int status = 0;
    rusage usage{};
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0 || !isRead)
    {
        throw std::runtime_error("a measured simulation did not end well");
    }
    measured.peakMemoryBytes = usage.ru_maxrss * 1024;
    return measured;
}

MeasuredRun
MeasureBest(const std::function<RunFigures()>& run, uint32_t repeats)
{
    MeasuredRun best = MeasureInChild(run);
    for (uint32_t repeat = 1; repeat < repeats; ++repeat)
    {
        const MeasuredRun next = MeasureInChild(run);
        if (next.figures.wallSeconds < best.figures.wallSeconds)
        {
            best = next;
        }
    }
    return best;
}

double
GetProcessSeconds()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

bool
CheckAtMost(const std::string& name, double value, double limit)
{
    return Report(name, value, "at most", limit, value <= limit);
}

bool
CheckAtLeast(const std::string& name, double value, double limit)
{
    return Report(name, value, "at least", limit, value >= limit);
}

} // namespace edgepipe
} // namespace ns3
