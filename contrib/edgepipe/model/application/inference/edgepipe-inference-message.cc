/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-inference-message.h"

#include "ns3/edgepipe-input-error.h"

#include <cstring>

namespace ns3::edgepipe
{

/// Size of the frame number and the layer count, bytes.
constexpr std::size_t HEADER_BYTES = sizeof(uint64_t) + sizeof(uint32_t);

std::string
InferenceLayers::ToBytes() const
{
    const uint32_t count = isIncluded.size();
    std::string bytes(HEADER_BYTES + (count + 7) / 8, '\0');
    std::memcpy(bytes.data(), &firstFrame, sizeof(firstFrame));
    std::memcpy(bytes.data() + sizeof(firstFrame), &count, sizeof(count));
    for (std::size_t i = 0; i < isIncluded.size(); ++i)
    {
        if (isIncluded[i])
        {
            bytes[HEADER_BYTES + i / 8] |= static_cast<char>(1 << i % 8);
        }
    }
    return bytes;
}

InferenceLayers
InferenceLayers::FromBytes(const std::string& bytes)
{
    InferenceLayers layers;
    uint32_t count = 0;
    if (bytes.size() >= HEADER_BYTES)
    {
        std::memcpy(&layers.firstFrame, bytes.data(), sizeof(layers.firstFrame));
        std::memcpy(&count, bytes.data() + sizeof(layers.firstFrame), sizeof(count));
    }
    const std::size_t expected = HEADER_BYTES + (count + std::size_t{7}) / 8;
    Require(bytes.size() == expected,
            "set of layers: found " + std::to_string(bytes.size()) + " bytes, expected " +
                std::to_string(expected) + " for " + std::to_string(count) + " layers");
    layers.isIncluded.resize(count);
    for (std::size_t i = 0; i < layers.isIncluded.size(); ++i)
    {
        layers.isIncluded[i] = bytes[HEADER_BYTES + i / 8] >> i % 8 & 1;
    }
    return layers;
}

} // namespace ns3::edgepipe
