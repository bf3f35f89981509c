/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_NETWORK_HELPER_H
#define EDGEPIPE_NETWORK_HELPER_H

#include "edgepipe-network-options.h"

#include "ns3/edgepipe-link-counter.h"
#include "ns3/edgepipe-tensor-transport.h"
#include "ns3/node-container.h"

#include <functional>
#include <memory>

namespace ns3::edgepipe
{

/// Bandwidth that a lone transfer between two devices would get at present, payload bit/s.
using CapacityOracle = std::function<double(uint32_t from, uint32_t to)>;

/** What NetworkHelper built. */
struct Network
{
    NodeContainer devices;                           //!< a node per device
    Ptr<TensorTransport> transport;                  //!< moves messages between them
    std::vector<std::shared_ptr<LinkCounter>> links; //!< one per transmitter
    CapacityOracle capacity;                         //!< true capacity, which devices cannot know
    /// Known delay of every message between two devices, s
    std::function<double(uint32_t from, uint32_t to)> delaySeconds;
};

/**
 * @ingroup edgepipe
 *
 * Connects devices by links at packet or flow level, and puts a TensorTransport on top.
 */
class NetworkHelper
{
  public:
    /**
     * @param options how to connect the devices
     * @param names of the devices
     * @throws InputError if the options make no sense
     */
    NetworkHelper(NetworkOptions options, std::vector<std::string> names);

    /**
     * Build the network in the present simulation.
     *
     * @param active devices that will send or receive. The others exist as well; on a packet-level
     *        Wi-Fi they stay off the air, since every station costs time for every frame.
     * @return the network
     */
    Network Build(const std::set<uint32_t>& active) const;

  private:
    NetworkOptions m_options;         //!< how to connect the devices
    std::vector<std::string> m_names; //!< of the devices
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_NETWORK_HELPER_H */
