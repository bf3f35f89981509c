/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FLOW_STATIONS_H
#define EDGEPIPE_FLOW_STATIONS_H

#include "edgepipe-flow-paths.h"

#include "ns3/edgepipe-flow-network.h"
#include "ns3/edgepipe-flow-transport.h"
#include "ns3/node.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * A cell whose time all transfers share; where it is duplex, uplink and downlink are two. What goes
 * from one station to another crosses the air twice. Competitors are flows to the hub that never
 * end.
 *
 * While devices move, each hop's time per byte and latency are those of its device's distance,
 * looked up every 100 ms, and the loss of capacity to many flows is that of the farthest device.
 * All flows in a medium get the same rate, as in Wi-Fi; LTE's scheduler gives the same time
 * instead, which is another thing where devices are not equally far away.
 */
class FlowStations
{
  public:
    /**
     * @param medium the cell
     * @param flows the network that gets its media
     */
    FlowStations(const CellMedium& medium, Ptr<FlowNetwork> flows);

    /**
     * @param device a station, which knows where it is when the cell starts, if it moves
     * @param paths the routes through the network
     * @param node number of the station, whose hop becomes one on the air
     */
    void Join(Ptr<Node> device, const std::shared_ptr<FlowPaths>& paths, uint32_t node);

    /** @return whether any station moves */
    bool IsMoving() const;

    /**
     * Take up where the stations are, from now on as long as they move, and let the competitors
     * send.
     *
     * @param cell a cell that all stations have joined
     * @param transport whose routes change, until it is disposed of
     */
    static void Start(std::shared_ptr<FlowStations> cell, Ptr<FlowTransport> transport);

  private:
    /** A device on the air. */
    struct Station
    {
        Ptr<Node> device;                 //!< which knows where it is, if it moves
        std::shared_ptr<FlowPaths> paths; //!< has its hop
        uint32_t node;                    //!< number of the hop
        std::optional<uint32_t> gate;     //!< link that is closed while it is out of range
    };

    /**
     * @param place of a station
     * @return whether it moves
     */
    static bool IsMoving(const NetworkOptions& place);

    /**
     * @param distance of a device, m
     * @return whether it is in range
     */
    bool IsReached(double distance) const;

    /** Take up where the devices are at present. */
    void Look();

    /**
     * Look again and again.
     *
     * @param cell the cell
     * @param transport whose routes change
     */
    static void Follow(std::shared_ptr<FlowStations> cell, Ptr<FlowTransport> transport);

    NetworkOptions m_options;                 //!< of the link
    std::shared_ptr<const RadioCell> m_radio; //!< what the cell carries
    Ptr<FlowNetwork> m_flows;                 //!< has the media
    std::array<uint32_t, 2> m_media;          //!< up and down, perhaps one
    std::vector<Station> m_stations;          //!< on the air
    bool m_isMoving{false};                   //!< whether any moves
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_FLOW_STATIONS_H */
