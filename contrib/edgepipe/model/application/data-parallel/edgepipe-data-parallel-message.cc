/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-data-parallel-message.h"

#include "ns3/edgepipe-input-error.h"

namespace ns3::edgepipe
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

} // namespace ns3::edgepipe
