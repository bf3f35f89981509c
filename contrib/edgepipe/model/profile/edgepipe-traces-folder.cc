/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-traces-folder.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-library-folder.h"

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
    if (environment)
    {
        return environment;
    }
    // Where it was installed; in an ns-3 tree, beside the module's source.
    const auto shared = std::filesystem::path(GetLibraryFolder()) / EDGEPIPE_SHARED_TRACES;
    const bool isHere =
        std::filesystem::exists("traces/models") || !std::filesystem::exists(shared);
    return isHere ? "traces" : shared.lexically_normal().string();
}

std::string
FindTracesFile(const std::string& what,
               const std::string& name,
               const std::string& folder,
               const std::string& traces)
{
    std::error_code ignored;
    const bool isPath =
        name.find('/') != std::string::npos || name.find(".json") != std::string::npos;
    const std::string directory = traces + "/" + folder;
    const std::string path = isPath ? name : directory + "/" + name + ".json";
    if (!std::filesystem::exists(path, ignored))
    {
        std::set<std::string> known;
        for (const auto& entry : std::filesystem::directory_iterator(directory, ignored))
        {
            known.insert(entry.path().stem());
        }
        throw InputError(
            what + ": found \"" + name + (isPath ? "\", no such file" : "\"") +
            ", expected a file's path or one of: " +
            (known.empty() ? "none, " + directory + " has no file" : JoinWords(known)));
    }
    return path;
}

} // namespace edgepipe
} // namespace ns3
