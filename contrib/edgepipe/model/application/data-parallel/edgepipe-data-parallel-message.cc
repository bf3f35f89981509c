/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-data-parallel-message.h"

namespace ns3
{
namespace edgepipe
{

uint64_t
DataParallelTag::Pack() const
{
    return static_cast<uint64_t>(kind) << 56 | static_cast<uint64_t>(iteration) << 32 |
           static_cast<uint64_t>(step) << 20 | version;
}

DataParallelTag
DataParallelTag::Unpack(uint64_t packed)
{
    return {static_cast<Kind>(packed >> 56),
            static_cast<uint32_t>(packed >> 32 & 0xffffff),
            static_cast<uint32_t>(packed >> 20 & 0xfff),
            static_cast<uint32_t>(packed & 0xfffff)};
}

std::string
DataParallelTag::Describe() const
{
    const std::string ofIteration = " of iteration " + std::to_string(iteration);
    switch (kind)
    {
    case HELLO:
        return "hello";
    case GRADIENTS:
        return "gradients" + ofIteration + ", step " + std::to_string(step);
    case WEIGHTS:
        return "weights" + ofIteration;
    case PING:
        return "ping";
    case PONG:
        return "answer to a ping";
    case METRICS:
        return "metrics";
    case SHARES:
        return "shares, version " + std::to_string(version);
    case SHARES_TAKEN:
        return "receipt of shares, version " + std::to_string(version);
    case COMPUTE:
        return "computing" + ofIteration;
    case UPDATE:
        return "update" + ofIteration;
    }
    return "unknown";
}

} // namespace edgepipe
} // namespace ns3
