/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/bandwidth-recorder.h"
#include "lib/network-inputs.h"
#include "lib/progress.h"
#include "lib/scenario-options.h"

#include "ns3/edgepipe-cluster.h"
#include "ns3/edgepipe-input-error.h"

#include <cmath>
#include <fstream>
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
            argument.rfind("--out=", 0) == 0 || argument.rfind("--traces=", 0) == 0;
        command += isPlace ? "" : " " + argument;
    }
    return command + "\"";
}

/**
 * @param options of the scenario, parsed
 * @param command that records
 */
void
Record(const ScenarioOptions& options, const std::string& command)
{
    const std::string& direction = options.GetString("direction");
    if (direction != "up" && direction != "down")
    {
        options.Refuse("direction", "up or down");
    }
    const Time interval = options.GetTime("interval");
    const Time duration = options.GetTime("duration");
    if (interval < MilliSeconds(1))
    {
        options.Refuse("interval", "1 ms or more");
    }
    const double count = std::floor(duration.GetSeconds() / interval.GetSeconds());
    if (!(count >= 1 && count <= MOST_INTERVALS))
    {
        options.Refuse("duration", "1 to 1000000 intervals");
    }
    Cluster cluster{"", {}, {{"device", "", 0, 0}, {"server", "", 0, 0}}, "lte", 1e9, 20e-6};
    const NetworkOptions network = ReadNetworkOptions(options, cluster);
    CheckNetwork(options, network, {"device", "server"}, "");
    const std::string& path = options.GetString("out");
    std::ofstream file(path);
    if (!file)
    {
        options.Refuse("out", "a file that can be written");
    }
    Progress progress;
    const auto rates =
        RecordBandwidth(network, direction == "up", interval, duration, [&progress](double done) {
            progress.Update(done, "record");
        });
    if (rates.empty())
    {
        throw InputError("--link=" + network.link + ": no data gets through to be recorded, " +
                         "expected a link that works at --distance");
    }
    WriteRecording(file, rates, interval, command);
    file.close();
    if (!file)
    {
        options.Refuse("out", "a file that can be written");
    }
    const double mean = std::accumulate(rates.begin(), rates.end(), 0.0) / rates.size();
    std::cout << path << ": " << rates.size() << " intervals, " << mean * 1e-6
              << " Mbit/s in the mean\n";
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunScenario("record-bandwidth", [argc, argv] {
        ScenarioOptions options("record-bandwidth",
                                "Record what a link with a moving device carries, as CSV that "
                                "--link=trace replays.");
        options.Add("direction", "up (the device sends to a wired server) or down", "up");
        options.Add("interval", "of every measurement, such as 500ms", "1s");
        options.Add("duration", "of the recording, such as 180s", "180s");
        options.Add("out", "file to write", "recording.csv");
        AddNetworkOptions(options);
        options.SetDefault("fidelity", "packet");
        options.SetDefault("link", "lte");
        options.Parse(argc, argv);
        Record(options, GetCommand(argc, argv));
        return 0;
    });
}
