/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-grdqn-checkpoint.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/hash.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>
#include <unistd.h>

namespace ns3::edgepipe
{

namespace
{

/// First line of a checkpoint.
const std::string MAGIC = "edgepipe-grdqn 2\n";
/// Largest file read, bytes; networks for thousands of devices are smaller.
constexpr std::uintmax_t LARGEST_FILE = 1U << 30;

/**
 * @param bytes of a file
 * @param checkpoint set to the content
 * @return whether the file is intact
 */
bool
Parse(const std::string& bytes, GrdqnCheckpoint& checkpoint)
{
    uint64_t hash = 0;
    if (bytes.size() < MAGIC.size() + sizeof(hash))
    {
        return false;
    }
    const auto end = bytes.end() - sizeof(hash);
    std::memcpy(&hash, &*end, sizeof(hash));
    if (hash != Hash64({bytes.begin(), end}))
    {
        return false;
    }
    try
    {
        const auto parsed = nlohmann::json::from_cbor(bytes.begin() + MAGIC.size(), end);
        parsed.at("variant").get_to(checkpoint.variant);
        parsed.at("key").get_to(checkpoint.key);
        parsed.at("devices").get_to(checkpoint.devices);
        parsed.at("weights").get_to(checkpoint.weights);
    }
    catch (const nlohmann::json::exception&)
    {
        return false;
    }
    const auto areFinite = [](const std::vector<float>& weights) {
        return std::all_of(weights.begin(), weights.end(), [](float w) {
            return std::isfinite(w);
        });
    };
    const auto& networks = checkpoint.weights;
    // Every device has at least one weight.
    return !networks.empty() && checkpoint.devices <= networks.back().size() &&
           std::all_of(networks.begin(), networks.end(), areFinite);
}

} // namespace

void
WriteGrdqnCheckpoint(const std::string& path, const GrdqnCheckpoint& checkpoint)
{
    std::string bytes = MAGIC;
    nlohmann::json::to_cbor({{"variant", checkpoint.variant},
                             {"key", checkpoint.key},
                             {"devices", checkpoint.devices},
                             {"weights", checkpoint.weights}},
                            bytes);
    const uint64_t hash = Hash64(bytes);
    bytes.append(reinterpret_cast<const char*>(&hash), sizeof(hash));

    static std::atomic<unsigned> number{0};
    const std::string temporary =
        path + ".tmp-" + std::to_string(getpid()) + "-" + std::to_string(number++);
    errno = 0;
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    std::error_code error(file ? 0 : (errno ? errno : EIO), std::generic_category());
    if (file)
    {
        std::filesystem::rename(temporary, path, error);
    }
    if (error)
    {
        std::error_code ignored;
        std::filesystem::remove(temporary, ignored);
        throw InputError("checkpoint \"" + path + "\": cannot be written: " + error.message());
    }
}

GrdqnCheckpoint
ReadGrdqnCheckpoint(const std::string& path)
{
    const std::string name = "checkpoint \"" + path + "\": ";
    std::error_code error;
    Require(std::filesystem::is_regular_file(path, error), name + "there is no such file");
    Require(std::filesystem::file_size(path, error) <= LARGEST_FILE && !error,
            name + "larger than any checkpoint, expected at most 1 GiB");
    std::ifstream file(path, std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    const std::string bytes = content.str();
    Require(file && bytes.compare(0, MAGIC.size(), MAGIC) == 0,
            name + "no checkpoint of planner grdqn, expected a file that this "
                   "version's train-planner wrote");
    GrdqnCheckpoint checkpoint;
    Require(Parse(bytes, checkpoint),
            name + "cut short or damaged, expected a file that train-planner wrote");
    return checkpoint;
}

std::string
FindGrdqnCache(const std::string& folder)
{
    if (!folder.empty())
    {
        return folder;
    }
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache && *cache == '/') // XDG: relative paths are ignored
    {
        return std::string(cache) + "/edgepipe/grdqn";
    }
    const char* home = std::getenv("HOME");
    return home && *home ? std::string(home) + "/.cache/edgepipe/grdqn" : "";
}

} // namespace ns3::edgepipe
