/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/recording-inputs.h"

#include "lib/network-inputs.h"
#include "lib/traces-option.h"

#include "ns3/edgepipe-link-type.h"
#include "ns3/edgepipe-table.h"
#include "ns3/log.h"

#include <array>
#include <fstream>
#include <iostream>
#include <limits>

namespace ns3::edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeNetworkInputs");

namespace
{

/// Recordings with means outside these bounds, bit/s, are probably in another unit: GPRS in
/// four slots with coding CS-2 has 53.6 kbit/s, which kbit/s of 4G and 5G taken for bit/s seldom
/// reach; 5G at its peak has 20 Gbit/s (ITU-R M.2410).
constexpr double LEAST_PLAUSIBLE = 64e3;
constexpr double MOST_PLAUSIBLE = 20e9;

/** A direction of links, and where its rates go. */
struct Way
{
    const char* trace;                 //!< option with its recording
    const char* rate;                  //!< option with its bandwidth
    TraceDirection direction;          //!< which one
    std::string* file;                 //!< the recording
    double* bitsPerSecond;             //!< at first
    std::vector<BandwidthStep>* steps; //!< later
};

/**
 * @param way with a recording
 * @param isGiven whether an option names it
 * @param network how it is replayed
 * @return its summary
 * @throws InputError if it cannot be replayed
 */
TraceSummary
CheckRecording(const Way& way, bool isGiven, const NetworkOptions& network)
{
    try
    {
        const TraceSummary summary = CheckTrace(*way.file, way.direction, network.trace);
        // Where nothing names a downlink's, it is taken to be like the uplink.
        const bool isOther = isGiven && summary.saturated &&
                             summary.saturated->count(way.direction) == 0 &&
                             !network.trace.isUnsaturated;
        const std::string link = way.direction == TraceDirection::UP ? "uplink" : "downlink";
        Require(!isOther,
                *way.file + ": found a recording made while the " + link +
                    " was not saturated, expected one of a saturated " + link +
                    ", or --trace-unsaturated=true");
        return summary;
    }
    catch (const InputError& error)
    {
        const std::string name = isGiven ? way.trace : "trace";
        throw InputError((error.GetOption().empty() ? "--" + name + ": " : "--") +
                         std::string(error.what()));
    }
}

/**
 * @param bitsPerSecond a rate
 * @return the rate with a fitting unit
 */
std::string
FormatRate(double bitsPerSecond)
{
    const auto [unit, name] = bitsPerSecond >= 1e5   ? std::pair(1e6, " Mbit/s")
                              : bitsPerSecond >= 1e3 ? std::pair(1e3, " kbit/s")
                                                     : std::pair(1.0, " bit/s");
    return Table::Rounded(bitsPerSecond / unit) + name;
}

/// The unit of a recording's values, by its format.
const std::map<TraceFormat, std::string> VALUES{
    {TraceFormat::MAHIMAHI,
     "every line of mahimahi is a millisecond at which 1500 bytes may cross"},
    {TraceFormat::PENSIEVE, "pensieve is in seconds and Mbit/s"},
    {TraceFormat::GNETTRACK, "gnettrack is in kbit/s"},
    {TraceFormat::LOG, "the last columns of log are bytes and milliseconds"},
    {TraceFormat::METS, "mets has its unit in every line"},
    {TraceFormat::SABRE, "sabre is in milliseconds and kbit/s"},
    {TraceFormat::IPERF3, "iperf3 is in bit/s"},
    {TraceFormat::COLUMNS, "--trace-columns says the units"},
    {TraceFormat::CSV, "seconds,bitsPerSecond is in bit/s"},
};

/**
 * Describe a recording on standard output, see PrintRecordings.
 *
 * @param who links that replay it
 * @param path the file
 * @param direction which one, if the file has both
 * @param isBoth whether links replay it both ways
 * @param trace how it is replayed
 */
void
PrintRecording(const std::string& who,
               const std::string& path,
               TraceDirection direction,
               bool isBoth,
               const TraceOptions& trace)
{
    const TraceSummary summary = CheckTrace(path, direction, trace);
    // The first line of files that markov_trace.py writes.
    std::string head;
    std::ifstream file(path);
    std::getline(file, head);
    const bool isGenerated = head.rfind("# origin: generated", 0) == 0;
    std::cout << who << " replay " << path << (isGenerated ? " (generated)" : "");
    if (summary.direction && (isBoth || *summary.direction != direction))
    {
        std::cout << (*summary.direction == TraceDirection::UP ? " (recorded on an uplink)"
                                                               : " (recorded on a downlink)");
    }
    if (trace.scale != 1)
    {
        std::cout << ", rates times " << Table::Exact(trace.scale);
    }
    std::cout << ": " << FormatRate(summary.meanBitsPerSecond) << " in the mean, "
              << FormatRate(summary.lowestBitsPerSecond) << " to "
              << FormatRate(summary.highestBitsPerSecond) << ", "
              << Table::Rounded(summary.durationSeconds) << " s long";
    for (const auto& note : summary.notes)
    {
        std::cout << "; " << note;
    }
    std::cout << "\n";
    const bool isLow = summary.meanBitsPerSecond < LEAST_PLAUSIBLE;
    if (isLow || summary.meanBitsPerSecond > MOST_PLAUSIBLE)
    {
        std::cout << "hint: a mean "
                  << (isLow ? "below 64 kbit/s is no faster than GPRS; "
                            : "above 20 Gbit/s is faster than 5G; ")
                  << VALUES.at(summary.format) << ", --trace-scale multiplies it\n";
    }
}

} // namespace

