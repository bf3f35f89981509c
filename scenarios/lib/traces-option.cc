/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/traces-option.h"

#include "ns3/edgepipe-traces-folder.h"

#include <filesystem>

namespace ns3::edgepipe
{

void
AddTracesOption(ScenarioOptions& options)
{
    options.Bind("traces=").Help(
        "folder of models, profiles, devices, clusters, links; empty: $EDGEPIPE_TRACES or traces");
}

std::string
FindTracesFolder(const ScenarioOptions& options)
{
    std::string traces = options.GetString("traces");
    if (traces.empty())
    {
        traces = GetTracesFolder();
    }
    Require(std::filesystem::is_directory(traces),
            "--traces: \"" + traces + "\" is not a folder, expected one that holds " +
                "models, profiles, devices and clusters");
    return traces;
}

std::string
FindTracesFile(const ScenarioOptions& options, const std::string& option, const std::string& folder)
{
    return FindTracesFile("--" + option,
                          options.GetString(option),
                          folder,
                          FindTracesFolder(options));
}

DeviceSpec
FindDeviceSpec(const ScenarioOptions& options, const std::string& option)
{
    return FindDeviceSpec("--" + option, options.GetString(option), FindTracesFolder(options));
}

std::string
FindRecording(const ScenarioOptions& options, const std::string& option, TraceDirection direction)
{
    namespace fs = std::filesystem;
    const std::string& name = options.GetString(option);
    std::error_code ignored;
    // FILE#DEVICE names rows of a file.
    if (name.empty() || name.find('/') != std::string::npos || fs::exists(name, ignored) ||
        fs::exists(name.substr(0, name.rfind('#')), ignored))
    {
        return name;
    }
    const std::string end = direction == TraceDirection::UP ? ".up.csv" : ".down.csv";
    const fs::path folder = FindTracesFolder(options) + "/bandwidth";
    for (const auto& file : {name, name + ".csv", name + end})
    {
        if (fs::is_regular_file(folder / file, ignored))
        {
            return (folder / file).string();
        }
    }
    const bool isUp = direction == TraceDirection::UP;
    const fs::path other = folder / (name + (isUp ? ".down.csv" : ".up.csv"));
    if (fs::is_regular_file(other, ignored))
    {
        options.Refuse(option,
                       isUp ? "an uplink: " + name + " has only a downlink, --trace-down=" + name +
                                  "; --trace=FILE or --bandwidth gives the uplink beside it"
                            : "a downlink: " + name + " has only an uplink");
    }
    std::set<std::string> known;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
    {
        if (entry.path().extension() == ".csv")
        {
            const fs::path stem = entry.path().stem();
            known.insert(stem.extension() == ".up" || stem.extension() == ".down" ? stem.stem()
                                                                                  : stem);
        }
    }
    options.Refuse(option,
                   "a file's path" + (known.empty() ? "" : " or one of: " + JoinWords(known)));
}

} // namespace ns3::edgepipe
