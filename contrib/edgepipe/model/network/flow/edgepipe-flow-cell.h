/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FLOW_CELL_H
#define EDGEPIPE_FLOW_CELL_H

#include "ns3/edgepipe-flow-network.h"
#include "ns3/edgepipe-flow-route.h"
#include "ns3/edgepipe-radio-cell.h"
#include "ns3/net-device.h"
#include "ns3/ptr.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * A RadioCell in a FlowNetwork: one medium, or one each way, whose time all its stations share.
 * A flow to or from a station that is out of range stands still.
 */
class FlowCell
{
  public:
    /// Distances from the access point or base station, up and down, m.
    using Distances = std::array<double, 2>;

    /**
     * @param network gets the media
     * @param radio what the cell carries
     */
    FlowCell(Ptr<FlowNetwork> network, std::shared_ptr<const RadioCell> radio);

    /**
     * Say how far away a station is; routes are to be asked for again after that.
     *
     * @param station its device
     * @param distances of the station
     */
    void SetDistances(Ptr<NetDevice> station, const Distances& distances);

    /**
     * @param station its device, whose distances are known
     * @param direction of the bytes
     * @param route gets the hop between the station and the middle of the cell
     */
    void AddHop(Ptr<NetDevice> station, RadioDirection direction, FlowRoute& route);

    /// A capacity that is never a bottleneck, bytes/s.
    static constexpr double BEYOND_ANY_RADIO = 1e15;

    /**
     * Make a user of a cell known to its uplink, where that is a medium of its own.
     *
     * @param network has the media
     * @param up the uplink
     * @return links that all that the user sends, and all that comes to it, has to cross
     */
    static std::array<uint32_t, 2> AddUser(FlowNetwork& network, uint32_t up);

    /**
     * Say how much a cell's media carry by how they are used.
     *
     * @param network has the media
     * @param radio what the cell carries
     * @param media up and down, perhaps one
     * @param farthest of its stations that are in range, m
     */
    static void SetUse(FlowNetwork& network,
                       const RadioCell& radio,
                       const std::array<uint32_t, 2>& media,
                       const Distances& farthest);

  private:
    Ptr<FlowNetwork> m_network;                               //!< has the media
    std::shared_ptr<const RadioCell> m_radio;                 //!< what the cell carries
    std::array<uint32_t, 2> m_media;                          //!< up and down, perhaps one
    std::optional<uint32_t> m_dead;                           //!< crossed by what is out of range
    std::map<Ptr<NetDevice>, Distances> m_stations;           //!< by device
    std::map<Ptr<NetDevice>, std::array<uint32_t, 2>> m_uses; //!< see AddUser
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_FLOW_CELL_H */
