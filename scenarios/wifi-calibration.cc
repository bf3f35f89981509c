/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/progress.h"
#include "lib/run-report.h"
#include "lib/scenario-options.h"
#include "runs/child-process.h"
#include "runs/network-probe.h"

#include "ns3/edgepipe-results-folder.h"
#include "ns3/edgepipe-table.h"
#include "ns3/edgepipe-wifi-capacity.h"
#include "ns3/edgepipe-wifi-link.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/** A kind of cell and the guard intervals to measure it with, turn about. */
struct Kind
{
    std::string standard;         //!< n, ac or ax
    double bandGhz;               //!< 2.4, 5 or 6
    std::vector<uint32_t> widths; //!< channel widths, MHz
    std::vector<uint32_t> guards; //!< guard intervals, ns
};

/// 6 GHz is not among them: at the same SNR it behaves as 5 GHz.
const std::vector<Kind> KINDS{
    {"n", 2.4, {20, 40}, {800, 400}},
    {"n", 5, {20, 40}, {800, 400}},
    {"ac", 5, {20, 40, 80, 160}, {800, 400}},
    {"ax", 2.4, {20, 40}, {3200, 800}},
    {"ax", 5, {20, 40, 80, 160}, {3200, 800}},
};

/// Where to measure, in ranges. Stations that face each other across the access point hear each
/// other up to a half; from 0.9 on, too many runs never begin.
const std::vector<double> RANGES{0.1, 0.4, 0.6, 0.8};

/// What a connection moves before it is measured, at least; PacketTransport's buffer, about.
constexpr double SETTLING_BYTES = 1e6;

/// How long minstrel tries rates before its throughput is measured.
const Time MINSTREL_SETTLING = Seconds(4);

/**
 * @param wanted standards
 * @param controls of the rate
 * @return the networks to measure
 */
std::vector<NetworkOptions>
MakeGrid(const std::vector<std::string>& wanted, const std::vector<std::string>& controls)
{
    std::vector<NetworkOptions> grid;
    for (const auto& [standard, bandGhz, widths, guards] : KINDS)
    {
        if (std::find(wanted.begin(), wanted.end(), standard) == wanted.end())
        {
            continue;
        }
        for (const auto& control : controls)
        {
            for (const uint32_t width : widths)
            {
                for (std::size_t i = 0; i < RANGES.size(); ++i)
                {
                    NetworkOptions network;
                    network.fidelity = "packet";
                    network.link = "wifi";
                    network.wifiStandard = standard;
                    network.wifiBandGhz = bandGhz;
                    network.wifiChannelMhz = width;
                    // Minstrel takes several times as long to settle when it may choose.
                    const bool isIdeal = control == "ideal";
                    network.wifiGuardIntervalNs = guards[isIdeal ? i % guards.size() : 0];
                    network.wifiRateControl = control;
                    const double range = WifiAirtime(MakeWifiCell(network)).GetRangeMeters();
                    network.wifiDistanceMeters = std::round(10 * RANGES[i] * range) / 10;
                    grid.push_back(network);
                }
            }
        }
    }
    return grid;
}

/**
 * Measure in a process of its own, since a few networks make ns-3.37 give up ("Invalid WifiPhy
 * state"), which would be the end of this one.
 *
 * @param measure makes a measurement
 * @return what it returns; 0 if ns-3 gave up
 */
double
MeasureApart(const std::function<double()>& measure)
{
    try
    {
        const auto report = RunInChild([&measure] { return Table::Exact(measure()); });
        double value = 0;
        return ParseNumber(report.text, value) ? value : 0;
    }
    catch (const std::exception&)
    {
        return 0;
    }
}

/**
 * @param network a network
 * @param warmUp before a measurement, at least
 * @param window of a measurement
 * @return what was measured in it
 */
WifiCapacityRow
Measure(const NetworkOptions& network, const Time& warmUp, const Time& window)
{
    WifiCapacityRow row;
    row.cell = MakeWifiCell(network);
    row.distanceMeters = network.wifiDistanceMeters;
    row.latencySeconds = MeasureApart([&] { return MeasureLatency(network, 10); });
    const WifiAirtime airtime(row.cell);
    const double derived = 0.5 / airtime.GetSecondsPerByte(*airtime.GetMcs(row.distanceMeters));
    for (const auto& pattern : GetWifiPatterns())
    {
        // TCP settles after each connection has filled its buffers once, which takes a slow cell
        // longer.
        Time settled = Seconds(SETTLING_BYTES * pattern.transfers.size() / derived);
        settled =
            row.cell.rateControl == "minstrel" ? std::max(settled, MINSTREL_SETTLING) : settled;
        row.goodput.push_back(MeasureApart([&, from = std::max(warmUp, settled)] {
            return MeasureGoodput(network, pattern.transfers, from, window);
        }));
    }
    return row;
}

