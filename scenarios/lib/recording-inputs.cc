/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/network-inputs.h"

#include "ns3/edgepipe-table.h"

#include <fstream>
#include <iostream>

namespace ns3::edgepipe
{

namespace
{

/// Recordings with means outside these bounds, bit/s, are probably in another unit: GPRS in
/// four slots with coding CS-2 has 53.6 kbit/s, which kbit/s of 4G and 5G taken for bit/s seldom
/// reach; 5G at its peak has 20 Gbit/s (ITU-R M.2410).
constexpr double LEAST_PLAUSIBLE = 64e3;
constexpr double MOST_PLAUSIBLE = 20e9;

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
 * @param rate how they do
 * @param isBoth whether it is the same both ways
 */
void
PrintRecording(const std::string& who, const LinkRate& rate, bool isBoth)
{
    const TraceSummary summary = CheckTrace(rate.trace, rate.direction, rate.replay);
    // The first line of files that markov_trace.py writes.
    std::string head;
    std::ifstream file(rate.trace);
    std::getline(file, head);
    const bool isGenerated = head.rfind("# origin: generated", 0) == 0;
    std::cout << who << " replay " << rate.trace << (isGenerated ? " (generated)" : "");
    if (summary.direction && (isBoth || *summary.direction != rate.direction))
    {
        std::cout << (*summary.direction == TraceDirection::UP ? " (recorded on an uplink)"
                                                               : " (recorded on a downlink)");
    }
    if (rate.replay.scale != 1)
    {
        std::cout << ", rates times " << Table::Exact(rate.replay.scale);
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
        const std::string links =
            network.IsMixed()
                ? *group.devices.begin() +
                      (others > 0 ? " and " + std::to_string(others) + " more: " : ": ")
                : who;
        const auto [up, down] = group.link->GetRates();
        const bool isBoth = !up.trace.empty() && up.trace == down.trace &&
                            !CheckTrace(up.trace, up.direction, up.replay).hasBoth;
        if (!up.trace.empty())
        {
            PrintRecording(links + (isBoth ? "uplinks and downlinks" : "uplinks"), up, isBoth);
        }
        if (!down.trace.empty() && !isBoth)
        {
            PrintRecording(links + "downlinks", down, false);
        }
    }
    std::cout.flush(); // what follows may take long
}

} // namespace ns3::edgepipe
