/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-grdqn-checkpoint.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-random-streams.h"
#include "ns3/rng-seed-manager.h"

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// What a checkpoint begins with.
const std::string MAGIC = "edgepipe-grdqn 1\n";
/// Largest file that is read: networks for thousands of devices are smaller.
constexpr std::uintmax_t LARGEST_FILE = 1U << 30;

/**
 * @param bytes any
 * @return their 64-bit FNV-1a hash
 */
uint64_t
HashBytes(const std::string& bytes)
{
    uint64_t hash = 14695981039346656037U;
    for (char byte : bytes)
    {
        hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211U;
    }
    return hash;
}

/**
 * @param bytes what the value's bytes are appended to
 * @param value of a type without padding
 */
template <typename T>
void
Append(std::string& bytes, T value)
{
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

/** Takes apart what Append put together. */
class Reader
{
  public:
    /** @param bytes what to take apart */
    explicit Reader(const std::string& bytes)
        : m_bytes(bytes)
    {
    }

    /**
     * @param target where the next bytes go
     * @param size how many
     * @return whether there were as many
     */
    bool Take(void* target, std::size_t size)
    {
        if (m_bytes.size() - m_next < size)
        {
            return false;
        }
        std::memcpy(target, m_bytes.data() + m_next, size);
        m_next += size;
        return true;
    }

    /**
     * @param unit bytes of an element
     * @param count set to the number of elements that follow
     * @return whether there are as many
     */
    bool TakeCount(std::size_t unit, uint64_t& count)
    {
        return Take(&count, sizeof(count)) && count <= (m_bytes.size() - m_next) / unit;
    }

    /** @return whether nothing is left */
    bool IsAtEnd() const
    {
        return m_next == m_bytes.size();
    }

  private:
    const std::string& m_bytes; //!< what to take apart
    std::size_t m_next{0};      //!< first byte not taken
};

/**
 * @param bytes of a file, without its hash
 * @param checkpoint set to what it holds
 * @return whether it is whole
 */
bool
Parse(const std::string& bytes, GrdqnCheckpoint& checkpoint)
{
    Reader reader(bytes);
    std::string magic(MAGIC.size(), ' ');
    uint64_t count = 0;
    if (!reader.Take(magic.data(), magic.size()) || magic != MAGIC ||
        !reader.Take(&checkpoint.key, sizeof(checkpoint.key)) || !reader.TakeCount(1, count))
    {
        return false;
    }
    checkpoint.variant.resize(count);
    uint64_t networks = 0;
    if (!reader.Take(checkpoint.variant.data(), count) ||
        !reader.TakeCount(sizeof(uint64_t), networks))
    {
        return false;
    }
    for (uint64_t i = 0; i < networks; ++i)
    {
        if (!reader.TakeCount(sizeof(float), count))
        {
            return false;
        }
        checkpoint.weights.emplace_back(count);
        reader.Take(checkpoint.weights.back().data(), count * sizeof(float));
        for (float weight : checkpoint.weights.back())
        {
            if (!std::isfinite(weight))
            {
                return false;
            }
        }
    }
    return reader.IsAtEnd();
}

} // namespace

