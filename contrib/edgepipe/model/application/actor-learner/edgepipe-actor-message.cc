/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-actor-message.h"

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Bits of a tag that hold the index.
constexpr uint32_t INDEX_BITS = 24;

} // namespace

uint64_t
ActorTag::Pack() const
{
    return static_cast<uint64_t>(kind) << 56 | static_cast<uint64_t>(number) << INDEX_BITS | index;
}

ActorTag
ActorTag::Unpack(uint64_t packed)
{
    return {static_cast<Kind>(packed >> 56),
            static_cast<uint32_t>(packed >> INDEX_BITS),
            static_cast<uint32_t>(packed & RELEASE)};
}

std::string
ActorTag::GetKindName() const
{
    static constexpr const char* NAMES[] = {"join",
                                            "leave",
                                            "cut",
                                            "cut taken",
                                            "cut tensor",
                                            "action",
                                            "trajectory",
                                            "parameters",
                                            "environment step",
                                            "actor's layers",
                                            "server's layers",
                                            "training",
                                            "report",
                                            "roster",
                                            "meeting",
                                            "answer of a meeting",
                                            "outcome of meetings",
                                            "planning",
                                            "server's layers of a batch"};
    return NameKind(NAMES, kind);
}

std::string
ActorTag::Describe() const
{
    const std::string text = GetKindName();
    const std::string of = " " + std::to_string(number);
    switch (kind)
    {
    case TENSOR:
        return text + " of step" + of + ", cut after layer " + std::to_string(index);
    case ACTION:
    case ENVIRONMENT:
    case ACTOR_PART:
        return text + " of step" + of;
    case SERVER_BATCH:
        return text + " of " + std::to_string(index) + " requests, the first of step" + of;
    case SERVER_PART:
        return text + " of step" + of + " of actor " + std::to_string(index);
    case TRAJECTORY:
        return text + " of " + std::to_string(index) + " steps up to step" + of;
    case PARAMETERS:
    case TRAINING:
        return text + " of version" + of;
    case CUT:
    case TAKEN:
        return text + (index == RELEASE ? ", none" : " after layer " + std::to_string(index));
    default:
        return text;
    }
}

} // namespace edgepipe
} // namespace ns3
