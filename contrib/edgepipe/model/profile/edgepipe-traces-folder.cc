/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-traces-folder.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-library.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

namespace ns3::edgepipe
{

namespace
{

/**
 * @param directory a folder
 * @return the JSON files in it and one level below, by name; those in it take precedence
 */
std::map<std::string, std::string>
ListJsonFiles(const std::string& directory)
{
    std::map<std::string, std::string> files;
    std::set<std::filesystem::path> folders;
    std::error_code ignored;
    const auto add = [&](const std::filesystem::path& folder, bool isBelow) {
        for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
        {
            if (entry.path().extension() == ".json")
            {
                files.emplace(entry.path().stem(), entry.path());
            }
            else if (!isBelow && entry.is_directory(ignored))
            {
                folders.insert(entry.path());
            }
        }
    };
    add(directory, false);
    for (const auto& folder : folders)
    {
        add(folder, true);
    }
    return files;
}

} // namespace

std::string
GetTracesFolder()
{
    const char* environment = std::getenv("EDGEPIPE_TRACES");
    if (environment && *environment)
    {
        return environment;
    }
    // The installed folder; in an ns-3 tree, beside the module's source.
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
    static const std::set<std::string>
        networks{".onnx", ".py", ".pt", ".pth", ".pb", ".tflite", ".h5", ".keras", ".safetensors"};
    const auto end = name.find(':', std::min(name.size(), name.rfind(".py"))); // FILE.py:FUNCTION
    const std::filesystem::path network = name.substr(0, end);
    if (folder == "models" && networks.count(network.extension()) > 0)
    {
        const bool isImported = network.extension() == ".onnx" || network.extension() == ".py";
        const std::string file = isImported ? "" : ", exported as an ONNX file";
        throw InputError(what + ": found the network \"" + name +
                         "\", expected a model; traces/capture/import_model.py " +
                         (isImported ? name : network.stem().string() + ".onnx") +
                         " makes one of it" + file);
    }
    const bool isPath =
        name.find('/') != std::string::npos || name.find(".json") != std::string::npos;
    if (isPath && std::filesystem::exists(name, ignored))
    {
        return name;
    }
    const std::string directory = traces + "/" + folder;
    const auto files = ListJsonFiles(directory);
    const auto file = isPath ? files.end() : files.find(name);
    if (file == files.end())
    {
        std::set<std::string> known;
        for (const auto& one : files)
        {
            known.insert(one.first);
        }
        throw InputError(
            what + ": found \"" + name + (isPath ? "\", no such file" : "\"") +
            ", expected a file's path or one of: " +
            (known.empty() ? "none, " + directory + " has no file" : JoinWords(known)));
    }
    return file->second;
}

} // namespace ns3::edgepipe
