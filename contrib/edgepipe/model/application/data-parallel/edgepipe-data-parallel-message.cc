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
DataParallelTag::GetKindName() const
{
    static constexpr const char* NAMES[] = {"hello",
                                            "gradients",
                                            "weights",
                                            "ping",
                                            "answer to a ping",
                                            "metrics",
                                            "shares",
                                            "receipt of shares",
                                            "computing",
                                            "update",
                                            "planning",
                                            "request to join",
                                            "request to leave",
                                            "report on a link"};
    return NameKind(NAMES, kind);
}

std::string
DataParallelTag::Describe() const
{
    const std::string text = GetKindName();
    switch (kind)
    {
    case GRADIENTS:
        return text + " of iteration " + std::to_string(iteration) + ", step " +
               std::to_string(step);
    case WEIGHTS:
    case COMPUTE:
    case UPDATE:
        return text + " of iteration " + std::to_string(iteration);
    case SHARES:
    case SHARES_TAKEN:
        return text + ", version " + std::to_string(version);
    default:
        return text;
    }
}

} // namespace edgepipe
} // namespace ns3
