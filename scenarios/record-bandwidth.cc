/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/network-inputs.h"
#include "lib/progress.h"
#include "lib/scenario-options.h"
#include "runs/network-probe.h"

#include "ns3/edgepipe-cluster.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-results-folder.h"
#include "ns3/edgepipe-table.h"

#include <cmath>
#include <filesystem>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/// Most lines of a recording.
constexpr double MOST_INTERVALS = 1e6;

/**
 * @param argc number of arguments
 * @param argv the arguments
 * @return the command
 */
std::string
GetCommand(int argc, char* argv[])
{
    std::string command = "./ns3 run \"record-bandwidth";
    for (int i = 1; i < argc; ++i)
    {
        const std::string argument = argv[i];
        const bool isPlace =
            argument.rfind("--recording=", 0) == 0 || argument.rfind("--traces=", 0) == 0;
        command += isPlace ? "" : " " + argument;
    }
    return command + "\"";
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunScenario("record-bandwidth", [argc, argv] {
        ScenarioOptions options("record-bandwidth",
                                "Record what a link with a moving device carries, as CSV that "
                                "--link=trace replays.");
        std::string direction;
        std::string recording;
        Time interval;
        Time duration;
        options.Bind("direction=up", direction, "up", "down")
            .Help("up (the device sends to a wired server) or down");
        options.Bind("interval=1s", interval, MilliSeconds(1))
            .Help("of every measurement, such as 500ms");
        options.Bind("duration=180s", duration).Help("of the recording, such as 180s");
        options.Bind("recording=results/record-bandwidth/recording.csv", recording)
            .Help("file to write");
        options.Rename("out", "--recording=FILE");
        NetworkOptions network;
        AddNetworkOptions(options, network);
        options.SetDefault("fidelity", "packet");
        options.SetDefault("link", "lte");
        options.Parse(argc, argv);
        const double count = std::floor(duration.GetSeconds() / interval.GetSeconds());
        if (!(count >= 1 && count <= MOST_INTERVALS))
        {
            options.Refuse("duration", "1 to 1000000 intervals");
        }
        const std::filesystem::path path(recording);
        ResultsFolder folder(path.has_parent_path() ? path.parent_path().string() : ".",
                             "--recording");
        folder.Check(path.filename());
        Cluster cluster{"", {}, {{"device", "", 0, 0}, {"server", "", 0, 0}}, "lte", 1e9, 20e-6};
        ReadNetworkOptions(options, cluster, network);
        CheckNetwork(options, network, {"device", "server"}, "");
        options.EndDryRun();
        PrintRecordings(options, "", network);
        Progress progress;
        const auto rates =
            RecordBandwidth(network, direction == "up", interval, duration, [&](double done) {
                progress.Update(done, "record");
            });
        if (rates.empty())
        {
            throw InputError("--link=" + network.link + ": no data gets through to be recorded, " +
                             "expected a link that works at --distance");
        }
        folder.Write(path.filename(), [&](std::ostream& os) {
            WriteRecording(os, rates, interval, GetCommand(argc, argv));
        });
        folder.Commit();
        const double mean = std::accumulate(rates.begin(), rates.end(), 0.0) / rates.size();
        std::cout << recording << ": " << rates.size() << " intervals, "
                  << Table::Rounded(mean * 1e-6)
                  << " Mbit/s in the mean; --link=trace --trace=" << recording << " replays it\n";
        return 0;
    });
}