uint64_t
HashGrdqnProblem(const PipelineProblem& problem,
                 const std::string& variant,
                 const GrdqnOptions& options,
                 int64_t stream)
{
    std::string bytes = variant + '\0';
    Append(bytes, stream);
    Append(bytes, random_streams::PLAN_SEARCH.first);
    Append(bytes, RngSeedManager::GetSeed());
    Append(bytes, RngSeedManager::GetRun());
    Append(bytes, options.hiddenUnits.size());
    for (std::size_t units : options.hiddenUnits)
    {
        Append(bytes, units);
    }
    // searchEvaluations only matters to decisions.
    Append(bytes, options.recurrentUnits);
    Append(bytes, options.deviceSlots);
    Append(bytes, options.mostEvaluations);
    for (double option : {options.learningRate,
                          options.cutDiscount,
                          options.placeDiscount,
                          options.firstEpsilon,
                          options.lastEpsilon,
                          options.exploringShare,
                          options.kappa,
                          options.varsigma,
                          options.cutReward,
                          options.cutPenalty,
                          options.continueReward,
                          options.continuePenalty,
                          options.balanceThreshold,
                          options.fitThreshold,
                          options.fitReward,
                          options.delayWeight,
                          options.loadWeight,
                          options.priorityExponent})
    {
        Append(bytes, option);
    }
    for (uint32_t option : {options.cutEpisodes,
                            options.placeEpisodes,
                            options.batchSize,
                            options.replayCapacity,
                            options.targetInterval,
                            options.fitsPerEpisode,
                            options.beamWidth,
                            options.imitatedEvaluations,
                            uint32_t{options.countsSeconds},
                            uint32_t{options.doubleDqn},
                            uint32_t{options.returnBound}})
    {
        Append(bytes, option);
    }
    Append(bytes, problem.microBatches);
    Append(bytes, problem.bandwidthBitsPerSecond);
    Append(bytes, problem.layers.size());
    for (const PipelineLayer& layer : problem.layers)
    {
        Append(bytes, layer.outputBytes);
        Append(bytes, layer.parameterBytes);
        Append(bytes, layer.activationBytes);
        Append(bytes, layer.inputs.size());
        for (std::size_t input : layer.inputs)
        {
            Append(bytes, input);
        }
    }
    std::map<std::string, uint64_t> types;
    Append(bytes, problem.devices.size());
    for (const PipelineDevice& device : problem.devices)
    {
        const auto [type, isNew] = types.emplace(device.type, types.size());
        Append(bytes, type->second);
        Append(bytes, device.memoryBytes);
        if (device.uplinkBitsPerSecond > 0 || device.downlinkBitsPerSecond > 0)
        {
            Append(bytes, device.uplinkBitsPerSecond);
            Append(bytes, device.downlinkBitsPerSecond);
        }
        if (device.delaySeconds > 0)
        {
            Append(bytes, device.delaySeconds);
        }
        if (isNew)
        {
            const LayerSeconds& seconds = problem.costs.at(device.type);
            for (std::size_t i = 0; i < problem.layers.size(); ++i)
            {
                Append(bytes, seconds.forwardSeconds[i]);
                Append(bytes, seconds.backwardSeconds[i]);
            }
        }
    }
    return HashBytes(bytes);
}

void
WriteGrdqnCheckpoint(const std::string& path, const GrdqnCheckpoint& checkpoint)
{
    std::string bytes = MAGIC;
    Append(bytes, checkpoint.key);
    Append(bytes, uint64_t{checkpoint.variant.size()});
    bytes += checkpoint.variant;
    Append(bytes, uint64_t{checkpoint.weights.size()});
    for (const auto& weights : checkpoint.weights)
    {
        Append(bytes, uint64_t{weights.size()});
        bytes.append(reinterpret_cast<const char*>(weights.data()), weights.size() * sizeof(float));
    }
    Append(bytes, HashBytes(bytes));

    static std::atomic<unsigned> number{0};
    const std::string temporary =
        path + ".tmp-" + std::to_string(getpid()) + "-" + std::to_string(number++);
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    std::error_code error;
    if (file)
    {
        std::filesystem::rename(temporary, path, error);
    }
    if (!file || error)
    {
        std::error_code ignored;
        std::filesystem::remove(temporary, ignored);
        throw InputError("checkpoint \"" + path + "\": cannot be written");
    }
}

GrdqnCheckpoint
ReadGrdqnCheckpoint(const std::string& path)
{
    const std::string name = "checkpoint \"" + path + "\": ";
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
    {
        throw InputError(name + "there is no such file");
    }
    if (std::filesystem::file_size(path, error) > LARGEST_FILE || error)
    {
        throw InputError(name + "larger than any checkpoint, expected at most 1 GiB");
    }
    std::ifstream file(path, std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    std::string bytes = content.str();
    if (!file || bytes.compare(0, MAGIC.size(), MAGIC) != 0)
    {
        throw InputError(name +
                         "no checkpoint of planner grdqn, expected a file that train-planner "
                         "wrote");
    }
    uint64_t hash = 0;
    GrdqnCheckpoint checkpoint;
    bool isWhole = bytes.size() >= MAGIC.size() + sizeof(hash);
    if (isWhole)
    {
        std::memcpy(&hash, bytes.data() + bytes.size() - sizeof(hash), sizeof(hash));
        bytes.resize(bytes.size() - sizeof(hash));
        isWhole = hash == HashBytes(bytes) && Parse(bytes, checkpoint);
    }
    if (!isWhole)
    {
        throw InputError(name + "cut short or damaged, expected a file that train-planner wrote");
    }
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
    if (cache && *cache == '/') // the XDG specification has relative paths ignored
    {
        return std::string(cache) + "/edgepipe/grdqn";
    }
    const char* home = std::getenv("HOME");
    return home && *home ? std::string(home) + "/.cache/edgepipe/grdqn" : "";
}

} // namespace edgepipe
} // namespace ns3
