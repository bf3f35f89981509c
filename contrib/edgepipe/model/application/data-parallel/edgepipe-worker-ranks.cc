/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-worker-ranks.h"

#include "ns3/edgepipe-input-error.h"

#include <string>

namespace ns3
{
namespace edgepipe
{

WorkerRanks::WorkerRanks(const NodeContainer& nodes)
{
    for (uint32_t rank = 0; rank < nodes.GetN(); ++rank)
    {
        m_nodes.push_back(nodes.Get(rank)->GetId());
        if (!m_ranks.emplace(m_nodes.back(), rank).second)
        {
            throw InputError("workers: found node " + std::to_string(m_nodes.back()) +
                             " twice, expected each node once");
        }
    }
}

uint32_t
WorkerRanks::GetN() const
{
    return m_nodes.size();
}

uint32_t
WorkerRanks::GetNode(uint32_t rank) const
{
    return m_nodes[rank];
}

std::optional<uint32_t>
WorkerRanks::FindRank(uint32_t node) const
{
    const auto found = m_ranks.find(node);
    return found == m_ranks.end() ? std::nullopt : std::make_optional(found->second);
}

} // namespace edgepipe
} // namespace ns3
