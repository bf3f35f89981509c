/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LOAD_PLAYER_H
#define EDGEPIPE_LOAD_PLAYER_H

#include "ns3/edgepipe-compute-device.h"
#include "ns3/edgepipe-trace.h"
#include "ns3/event-id.h"

#include <memory>

namespace ns3::edgepipe
{

/** Replays a device's load: sets its AvailableShare from a StepSource. */
class LoadPlayer
{
  public:
    /**
     * @param compute the device
     * @param steps its shares, 0 to 1
     */
    LoadPlayer(Ptr<ComputeDevice> compute, std::unique_ptr<StepSource> steps);
    ~LoadPlayer();
    // The event holds this object's address.
    LoadPlayer(const LoadPlayer&) = delete;
    LoadPlayer& operator=(const LoadPlayer&) = delete;

  private:
    /** Schedule the next step. */
    void Arm();
    /** Set the share. */
    void Set();

    Ptr<ComputeDevice> m_compute;        //!< the device
    std::unique_ptr<StepSource> m_steps; //!< its shares
    TraceStep m_step;                    //!< the next one
    EventId m_next;                      //!< calls Set
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LOAD_PLAYER_H */
