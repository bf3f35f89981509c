/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-traces-folder.h"

#include "ns3/edgepipe-input-error.h"

#include <cstdlib>
#include <filesystem>
#include <set>

namespace ns3
{
namespace edgepipe
{

std::string
GetTracesFolder()
{
    const char* environment = std::getenv("EDGEPIPE_TRACES");
    return environment ? environment : "traces";
}

void
AddTracesOption(ScenarioOptions& options)
{
    options.Add(
        "traces",
        "folder of models, profiles, devices, clusters, links; empty: $EDGEPIPE_TRACES or traces",
        "");
}

std::string
FindTracesFolder(const ScenarioOptions& options)
{
    std::string traces = options.GetString("traces");
    if (traces.empty())
    {
        traces = GetTracesFolder();
    }
    if (!std::filesystem::is_directory(traces))
    {
        throw InputError("--traces: \"" + traces + "\" is not a folder, expected one that holds " +
                         "models, profiles, devices and clusters");
    }
    return traces;
}

std::string
FindTracesFile(const ScenarioOptions& options, const std::string& option, const std::string& folder)
{
    const std::string& name = options.GetString(option);
    if (name.find('/') != std::string::npos || name.find(".json") != std::string::npos)
    {
        return name;
    }
    const std::string directory = FindTracesFolder(options) + "/" + folder;
    const std::string path = directory + "/" + name + ".json";
    if (!std::filesystem::exists(path))
    {
        std::set<std::string> known;
        std::error_code ignored;
        for (const auto& entry : std::filesystem::directory_iterator(directory, ignored))
        {
            known.insert(entry.path().stem());
        }
        std::string list;
        for (const auto& other : known)
        {
            list += (list.empty() ? "" : ", ") + other;
        }
        options.Refuse(option, "a file's path or one of: " + list);
    }
    return path;
}

} // namespace edgepipe
} // namespace ns3