/**
 * Compare the model with the measurements it is made of.
 *
 * @param path the table
 */
void
PrintResiduals(const std::string& path)
{
    for (const std::string control : {"ideal", "minstrel"})
    {
        std::vector<std::pair<double, std::string>> errors;
        for (const auto& row : ReadWifiCapacityTable(path))
        {
            if (row.cell.rateControl != control)
            {
                continue;
            }
            const WifiCapacity capacity(row.cell, path);
            for (std::size_t i = 0; i < row.goodput.size(); ++i)
            {
                if (row.goodput[i] > 0)
                {
                    const double model =
                        capacity.GetEfficiency(GetWifiPatterns()[i].transfers.size(),
                                               row.distanceMeters) /
                        (2 * capacity.GetSecondsPerByte(row.distanceMeters));
                    const double error = model / row.goodput[i] - 1;
                    errors.emplace_back(error,
                                        GetWifiPatterns()[i].name + " of " +
                                            FormatWifiCapacityRow(row));
                }
            }
        }
        if (errors.empty())
        {
            continue;
        }
        std::sort(errors.begin(), errors.end(), [](const auto& a, const auto& b) {
            return std::abs(a.first) < std::abs(b.first);
        });
        const auto percent = [&](double share) {
            return 100 * std::abs(errors[std::size_t(share * (errors.size() - 1))].first);
        };
        std::cout << control << ": goodput of the model off by "
                  << FormatPercent(percent(0.5) / 100) << " in the median, "
                  << FormatPercent(percent(0.9) / 100) << " in nine of ten, "
                  << FormatPercent(percent(1) / 100) << " at most, over " << errors.size()
                  << " measurements; worst:\n";
        for (std::size_t i = 0; i < std::min<std::size_t>(3, errors.size()); ++i)
        {
            const auto& [error, what] = errors[errors.size() - 1 - i];
            std::cout << "  " << FormatPercent(error) << ": " << what << "\n";
        }
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunScenario("wifi-calibration", [argc, argv] {
        ScenarioOptions options("wifi-calibration",
                                "Measure at packet level what Wi-Fi cells carry: the table that "
                                "calibrates the flow-level network.");
        std::vector<std::string> standards;
        std::vector<std::string> controls;
        std::string path;
        bool isCheck = false;
        Time warmUp;
        Time window;
        options.Bind("wifi-standard=n,ac,ax", standards, std::vector<std::string>{"n", "ac", "ax"})
            .Help("n, ac, ax, separated by commas");
        options
            .Bind("wifi-rate-control=ideal,minstrel",
                  controls,
                  std::vector<std::string>{"ideal", "minstrel"})
            .Help("ideal, minstrel, separated by commas");
        options.Rename("standards", "--wifi-standard=NAME");
        options.Rename("rate-controls", "--wifi-rate-control=NAME");
        options.Bind("warm-up=500ms", warmUp)
            .Help("how long transfers run before they are measured, at least");
        options.Bind("window=1s", window).Help("how long they are measured");
        options.Bind("table=traces/links/wifi-capacity.csv", path).Help("file to write");
        options.Bind("check=false", isCheck)
            .Help("only compare the model with the table that is there");
        options.Parse(argc, argv);
        options.EndDryRun();
        if (!isCheck)
        {
            const std::filesystem::path file(path);
            ResultsFolder folder(file.has_parent_path() ? file.parent_path().string() : ".",
                                 "--table");
            folder.Check(file.filename());
            folder.Write(file.filename(), [&](std::ostream& os) {
                os << "# Goodput of TCP through Wi-Fi cells at packet level, IP bytes/s with data, "
                      "all transfers together.\n# A goodput of 0: a transfer never began, or ns-3 "
                      "gave up. Format: "
                      "ns3::edgepipe::WifiCapacityRow.\n# Made by: ./ns3 run \"wifi-calibration";
                for (const char* name : {"wifi-standard", "wifi-rate-control", "warm-up", "window"})
                {
                    os << " --" << name << "=" << options.GetString(name);
                }
                os << "\"\n" << FormatWifiCapacityHeader() << "\n";
                const auto grid = MakeGrid(standards, controls);
                Progress progress;
                for (std::size_t i = 0; i < grid.size() && os; ++i)
                {
                    progress.Update(double(i) / grid.size(),
                                    "802.11" + grid[i].wifiStandard + " " +
                                        grid[i].wifiRateControl);
                    os << FormatWifiCapacityRow(Measure(grid[i], warmUp, window)) << std::endl;
                }
            });
            folder.Commit();
        }
        PrintResiduals(path);
        return 0;
    });
}
