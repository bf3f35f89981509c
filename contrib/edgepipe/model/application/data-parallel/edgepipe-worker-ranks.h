/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_WORKER_RANKS_H
#define EDGEPIPE_WORKER_RANKS_H

#include "ns3/node-container.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * Which worker of data-parallel training is on which node: ranks count the workers, from 0, and
 * messages go from node to node.
 */
class WorkerRanks
{
  public:
    /** @param nodes of the workers, by rank, each once */
    explicit WorkerRanks(const NodeContainer& nodes);

    /** @return number of workers */
    uint32_t GetN() const;

    /**
     * @param rank of a worker
     * @return id of its node
     */
    uint32_t GetNode(uint32_t rank) const;

    /**
     * @param node id of a node
     * @return rank of its worker; nothing if it has none
     */
    std::optional<uint32_t> FindRank(uint32_t node) const;

  private:
    std::vector<uint32_t> m_nodes;                  //!< ids, by rank
    std::unordered_map<uint32_t, uint32_t> m_ranks; //!< by id of the node
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_WORKER_RANKS_H */
