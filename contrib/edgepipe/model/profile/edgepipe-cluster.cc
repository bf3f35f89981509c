/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-cluster.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"

#include <filesystem>
#include <set>
#include <tuple>

namespace ns3::edgepipe
{

namespace
{

namespace fs = std::filesystem;

/** Most devices one entry may expand to; far above what a run can simulate. */
constexpr uint64_t MAX_COUNT = 100000;
/// Largest memory of a device, bytes: practically no limit.
constexpr uint64_t LARGEST_MEMORY = uint64_t{1} << 62;

/**
 * Finds the type of an entry among the types so far, or reads its device file.
 *
 * @param type the field that names the type
 * @param folders where device files may lie
 * @param specs the types so far
 * @return its index
 */
std::size_t
FindSpec(const JsonField& type,
         const std::vector<fs::path>& folders,
         std::vector<DeviceSpec>& specs)
{
    std::string name = type.GetFileStem();
    for (std::size_t i = 0; i < specs.size(); ++i)
    {
        if (specs[i].name == name)
        {
            return i;
        }
    }
    const std::size_t at = name.find('@');
    std::vector<std::string> tried;
    for (const fs::path& folder : folders)
    {
        std::string file = (folder / (name.substr(0, at) + ".json")).lexically_normal().string();
        std::error_code error;
        if (fs::exists(file, error))
        {
            const std::string stack = at == std::string::npos ? "" : name.substr(at);
            const DeviceSpec spec = FindDeviceSpec(type.GetPlace(), file + stack, "");
            Require(spec.name == name || spec.name == name.substr(0, at),
                    file + ": name: found " + QuoteForMessage(spec.name) + ", expected " +
                        QuoteForMessage(name) + " as the file is called");
            return AddDeviceType(specs, spec);
        }
        tried.push_back(file);
    }
    bool isOne = tried.front() == tried.back();
    type.Fail("a device type, that is a file " + tried.front() +
              (isOne ? "" : " or " + tried.back()));
}

/**
 * @param field a "network"
 * @param folder of the file, where recordings may lie
 * @return the network
 */
ClusterNetwork
ReadNetwork(const JsonField& field, const fs::path& folder)
{
    ClusterNetwork network{field.GetField("link").GetName(), "", {}, field.GetPlace()};
    for (const auto& [key, value] : field.GetMembers())
    {
        std::error_code ignored;
        if (key == "cell")
        {
            network.cell = value.GetName();
        }
        else if (key != "link")
        {
            const std::string text = value.GetText();
            const fs::path file = folder / text;
            const bool isBeside = key.rfind("trace", 0) == 0 && fs::is_regular_file(file, ignored);
            network.options[key] = isBeside ? file.lexically_normal().string() : text;
        }
    }
    return network;
}

/**
 * Adds the devices of one entry.
 *
 * @param entry an element of "devices"
 * @param folders where device files may lie
 * @param here folder of the file
 * @param names of the devices so far
 * @param cluster the cluster so far
 */
void
ReadDevices(const JsonField& entry,
            const std::vector<fs::path>& folders,
            const fs::path& here,
            std::set<std::string>& names,
            Cluster& cluster)
{
    entry.CheckKeys({"type", "count", "name", "memoryBytes", "network"});
    ClusterDevice device;
    if (const auto network = entry.FindField("network"))
    {
        device.network = std::make_shared<ClusterNetwork>(ReadNetwork(*network, here));
    }
    JsonField type = entry.GetField("type");
    device.spec = FindSpec(type, folders, cluster.specs);
    device.type = cluster.specs[device.spec].name;
    auto memory = entry.FindField("memoryBytes");
    device.memoryBytes = memory ? memory->GetInteger(1, LARGEST_MEMORY)
                                : cluster.specs[device.spec].usableMemoryBytes;
    auto name = entry.FindField("name");
    std::string prefix = name ? name->GetName() : device.type;
    (name ? *name : type)
        .Expect(prefix.find("..") == std::string::npos,
                "a name without \"..\", which stands between the devices of a group");
    auto count = entry.FindField("count");
    uint64_t number = count ? count->GetInteger(1, MAX_COUNT) : 1;
    for (uint64_t i = 0; i < number; ++i)
    {
        device.name = prefix + "-" + std::to_string(i);
        if (!names.insert(device.name).second)
        {
            entry.FailWith("device name " + QuoteForMessage(device.name) +
                           " is used twice; give this entry another \"name\"");
        }
        cluster.devices.push_back(device);
    }
}

} // namespace

bool
ClusterNetwork::operator==(const ClusterNetwork& other) const
{
    return std::tie(link, cell, options) == std::tie(other.link, other.cell, other.options);
}

Cluster
ReadCluster(const std::string& path, const std::string& tracesDirectory)
{
    JsonField root = ReadJsonFile(path);
    root.CheckFormat("edgepipe-cluster 1");
    root.CheckKeys({"format", "name", "source", "devices", "network"});

    Cluster cluster;
    cluster.name = root.GetField("name").GetFileStem();
    const fs::path here = fs::path(path).parent_path();
    const std::vector<fs::path> folders = {here / ".." / "devices",
                                           fs::path(tracesDirectory) / "devices"};
    JsonField devices = root.GetField("devices");
    std::set<std::string> names;
    for (const JsonField& entry : devices.GetElements())
    {
        ReadDevices(entry, folders, here, names, cluster);
    }
    if (cluster.devices.empty())
    {
        devices.FailWith("found no device, expected at least one");
    }

    cluster.network = ReadNetwork(root.GetField("network"), here);
    return cluster;
}

} // namespace ns3::edgepipe
