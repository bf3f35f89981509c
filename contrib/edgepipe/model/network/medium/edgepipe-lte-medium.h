/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LTE_MEDIUM_H
#define EDGEPIPE_LTE_MEDIUM_H

#include "ns3/edgepipe-flow-cell.h"
#include "ns3/edgepipe-flow-medium.h"
#include "ns3/lte-enb-net-device.h"
#include "ns3/lte-ue-net-device.h"

#include <memory>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * The air between an LTE base station and its devices, by LteCapacity. A hop is from a device to
 * the gateway of the core network, or back, or both: what lies between takes no time and no
 * capacity.
 *
 * LteCapacity is for the powers and the path loss of LteRadio; a device counts as if at the
 * distance where it would lose as much as it does by its channel's loss model and powers.
 */
class LteMedium : public FlowMedium
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
    Ptr<LteEnbNetDevice> m_base;                 //!< the base station
    std::unique_ptr<FlowCell> m_cell;            //!< the air, each way
    std::vector<Ptr<LteUeNetDevice>> m_stations; //!< that routes have come to
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_LTE_MEDIUM_H */
