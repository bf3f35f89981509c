/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/experiment.h"
#include "runs/network-probe.h"

#include "ns3/edgepipe-child-process.h"
#include "ns3/edgepipe-radio-link.h"
#include "ns3/edgepipe-wifi-capacity.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/** A kind of cell, and the guard intervals to measure it with, in turn by distance. */
struct Kind
{
    std::string standard;         //!< n, ac or ax
    double bandGhz;               //!< 2.4, 5 or 6
    std::vector<uint32_t> widths; //!< channel widths, MHz
    std::vector<uint32_t> guards; //!< guard intervals, ns
};

/// 6 GHz is left out: at the same SNR it behaves like 5 GHz.
const std::vector<Kind> KINDS{
    {"n", 2.4, {20, 40}, {800, 400}},
    {"n", 5, {20, 40}, {800, 400}},
    {"ac", 5, {20, 40, 80, 160}, {800, 400}},
    {"ax", 2.4, {20, 40}, {3200, 800}},
    {"ax", 5, {20, 40, 80, 160}, {3200, 800}},
};

/// Distances to measure at, as shares of the range. Stations on opposite sides of the access point
/// hear each other up to 0.5; from 0.9 on, too many transfers never begin.
const std::vector<double> RANGES{0.1, 0.4, 0.6, 0.8};

/// Bytes that a connection moves before it is measured, at least; about PacketTransport's buffer.
constexpr double SETTLING_BYTES = 1e6;

/// How long minstrel tries rates before its throughput is measured.
const Time MINSTREL_SETTLING = Seconds(4);

/**
 * @param wanted standards
 * @param controls rate controls
 * @return the networks to measure
 */
std::vector<NetworkOptions>
MakeGrid(const std::vector<std::string>& wanted, const std::vector<std::string>& controls)
{
    std::vector<NetworkOptions> grid;
    for (const auto& [standard, bandGhz, widths, guards] : KINDS)
    {
        for (const auto& control :
             Contains(wanted, standard) ? controls : std::vector<std::string>())
        {
            for (const uint32_t width : widths)
            {
                for (std::size_t i = 0; i < RANGES.size(); ++i)
                {
                    NetworkOptions network;
                    network.fidelity = "packet";
                    // Minstrel settles several times slower when it may choose the guard interval.
                    const bool isIdeal = control == "ideal";
                    network.SetLink("wifi",
                                    "WifiStandard",
                                    StringValue(standard),
                                    "WifiBand",
                                    DoubleValue(bandGhz),
                                    "WifiWidth",
                                    UintegerValue(width),
                                    "WifiGuardInterval",
                                    UintegerValue(guards[isIdeal ? i % guards.size() : 0]),
                                    "WifiRateControl",
                                    StringValue(control));
                    const double range = WifiAirtime(MakeWifiCell(network)).GetRangeMeters();
                    network.Set("Distance", DoubleValue(std::round(10 * RANGES[i] * range) / 10));
                    grid.push_back(network);
                }
            }
        }
    }
    return grid;
}

/**
 * Measure in a child process, since ns-3.37 aborts on a few networks ("Invalid WifiPhy state").
 *
 * @param measure makes a measurement
 * @return its result; 0 if ns-3 aborted
 */
