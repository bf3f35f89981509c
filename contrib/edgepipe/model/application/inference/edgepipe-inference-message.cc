/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-inference-message.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-message-body.h"

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Bytes of a first frame.
constexpr uint32_t FRAME_BYTES = 8;
/// Bytes of a number of layers.
constexpr uint32_t COUNT_BYTES = 4;

/// Bytes before the bits of a set of layers.
constexpr std::size_t HEADER_BYTES = FRAME_BYTES + COUNT_BYTES;

/**
 * @param text appended to, least significant byte first
 * @param number to append
 * @param bytes how many
 */
void
Append(std::string& text, uint64_t number, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; ++i)
    {
        text += static_cast<char>(number >> 8 * i & 0xff);
    }
}

/**
 * @param text what Append made
 * @param first where the number begins
 * @param bytes how many
 * @return the number
 */
uint64_t
Extract(const std::string& text, uint32_t first, uint32_t bytes)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < bytes; ++i)
    {
        number |= static_cast<uint64_t>(static_cast<uint8_t>(text[first + i])) << 8 * i;
    }
    return number;
}

} // namespace

const std::vector<TagKind> InferenceTag::KINDS{
    {"plan"},
    {"ready"},
    {"tensor", " of layer %2, frame %1", "input, frame %1"},
    {"result", ", frame %1"},
    {"request for weights"},
    {"weights"},
    {"device part", ", frame %1"},
    {"server part", ", frame %1"},
    {"planning"},
    {"request for the load"},
    {"load"},
    {"request for the sharing"},
    {"sharing"},
};

std::string
InferenceLayers::ToBytes() const
{
    std::string bytes;
    Append(bytes, firstFrame, FRAME_BYTES);
    Append(bytes, isIncluded.size(), COUNT_BYTES);
    bytes.resize(HEADER_BYTES + (isIncluded.size() + 7) / 8, '\0');
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
    const std::size_t count =
        bytes.size() < HEADER_BYTES ? 0 : Extract(bytes, FRAME_BYTES, COUNT_BYTES);
    const std::size_t expected = HEADER_BYTES + (count + 7) / 8;
    if (bytes.size() != expected)
    {
        throw InputError("set of layers: found " + std::to_string(bytes.size()) +
                         " bytes, expected " + std::to_string(expected) + " for " +
                         std::to_string(count) + " layers");
    }
    InferenceLayers layers;
    layers.firstFrame = Extract(bytes, 0, FRAME_BYTES);
    layers.isIncluded.resize(count);
    for (std::size_t i = 0; i < layers.isIncluded.size(); ++i)
    {
        layers.isIncluded[i] = bytes[HEADER_BYTES + i / 8] >> i % 8 & 1;
    }
    return layers;
}

} // namespace edgepipe
} // namespace ns3
