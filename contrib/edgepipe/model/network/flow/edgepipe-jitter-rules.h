/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_JITTER_RULES_H
#define EDGEPIPE_JITTER_RULES_H

#include "ns3/edgepipe-flow-route.h"

#include <cstdint>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @param largest additional delay of a packet, uniform from 0 on, s, > 0
 * @param spacing of the packets before the link, s, >= 0
 * @param packets how many, >= 1
 * @return expected additional delay of the last packet if none overtakes another, s: with J the
 *         largest, s the spacing, and n packets, E max(J_i - i s), i = 0 to n - 1, which is
 *         J/2 for one packet and approaches J for many dense ones
 */
double GetJitterSeconds(double largest, double spacing, uint32_t packets);

/**
 * @ingroup edgepipe
 *
 * Jitter of links that keep their packets in order: a message waits for the latest of its packets,
 * a lone packet half the largest additional delay, which the route already has.
 */
class JitterRules : public FlowRules
{
  public:
    std::vector<double> largest; //!< additional delay of each link, s

    double End(const FlowMessage& message, const FlowMemory& memory) const override;

  private:
    mutable double m_spacing{0};   //!< of the last message's packets, s
    mutable uint32_t m_packets{0}; //!< of the last message
    mutable double m_seconds{0};   //!< what it waited beyond half of each
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_JITTER_RULES_H */
