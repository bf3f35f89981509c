// SPDX-License-Identifier: GPL-2.0-only

#include "measured-run.h"

#include "ns3/edgepipe-child-process.h"

#include <cstring>
#include <ctime>
#include <filesystem>
#include <stdexcept>

namespace
{

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
    const ChildReport report = ChildProcess::Run([&run] {
        const RunFigures figures = run();
        return std::string(reinterpret_cast<const char*>(&figures), sizeof(figures));
    });
    MeasuredRun measured;
    std::memcpy(&measured.figures, report.text.data(), sizeof(measured.figures));
    measured.peakMemoryBytes = report.peakMemoryBytes;
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

bool
RunCounted(int argc, char* argv[], const CountedWorks& works)
{
    if (argc != 3 || argv[1] != std::string("--count"))
    {
        return false;
    }
    works.at(argv[2])();
    return true;
}

double
CountInstructions(const std::string& work)
{
    const std::string program = std::filesystem::read_symlink("/proc/self/exe");
    const std::string command = "valgrind --tool=callgrind --instr-atstart=no "
                                "--callgrind-out-file=/dev/null '" +
                                program + "' --count '" + work + "' 2>&1";
    FILE* pipe = popen(command.c_str(), "r");
    std::string said;
    for (int c; pipe && (c = fgetc(pipe)) != EOF;)
    {
        said += static_cast<char>(c);
    }
    const std::string label = "Collected :";
    const auto found = said.find(label);
    const double count =
        found == std::string::npos ? 0 : std::atof(said.c_str() + found + label.size());
    if (!pipe || pclose(pipe) != 0 || count <= 0)
    {
        throw std::runtime_error("valgrind counted nothing of '" + work + "': " + said);
    }
    return count;
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

double
GetMedian(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values.at(values.size() / 2);
}

bool
IsShort(int argc, char* argv[])
{
    return argc == 2 && argv[1] == std::string("--short");
}
