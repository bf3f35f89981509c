/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-data-parallel-message.h"

namespace ns3
{
namespace edgepipe
{

const std::vector<TagKind> DataParallelTag::KINDS{
    {"hello"},
    {"gradients", " of iteration %1, step %2"},
    {"weights", " of iteration %1"},
    {"ping"},
    {"answer to a ping"},
    {"metrics"},
    {"shares", ", version %3"},
    {"receipt of shares", ", version %3"},
    {"computing", " of iteration %1"},
    {"update", " of iteration %1"},
    {"planning"},
    {"request to join"},
    {"request to leave"},
    {"report on a link"},
};

} // namespace edgepipe
} // namespace ns3
