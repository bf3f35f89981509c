/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/experiment.h"
#include "lib/network-inputs.h"
#include "runs/network-probe.h"

#include "ns3/edgepipe-input-error.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/// Largest number of intervals in a recording.
constexpr double MOST_INTERVALS = 1e6;
/// Name of the recording in the results' folder.
constexpr const char* FILE_NAME = "recording.csv";
/// Options that do not affect the recording.
const std::vector<std::string> PLACES{"out", "recording", "traces"};

/** Sends between a device and a server, in one direction, and records what arrives. */
class BandwidthRecording : public Experiment
{
  public:
    /** @param options of the scenario, to be parsed by Run */
    explicit BandwidthRecording(ScenarioOptions& options)
        : Experiment(options)
    {
        options.Bind("direction=up", m_direction, "up", "down")
            .Help("up (the device sends to a wired server) or down");
        options.Bind("interval=1s", m_interval, MilliSeconds(1))
            .Help("length of every measurement, such as 500ms");
        options.Bind("duration=180s", m_duration).Help("length of the recording, such as 180s");
        options.Bind("recording=", m_copy)
            .Help("another file to write the recording to; empty: only recording.csv in --out");
        options.AddOut();
        AddNetworkOptions(options, m_network);
        options.SetDefault("fidelity", "packet");
        SetUsualLink(options, m_network, "lte");
    }

  private:
    void Read() override
    {
        const double count = std::floor(m_duration.GetSeconds() / m_interval.GetSeconds());
        m_options.Expect("duration",
                         count >= 1 && count <= MOST_INTERVALS,
                         "1 to 1000000 intervals");
        if (!m_copy.empty())
        {
            const auto parent = std::filesystem::path(m_copy).parent_path().string();
            m_place = std::make_unique<ResultsFolder>(parent.empty() ? "." : parent, "--recording");
            m_place->Check(std::filesystem::path(m_copy).filename());
        }
        Cluster cluster{"", {}, {{"device", "", 0, 0}, {"server", "", 0, 0}}, {"lte", ""}};
        ReadNetworkOptions(m_options, cluster, m_network);
        CheckNetwork(m_options, m_network, {"device", "server"}, "");
    }

    void Simulate() override
    {
        PrintRecordings(m_options, "", m_network);
        m_rates = RecordBandwidth(m_network,
                                  m_direction == "up",
                                  m_interval,
                                  m_duration,
                                  Follow(0, 1, "record"));
        Require(!m_rates.empty(),
                "--link=" + m_network.GetLinkName() + ": no data gets through to be recorded, " +
                    "expected a link that works at --distance");
    }

    void Print() const override
    {
        const auto [least, most] = std::minmax_element(m_rates.begin(), m_rates.end());
        std::cout << FormatCount(m_rates.size(), "interval", "intervals") << ", "
                  << FormatRounded(Mean(m_rates) * 1e-6) << " Mbit/s in the mean, "
                  << FormatRounded(*least * 1e-6) << " to " << FormatRounded(*most * 1e-6)
                  << " Mbit/s; --link=trace --trace="
                  << (m_copy.empty() ? m_options.GetString("out") + "/" + FILE_NAME : m_copy)
                  << " replays it\n";
    }

    std::string Write(ResultsFolder& folder) const override
    {
        const auto write = [this](std::ostream& os) {
            WriteRecording(os,
                           m_rates,
                           m_interval,
                           m_direction == "up",
                           FormatCommand(m_options, PLACES));
        };
        if (m_place)
        {
            m_place->Write(std::filesystem::path(m_copy).filename(), write);
            m_place->Commit();
        }
        folder.Write(FILE_NAME, write);
        const auto [least, most] = std::minmax_element(m_rates.begin(), m_rates.end());
        Sheet<NetworkOptions> sheet({{"link", &NetworkOptions::GetLinkName},
                                     {"fidelity", &NetworkOptions::fidelity},
                                     {"direction", m_direction},
                                     {"intervals", m_rates.size()},
                                     {"intervalSeconds", m_interval},
                                     {"meanBitsPerSecond", Mean(m_rates)},
                                     {"leastBitsPerSecond", *least},
                                     {"mostBitsPerSecond", *most}});
        sheet.Add(m_network);
        folder.Write("results.csv", AddRunColumns(sheet.GetFile(), &m_network));
        folder.Write("run.json", FormatRunFile(m_options, {}, nlohmann::ordered_json::object()));
        return std::string(FILE_NAME) + ", results.csv, run.json" +
               (m_place ? "; the recording is also " + m_copy : "");
    }

    RunCurves GetCurves() const override
    {
        return {FILE_NAME, "seconds", {"bitsPerSecond"}};
    }

    std::string m_direction;                //!< up or down
    std::string m_copy;                     //!< path of another copy of the recording; may be empty
    std::unique_ptr<ResultsFolder> m_place; //!< folder of that copy
    Time m_interval;                        //!< length of every measurement
    Time m_duration;                        //!< length of the recording
    NetworkOptions m_network;               //!< between device and server
    std::vector<double> m_rates;            //!< of each interval, bit/s
};

} // namespace

int
main(int argc, char* argv[])
{
    return RunExperiment<BandwidthRecording>(
        "record-bandwidth",
        "Record the bandwidth of a link to a device that may move, as CSV that --link=trace "
        "replays.",
        argc,
        argv);
}
