/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/traces-option.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-traces-folder.h"

#include <filesystem>

namespace ns3
{
namespace edgepipe
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
    return FindTracesFile("--" + option,
                          options.GetString(option),
                          folder,
                          FindTracesFolder(options));
}

} // namespace edgepipe
} // namespace ns3