void
ReadRates(const ScenarioOptions& words, const std::set<std::string>& used, NetworkOptions& network)
{
    const auto given = [&](const std::string& name) {
        return used.count(name) && !words.GetString(name).empty();
    };
    const std::array<Way, 2> ways{{{"trace",
                                    "uplink-bandwidth",
                                    TraceDirection::UP,
                                    &network.uplinkTrace,
                                    &network.bandwidthBitsPerSecond,
                                    &network.bandwidthSteps},
                                   {"trace-down",
                                    "downlink-bandwidth",
                                    TraceDirection::DOWN,
                                    &network.downlinkTrace,
                                    &network.downlinkBitsPerSecond,
                                    &network.downlinkSteps}}};
    const auto expectOne = [&](const std::string& trace, const std::string& rate) {
        words.Expect(rate, !given(trace) || !given(rate), "none where --" + trace + " says it");
    };
    const auto readSteps = [&](const std::string& name, const Way& way) {
        words.Read(name, *way.steps);
        *way.bitsPerSecond = way.steps->front().bitsPerSecond;
        way.steps->erase(way.steps->begin());
    };
    if (given("trace"))
    {
        network.downlinkTrace.clear();
    }
    expectOne("trace", "bandwidth");
    for (const Way& way : ways)
    {
        expectOne(way.trace, way.rate);
        *way.file = given(way.trace) ? FindRecording(words, way.trace, way.direction) : *way.file;
    }
    if (given("trace") && !given("trace-down") && !given("downlink-bandwidth"))
    {
        network.downlinkTrace = FindDownlinkTrace(network.uplinkTrace);
        NS_LOG_INFO("downlinks replay " << network.downlinkTrace);
    }
    std::vector<double> delays;
    for (const Way& way : ways)
    {
        if (!way.file->empty())
        {
            // The mean rates and delay, for callers that need single figures.
            const auto summary = CheckRecording(way, given(way.trace), network);
            *way.bitsPerSecond = summary.meanBitsPerSecond;
            if (summary.delaySeconds)
            {
                delays.push_back(*summary.delaySeconds);
            }
        }
        const bool isUp = way.direction == TraceDirection::UP;
        if (given("bandwidth") && (isUp || (used.count("downlink-bandwidth") && way.file->empty())))
        {
            readSteps("bandwidth", way);
        }
        if (given(way.rate))
        {
            readSteps(way.rate, way);
        }
    }
    if (delays.size() == 2)
    {
        words.Expect("delay", !given("delay"), "none where --trace says it");
        network.delay = Seconds(Mean(delays));
    }
    double& down = network.downlinkBitsPerSecond;
    if (given("uplink-bandwidth") && down == 0 && used.count("distance"))
    {
        down = std::numeric_limits<double>::infinity(); // a limit one way only
    }
    for (const Way& way : ways)
    {
        words.Expect(way.trace,
                     !used.count("trace") || *way.bitsPerSecond > 0 || !way.file->empty(),
                     std::string("a file, or --bandwidth or --") + way.rate);
    }
    const auto read = [&](const char* name, auto& target, auto... limits) {
        if (given(name))
        {
            words.Read(name, target, limits...);
        }
    };
    read("delay", network.delay);
    read("jitter", network.jitter);
    read("queue", network.queuePackets, 1, 1000000);
}

void
PrintRecordings(const ScenarioOptions& options,
                const std::string& who,
                const NetworkOptions& network)
{
    if (options.IsDryRun())
    {
        return;
    }
    for (const auto& group : network.groups)
    {
        const std::size_t others = group.devices.size() - 1;
        PrintRecordings(options,
                        *group.devices.begin() +
                            (others > 0 ? " and " + std::to_string(others) + " more: " : ": "),
                        group.network);
    }
    const std::string& up = network.uplinkTrace;
    const bool isBoth = !up.empty() && up == network.downlinkTrace &&
                        !CheckTrace(up, TraceDirection::UP, network.trace).hasBoth;
    if (!up.empty())
    {
        PrintRecording(who + (isBoth ? "uplinks and downlinks" : "uplinks"),
                       up,
                       TraceDirection::UP,
                       isBoth,
                       network.trace);
    }
    if (!network.downlinkTrace.empty() && !isBoth)
    {
        PrintRecording(who + "downlinks",
                       network.downlinkTrace,
                       TraceDirection::DOWN,
                       false,
                       network.trace);
    }
    std::cout.flush(); // what follows may take long
}

} // namespace ns3::edgepipe