double
MeasureApart(const std::function<double()>& measure)
{
    try
    {
        const auto report = ChildProcess::Run([&measure] {
            // Hide ns-3's abort message.
            [[maybe_unused]] const auto* file = std::freopen("/dev/null", "w", stderr);
            return Table::Exact(measure());
        });
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
 * @param warmUp minimum time before a measurement
 * @param window length of a measurement
 * @return the measurements
 */
WifiCapacityRow
Measure(const NetworkOptions& network, const Time& warmUp, const Time& window)
{
    WifiCapacityRow row;
    row.cell = MakeWifiCell(network);
    row.distanceMeters = dynamic_cast<const RadioLink&>(network.GetLink()).GetDistance();
    row.latencySeconds = MeasureApart([&] { return MeasureLatency(network, 10); });
    const WifiAirtime airtime(row.cell);
    const double derived = 0.5 / airtime.GetSecondsPerByte(*airtime.GetMcs(row.distanceMeters));
    for (const auto& pattern : GetWifiPatterns())
    {
        // TCP settles once each connection has filled its buffers, which takes longer in a slow
        // cell.
        Time settled = Seconds(SETTLING_BYTES * pattern.transfers.size() / derived);
        settled =
            row.cell.rateControl == "minstrel" ? std::max(settled, MINSTREL_SETTLING) : settled;
        row.goodput.push_back(MeasureApart([&, from = std::max(warmUp, settled)] {
            return MeasureGoodput(network, pattern.transfers, from, window);
        }));
    }
    return row;
}

/** The measured goodput of one pattern in a cell, and the model's. */
struct Comparison
{
    WifiCapacityRow row; //!< of the table
    std::size_t pattern; //!< index into GetWifiPatterns
    double model;        //!< goodput, bytes/s

    /** @return measured goodput, bytes/s; 0: none */
    double GetMeasured() const
    {
        return row.goodput[pattern];
    }

    /** @return relative error of the model */
    double GetError() const
    {
        return model / GetMeasured() - 1;
    }
};

/** Measures the goodput of Wi-Fi cells, and compares the model with the measurements. */
class WifiCalibration : public Experiment
{
  public:
    /** @param options of the scenario, to be parsed by Run */
    explicit WifiCalibration(ScenarioOptions& options)
        : Experiment(options)
    {
        const std::vector<std::string> standards{"n", "ac", "ax"};
        const std::vector<std::string> controls{"ideal", "minstrel"};
        options.Bind("wifi-standard=n,ac,ax", m_standards, standards)
            .Help("802.11 standards: n, ac, ax, separated by commas");
        options.Bind("wifi-rate-control=ideal,minstrel", m_controls, controls)
            .Help("rate controls: ideal, minstrel, separated by commas");
        options.Rename("standards", "--wifi-standard=NAME");
        options.Rename("rate-controls", "--wifi-rate-control=NAME");
        options.Bind("warm-up=500ms", m_warmUp)
            .Help("minimum time that transfers run before they are measured");
        options.Bind("window=1s", m_window, MilliSeconds(1))
            .Help("time over which they are measured");
        options.Bind("table=traces/links/wifi-capacity.csv", m_path).Help("table to write, CSV");
        options.Bind("check=false", m_isCheck)
            .Help("only compare the model with the existing table");
        options.Need({"warm-up", "window"}, "check", "false", "true");
        options.AddOut();
    }

  private:
    void Read() override
    {
        if (!m_isCheck)
        {
            const std::filesystem::path file(m_path);
            const auto parent = file.parent_path().string();
            m_place = std::make_unique<ResultsFolder>(parent.empty() ? "." : parent, "--table");
            m_place->Check(file.filename());
        }
    }

    void Simulate() override
    {
        if (m_place)
        {
            // Measure before writing anything, so that an interrupted run leaves nothing behind.
            std::ostringstream table;
            table << "# Goodput of TCP through Wi-Fi cells at packet level, IP bytes/s with data, "
                     "all transfers together.\n# A goodput of 0: a transfer never began, or ns-3 "
                     "gave up. Format: ns3::edgepipe::WifiCapacityRow.\n# Made by: ./ns3 run "
                     "\"wifi-calibration";
            for (const char* name : {"wifi-standard", "wifi-rate-control", "warm-up", "window"})
            {
                table << " --" << name << "=" << m_options.GetString(name);
            }
            table << "\"\n" << FormatWifiCapacityHeader() << "\n";
            const auto grid = MakeGrid(m_standards, m_controls);
            for (std::size_t i = 0; i < grid.size() && table; ++i)
            {
                Follow(i,
                       grid.size(),
                       "802.11" + MakeWifiCell(grid[i]).standard + " " +
                           MakeWifiCell(grid[i]).rateControl);
                table << FormatWifiCapacityRow(Measure(grid[i], m_warmUp, m_window)) << std::endl;
            }
            m_place->Write(std::filesystem::path(m_path).filename(),
                           [&table](std::ostream& os) { os << table.str(); });
            m_place->Commit();
        }
        for (const auto& row : ReadWifiCapacityTable(m_path))
        {
            const WifiCapacity capacity(row.cell, m_path);
            const double both = 2 * capacity.GetSecondsPerByte(row.distanceMeters);
            for (std::size_t i = 0; i < row.goodput.size(); ++i)
            {
                const std::size_t flows = GetWifiPatterns()[i].transfers.size();
                m_comparisons.push_back(
                    {row, i, capacity.GetEfficiency(flows, row.distanceMeters) / both});
            }
        }
    }

    void Print() const override
    {
        const auto known = Filter(m_comparisons, &Comparison::GetMeasured);
        std::cout << m_path << ": "
                  << FormatCount(m_comparisons.size(), "measurement", "measurements") << ", "
                  << m_comparisons.size() - known.size()
                  << " of them 0: a transfer never began, or ns-3 gave up\n";
        for (const std::string control : {"ideal", "minstrel"})
        {
            auto measured = Filter(known, [&](const Comparison& one) {
                return one.row.cell.rateControl == control;
            });
            if (measured.empty())
            {
                continue;
            }
            std::sort(measured.begin(), measured.end(), [](const auto& a, const auto& b) {
                return std::abs(a.GetError()) < std::abs(b.GetError());
            });
            const auto percent = [&](double share) {
                return FormatPercent(
                    std::abs(measured[std::size_t(share * (measured.size() - 1))].GetError()));
            };
            std::cout << control << ": goodput of the model off by " << percent(0.5)
                      << " in the median, " << percent(0.9) << " in nine of ten, " << percent(1)
                      << " at most, over " << measured.size() << " measurements; worst:\n";
            for (std::size_t i = 0; i < std::min<std::size_t>(3, measured.size()); ++i)
            {
                const Comparison& one = measured[measured.size() - 1 - i];
                const WifiCell& cell = one.row.cell;
                std::cout << "  " << FormatPercent(one.GetError()) << ": "
                          << GetWifiPatterns()[one.pattern].name << " in 802.11" << cell.standard
                          << " at " << cell.bandGhz << " GHz, " << cell.channelMhz << " MHz wide, "
                          << one.row.distanceMeters << " m: " << FormatBytes(one.GetMeasured())
                          << "/s measured, " << FormatBytes(one.model) << "/s by the model\n";
            }
        }
    }

    std::string Write(ResultsFolder& folder) const override
    {
        using One = const Comparison;
        const std::vector<Column<Comparison>> columns{
            {"standard", [](One& one) { return one.row.cell.standard; }},
            {"bandGhz", [](One& one) { return one.row.cell.bandGhz; }},
            {"channelMhz", [](One& one) { return one.row.cell.channelMhz; }},
            {"guardIntervalNs", [](One& one) { return one.row.cell.guardIntervalNs; }},
            {"rateControl", [](One& one) { return one.row.cell.rateControl; }},
            {"transfers", [](One& one) { return GetWifiPatterns()[one.pattern].name; }},
            {"distanceMeters", [](One& one) { return one.row.distanceMeters; }},
            {"goodputBytesPerSecond",
             [](One& one) { return When(one.GetMeasured() > 0, one.GetMeasured()); }},
            {"modelBytesPerSecond", [](One& one) { return std::round(one.model); }},
            {"modelError", [](One& one) { return When(one.GetMeasured() > 0, one.GetError()); }},
        };
        folder.Write("results.csv", AddRunColumns(MakeSheet(columns, m_comparisons).GetFile()));
        folder.Write("run.json", FormatRunFile(m_options, {}, nlohmann::ordered_json::object()));
        return "results.csv, run.json; the table is " + m_path;
    }

    RunCurves GetCurves() const override
    {
        return {"results.csv",
                "distanceMeters",
                {"goodputBytesPerSecond", "modelBytesPerSecond", "modelError"},
                {"rateControl", "transfers", "standard", "bandGhz", "channelMhz"},
                "modelBytesPerSecond"};
    }

    std::vector<std::string> m_standards;   //!< to measure
    std::vector<std::string> m_controls;    //!< rate controls
    std::string m_path;                     //!< of the table
    bool m_isCheck{false};                  //!< whether to measure nothing
    Time m_warmUp;                          //!< minimum time before a measurement
    Time m_window;                          //!< length of a measurement
    std::unique_ptr<ResultsFolder> m_place; //!< folder of the table
    std::vector<Comparison> m_comparisons;  //!< of the model with the table
};

} // namespace

int
main(int argc, char* argv[])
{
    return RunExperiment<WifiCalibration>("wifi-calibration",
                                          "Measure the goodput of Wi-Fi cells at packet level: "
                                          "the table that calibrates the flow-level network.",
                                          argc,
                                          argv);
}
