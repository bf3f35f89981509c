/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FLOW_CELL_H
#define EDGEPIPE_FLOW_CELL_H

#include "ns3/edgepipe-flow-network.h"
#include "ns3/edgepipe-flow-route.h"
#include "ns3/edgepipe-radio-cell.h"
#include "ns3/object.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * A RadioCell in a FlowNetwork: one medium, or one each way, whose airtime all its stations share.
 * All flows in a medium get the same rate, as in Wi-Fi; LTE's scheduler gives equal time instead,
 * which differs where distances are unequal. The loss of capacity with many flows is that of the
 * farthest station. A flow to or from a station out of range stands still.
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
    FlowCell(Ptr<FlowNetwork> network, std::shared_ptr<RadioCell> radio);
    // The network calls this object.
    FlowCell(const FlowCell&) = delete;
    FlowCell& operator=(const FlowCell&) = delete;

    /**
     * Set a station's distances. Call Settle and find routes again afterwards.
     *
     * @param station its device or node
     * @param distances of the station
     * @param isFixed whether it stays in range or out of range for good, which costs its flows less
     */
    void SetDistances(Ptr<Object> station, const Distances& distances, bool isFixed = true);

    /**
     * Add stations that send to the middle of the cell forever.
     *
     * @param count number of stations
     * @param distanceMeters their distance, m
     */
    void AddCompetitors(uint32_t count, double distanceMeters);

    /** Apply the distances of all stations. */
    void Settle();

    /**
     * Keep a station from sending and receiving, for good.
     *
     * @param station its device or node, not fixed
     */
    void Cut(Ptr<Object> station);

    /**
     * @param station its device or node, whose distances are known
     * @param direction of the bytes
     * @param route gets the hop between the station and the middle of the cell
     */
    void AddHop(Ptr<Object> station, RadioDirection direction, FlowRoute& route);

  private:
    /** A device on the air. */
    struct Station
    {
        Distances distances{};           //!< up and down, m
        bool isReached{true};            //!< whether it is in range
        bool isCut{false};               //!< whether it has been cut
        std::optional<uint32_t> gate;    //!< link that is closed while nothing gets through
        std::array<uint32_t, 2> flows{}; //!< flows under way, up and down
    };

    /**
     * Open or close a station's gate, if it has one.
     * @param station the station
     */
    void SetGate(Station& station);

    Ptr<FlowNetwork> m_network;                      //!< has the media
    std::shared_ptr<RadioCell> m_radio;              //!< what the cell carries
    std::array<uint32_t, 2> m_media;                 //!< up and down, perhaps one
    std::map<Ptr<Object>, Station> m_stations;       //!< by device or node
    double m_competitorMeters{0};                    //!< distance of competitors; 0: none
    std::optional<Distances> m_farthest;             //!< distances that the following are for
    std::array<std::vector<double>, 2> m_efficiency; //!< up and down, by flows from 1 on
    std::vector<double>
        m_acknowledgements; //!< RadioCell::GetAcknowledgementShare, by uplink flows from 1 on
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_FLOW_CELL_H */
