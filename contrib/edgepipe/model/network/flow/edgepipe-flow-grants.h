/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FLOW_GRANTS_H
#define EDGEPIPE_FLOW_GRANTS_H

#include "ns3/edgepipe-flow-route.h"

#include <cstdint>
#include <unordered_map>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Who need not wait for capacity on media such as LTE's uplink, where a device says what it has to
 * send and waits for grants. What is there when a grant comes goes out with it, whoever asked for
 * it: messages before, whose bytes a device tells of again with each that follows, so that it is
 * granted more than it needs, or the acknowledgements of a message that has come in.
 */
class FlowGrants
{
  public:
    /** @return whether some route asks for grants: else nothing has to be noticed */
    bool IsUsed() const;

    /** @param route one that messages will take */
    void Expect(const FlowRoute& route);

    /**
     * A message has come in, and its acknowledgements ask.
     *
     * @param node its receiver
     * @param seconds now
     * @param lasted since the first of them, s
     */
    void Answer(uint32_t node, double seconds, double lasted);

    /**
     * A message begins to be sent: it asks, and goes out with what has been asked for before.
     *
     * @param node that begins to send
     * @param route of the message
     * @param bytes of the message, headers included
     * @param seconds when the slot begins in which it asks
     * @return how much of the route's requestSeconds it need not wait, s
     */
    double Send(uint32_t node, const FlowRoute& route, double bytes, double seconds);

  private:
    /** Grants to come. */
    struct Grants
    {
        double first{0}; //!< the first of them, s
        double free{0};  //!< the first that nothing waits for, s
        double until{0}; //!< end of the last, s
    };

    double m_requestSeconds{0};                    //!< of routes that ask, until a grant
    double m_slotSeconds{0};                       //!< of routes that ask, how long a grant lasts
    std::unordered_map<uint32_t, Grants> m_grants; //!< by sender
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_FLOW_GRANTS_H */
