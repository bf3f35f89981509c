/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_RADIO_CELL_H
#define EDGEPIPE_RADIO_CELL_H

#include "ns3/edgepipe-flow-route.h"
#include "ns3/object.h"

#include <cstdint>

namespace ns3::edgepipe
{

/** Directions of the hop between a device and its access point or base station. */
enum class RadioDirection
{
    UP,   //!< from the device
    DOWN, //!< to the device
};

/** The hop between a device and its access point or base station. */
struct RadioHop
{
    uint32_t link;            //!< the medium, in a FlowNetwork
    const Object* station;    //!< identifies the device
    double distanceMeters;    //!< of the device from the middle, m, in range
    RadioDirection direction; //!< of the bytes
    /// Flows under way on the hop; null: not counted
    const uint32_t* flows{nullptr};
};

/**
 * @ingroup edgepipe
 *
 * Capacity of a cell in a FlowNetwork: each medium offers one second of use per second, and x IP
 * bytes/s on the hop to or from a device take x GetSecondsPerByte() of it.
 */
class RadioCell
{
  public:
    virtual ~RadioCell() = default;

    /** @return whether up and down are separate media */
    virtual bool IsDuplex() const = 0;

    /**
     * @param distanceMeters of the device from the access point or base station, m
     * @param direction of the bytes
     * @return time per byte of IP packets with data on the hop, s, with one flow in the cell;
     *         infinite beyond the range
     */
    virtual double GetSecondsPerByte(double distanceMeters, RadioDirection direction) const = 0;

    /** @return number of flows up to which the efficiency changes, or is known */
    virtual uint32_t GetMostFlows() const = 0;

    /**
     * @param activeFlows how many flows the medium carries at the moment
     * @param distanceMeters of the device farthest away, m
     * @param direction of the bytes
     * @return the medium's capacity relative to that with one flow, > 0
     */
    virtual double GetEfficiency(uint32_t activeFlows,
                                 double distanceMeters,
                                 RadioDirection direction) const = 0;

    /**
     * @param activeFlows how many flows go up
     * @param distanceMeters of the device farthest away, m
     * @return share of the uplink's time in which a device that only receives data has
     *         acknowledgements to send, if up and down are separate media
     */
    virtual double GetAcknowledgementShare([[maybe_unused]] uint32_t activeFlows,
                                           [[maybe_unused]] double distanceMeters) const
    {
        return 0;
    }

    /**
     * @param hop a hop
     * @param route gets the hop and the cell's rules
     */
    virtual void AddHop(const RadioHop& hop, FlowRoute& route) = 0;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_RADIO_CELL_H */
