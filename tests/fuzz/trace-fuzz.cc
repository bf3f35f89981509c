// SPDX-License-Identifier: GPL-2.0-only

// Every input is either refused with InputError, or replays as edgepipe-trace.h promises.

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-trace.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

constexpr int PULLED = 300; //!< values taken from a replay, enough for several loops

void
Require(bool holds, const char* what)
{
    if (!holds)
    {
        std::cerr << "broken promise: " << what << std::endl;
        std::abort();
    }
}

/** A file in memory that has a path. */
class MemoryFile
{
  public:
    MemoryFile()
        : m_descriptor(memfd_create("trace", MFD_CLOEXEC)),
          m_path("/proc/self/fd/" + std::to_string(m_descriptor))
    {
        Require(m_descriptor >= 0, "memory files exist");
    }

    /// @return the path
    const std::string& Write(const uint8_t* data, std::size_t size) const
    {
        Require(ftruncate(m_descriptor, 0) == 0, "the file can be emptied");
        Require(pwrite(m_descriptor, data, size, 0) == static_cast<ssize_t>(size),
                "the file can be written");
        return m_path;
    }

  private:
    int m_descriptor;   //!< the file
    std::string m_path; //!< its path
};

void
PullSteps(StepSource& source, double most)
{
    TraceStep step{Time(), 0};
    Time last = NanoSeconds(-1);
    for (int i = 0; i < PULLED && source.Next(step); ++i)
    {
        Require(i > 0 || step.time.IsZero(), "the first step is at time 0");
        Require(step.time > last, "times increase");
        Require(step.value >= 0 && step.value <= most, "values are in their range");
        last = step.time;
    }
    Require(last >= NanoSeconds(0), "there is a step");
}

void
ReplayOpportunities(const std::string& path, const TraceOptions& options)
{
    auto source = OpenOpportunityTrace(path, options);
    Time last = NanoSeconds(0);
    Time time;
    for (int i = 0; i < PULLED && source->Next(time); ++i)
    {
        Require(time >= last, "times do not go back");
        last = time;
    }
    // Counting at a terabit per second takes a while: few intervals, and short ones.
    auto rates = MakeRates(OpenOpportunityTrace(path, options), MicroSeconds(500));
    TraceStep step;
    last = NanoSeconds(-1);
    for (int i = 0; i < 10 && rates->Next(step); ++i)
    {
        Require(step.time > last, "times of intervals increase");
        last = step.time;
    }
}

void
Replay(const std::string& path, const TraceOptions& options)
{
    constexpr double mostBitsPerSecond = 1e12;
    if (options.format == "load")
    {
        PullSteps(*OpenLoadTrace(path, options), 1);
        return;
    }
    for (TraceDirection direction : {TraceDirection::UP, TraceDirection::DOWN})
    {
        const TraceSummary summary = CheckTrace(path, direction, options);
        Require(summary.durationSeconds >= 1e-3 && summary.durationSeconds <= 1e9 &&
                    summary.meanBitsPerSecond >= 0 &&
                    summary.meanBitsPerSecond <= 2 * mostBitsPerSecond,
                "summaries are in their range");
        if (summary.format == TraceFormat::MAHIMAHI)
        {
            ReplayOpportunities(path, options);
            return;
        }
        PullSteps(*OpenRateTrace(path, direction, options), mostBitsPerSecond);
    }
}

} // namespace

/// @param data the contents of a recording; its last byte says how to replay it
/// @return 0
extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    static const MemoryFile file;
    const uint8_t choice = size > 0 ? data[size - 1] : 0;
    const char* const ends[] = {"loop", "hold", "stop", "loop"};
    const double scales[] = {1, 0.25, 3, 1000};
    const Time offsets[] = {Seconds(0), MilliSeconds(7), NanoSeconds(3'200'000'001), Seconds(1e9)};

    TraceOptions options;
    options.format = EDGEPIPE_FUZZED_FORMAT;
    options.end = ends[choice & 3];
    options.scale = scales[choice >> 2 & 3];
    options.offset = offsets[choice >> 4 & 3];
    options.order = choice & 64 ? "sort" : "strict";
    options.isUnsaturated = true;
    if (options.format == "columns")
    {
        // The first line says what the columns hold.
        const uint8_t* const end = std::find(data, data + size, '\n');
        options.columns.assign(data, end);
        const std::size_t taken = std::min<std::size_t>(size, end - data + 1);
        data += taken;
        size -= taken;
    }
    else if (choice & 128 && options.format != "load")
    {
        options.format = "auto";
    }
    try
    {
        Replay(file.Write(data, size), options);
    }
    catch (const InputError& error)
    {
        const std::string message = error.what();
        Require(message.find('\n') == std::string::npos && message.size() < 1000,
                "a message is one line");
    }
    return 0;
}
