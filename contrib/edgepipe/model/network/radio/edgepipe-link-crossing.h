/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LINK_CROSSING_H
#define EDGEPIPE_LINK_CROSSING_H

namespace ns3
{
namespace edgepipe
{

/** A link of a network of flows as a flow crosses it; of a wire, its delay alone. */
struct LinkCrossing
{
    double weight{1};       //!< how much of the link's capacity a byte/s takes
    double delaySeconds{0}; //!< of a packet without length, s
    double againSeconds{0}; //!< further delay if the hop before crossed the same link, s
    double burstSeconds{0}; //!< yet further there, of a message of several packets, s
    /// Share of the weight that follows the last byte of a lone burst, such as acknowledgements on
    /// the air: the burst's receiver does not wait for it
    double trailShare{0};
    double burstBytes{0};     //!< longest burst, headers included, bytes
    double requestSeconds{0}; //!< of the delay: until capacity that was asked for is granted, s
    double grantBytes{0};     //!< of such a grant, headers included, bytes
    /// If blocks of bytes begin at multiples of a slot and last one, s, else 0; the delay then
    /// counts the first block and half a slot of waiting for it
    double slotSeconds{0};
    /// That a lone packet takes the link, or what answers several, s
    double turnSeconds{0};
    /// Further there, of a lone packet while all others on the link are lone packets too, s
    double backoffSeconds{0};
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_LINK_CROSSING_H */
