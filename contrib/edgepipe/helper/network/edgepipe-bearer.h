/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_BEARER_H
#define EDGEPIPE_BEARER_H

#include "ns3/edgepipe-link-pacer.h"
#include "ns3/edgepipe-network-options.h"
#include "ns3/edgepipe-trace.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** A mobile link of a device: its own way up to the network's core and down from it. */
struct Bearer
{
    double uplinkBitsPerSecond;   //!< IP bytes; 0: has to be given
    double downlinkBitsPerSecond; //!< IP bytes; 0: as the uplink
    Time delay;                   //!< least, one way
    Time jitter;                  //!< largest further delay, uniform from 0 on
    uint32_t queuePackets;        //!< before each direction
};

/**
 * @param link name of a kind of link
 * @return what such links have unless told otherwise; null if they are no bearers
 */
const Bearer* FindBearer(const std::string& link);

/**
 * Refuse options of bearers that make no sense, and any of them with a link that is none.
 *
 * @param options of any link
 * @throws InputError naming the option
 */
void CheckBearerOptions(const NetworkOptions& options);

/**
 * @param uplinkTrace a recording of an uplink
 * @return the recording of its downlink: FILE.down beside FILE.up if it is there, else the same
 *         file
 */
std::string FindDownlinkTrace(const std::string& uplinkTrace);

/**
 * @param options of any link
 * @return its name, and what its bearers are
 */
std::string DescribeLink(const NetworkOptions& options);

/**
 * The bandwidth of bearers as flows see it, and an oracle: delivery opportunities are counted over
 * intervals of 50 ms.
 *
 * @param options of bearers
 * @param direction which one
 * @return bit/s of IP packets
 * @throws InputError if a recording cannot be used
 */
std::unique_ptr<StepSource> MakeBearerRates(const NetworkOptions& options,
                                            TraceDirection direction);

/**
 * @param options of bearers
 * @param direction which one
 * @return when a bearer's packets are sent
 * @throws InputError if a recording cannot be used
 */
std::unique_ptr<LinkPacer> MakeBearerPacer(const NetworkOptions& options, TraceDirection direction);

/**
 * @param options of bearers
 * @param names of the devices
 * @return for Network::capacity
 * @throws InputError if a recording cannot be used
 */
std::function<double(uint32_t, uint32_t)> MakeBearerCapacity(const NetworkOptions& options,
                                                             const std::vector<std::string>& names);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_BEARER_H */
