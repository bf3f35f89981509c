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
 * Who need not ask for capacity before sending, on media such as LTE's uplink, where a device
 * requests what it has to send and waits for a grant: the acknowledgements of a message that has
 * just come in have asked already, and what is there when their grants come goes out with them.
 */
class FlowGrants
{
  public:
    /** @return whether some route asks for grants: else nothing has to be noticed */
    bool IsUsed() const;

    /** @param route one that messages will take */
    void Expect(const FlowRoute& route);

    /**
     * A message has come in.
     *
     * @param node its receiver
     * @param seconds now
     * @param lasted how long it took to come in, s
     * @param answers its acknowledgements that did not wait for an answer
     */
    void Notice(uint32_t node, double seconds, double lasted, double answers);

    /**
     * @param node that begins to send
     * @param route of the message
     * @param bytes of the message, headers included
     * @param seconds now
     * @return how much of the route's requestSeconds has passed already, s
     */
    double GetWaitedSeconds(uint32_t node,
                            const FlowRoute& route,
                            double bytes,
                            double seconds) const;

  private:
    /** Acknowledgements of one message. */
    struct Answers
    {
        double end;    //!< when the last was sent, s
        double lasted; //!< since the first, s
        double count;  //!< how many
    };

    bool m_isUsed{false};                            //!< whether some route asks for grants
    std::unordered_map<uint32_t, Answers> m_answers; //!< the last ones, by sender
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_FLOW_GRANTS_H */
