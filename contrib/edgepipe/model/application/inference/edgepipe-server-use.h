/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_SERVER_USE_H
#define EDGEPIPE_SERVER_USE_H

#include "ns3/edgepipe-inference-message.h"
#include "ns3/nstime.h"

#include <array>
#include <cstdint>
#include <limits>
#include <map>

namespace ns3
{
namespace edgepipe
{

/**
 * What each device takes of a server and of its radio cell, as the server sees it, so that a device
 * can be told of the others: work and payload that has arrived from them, over the
 * time since it was told last. Of the backlog it is the least that a frame has found, the standing
 * queue (K. Nichols and V. Jacobson, "Controlling queue delay", ACM Queue 10(5), 2012): what comes
 * and goes with the others' frames is in their share of the server already.
 */
class ServerUse
{
  public:
    /**
     * @param device id of its node, new
     * @param cell that it sends in, from 1 on; 0: it shares its way to the server with nobody
     */
    void Add(uint32_t device, uint32_t cell);

    /**
     * @param device whose frame has arrived
     * @param seconds work of it, seconds on the idle server
     * @param now present time
     */
    void CountWork(uint32_t device, double seconds, const Time& now);

    /**
     * @param device that has sent something
     * @param bytes payload
     * @param now present time
     */
    void CountBytes(uint32_t device, uint64_t bytes, const Time& now);

    /**
     * @param seconds work that waits or runs on the server, seconds on the idle server, as a frame
     *        finds it
     * @param now present time
     */
    void CountBacklog(double seconds, const Time& now);

    /**
     * @param period at least one, at most two such are looked back on
     */
    void SetPeriod(const Time& period);

    /**
     * @param device to be told
     * @return when it was told last, or asked first; none if it has not asked
     */
    Time GetTold(uint32_t device) const;

    /**
     * Begin or go on telling a device.
     *
     * @param device to be told
     * @param now present time
     * @return what the others have taken since it was told last; nothing at the first time
     */
    ServerSharing Tell(uint32_t device, const Time& now);

    /// Of a device that has never asked.
    static const Time NEVER;

  private:
    /// Least backlog where no frame has come.
    static constexpr double NONE = std::numeric_limits<double>::infinity();

    /** What one device has taken since the beginning. */
    struct Taken
    {
        uint32_t cell;         //!< that it sends in; 0: none
        double seconds{0};     //!< work
        double bytes{0};       //!< payload
        Time lastWork{NEVER};  //!< when its last frame arrived
        Time lastBytes{NEVER}; //!< when its last bytes arrived
        Time told{NEVER};      //!< when it was told last
        double toldSeconds{0}; //!< work of the others by then
        double toldBytes{0};   //!< payload of the others in its cell by then
    };

    /**
     * End the present period if it is over.
     * @param now present time
     */
    void TurnPeriod(const Time& now);

    std::map<uint32_t, Taken> m_taken;                  //!< by device
    Time m_period{Seconds(1)};                          //!< that the least backlog is of
    Time m_periodStart;                                 //!< of the present period
    std::array<double, 2> m_leastBacklog{{NONE, NONE}}; //!< of the last period, of the present one
    double m_seconds{0};                                //!< work of all
    std::map<uint32_t, double> m_cellBytes;             //!< payload of all, by cell
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_SERVER_USE_H */
