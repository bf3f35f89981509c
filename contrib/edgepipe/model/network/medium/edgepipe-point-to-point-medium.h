/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_POINT_TO_POINT_MEDIUM_H
#define EDGEPIPE_POINT_TO_POINT_MEDIUM_H

#include "ns3/edgepipe-flow-medium.h"

#include <utility>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * A PointToPointChannel: a wire each way, of its sending device's data rate, which 2 bytes of PPP
 * header take a part of. Queues before the wires are those of FlowPacer; nothing is lost.
 */
class PointToPointMedium : public FlowMedium
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    Ptr<Object> FindKey(const FlowHop& hop) const override;
    void AddHop(const FlowMediumSettings& settings, const FlowHop& hop, FlowRoute& route) override;
    void Update(const FlowMediumSettings& settings) override;

  private:
    std::vector<std::pair<Ptr<NetDevice>, uint32_t>> m_links; //!< with their senders
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_POINT_TO_POINT_MEDIUM_H */
