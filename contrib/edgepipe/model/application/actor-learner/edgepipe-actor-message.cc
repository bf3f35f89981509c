/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-actor-message.h"

namespace ns3
{
namespace edgepipe
{

const std::vector<TagKind> ActorTag::KINDS{
    {"join"},
    {"leave"},
    {"cut", " after layer %2", "cut, none"},
    {"cut taken", " after layer %2", "cut taken, none"},
    {"cut tensor", " of step %1, cut after layer %2"},
    {"action", " of step %1"},
    {"trajectory", " of %2 steps up to step %1"},
    {"parameters", " of version %1"},
    {"environment step", " of step %1"},
    {"actor's layers", " of step %1"},
    {"server's layers", " of step %1 of actor %2"},
    {"training", " of version %1"},
    {"report"},
    {"roster"},
    {"meeting"},
    {"answer of a meeting"},
    {"outcome of meetings"},
    {"planning"},
    {"server's layers of a batch", " of %2 requests, the first of step %1"},
};

} // namespace edgepipe
} // namespace ns3
