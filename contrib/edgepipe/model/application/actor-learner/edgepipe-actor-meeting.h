/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_MEETING_H
#define EDGEPIPE_ACTOR_MEETING_H

#include "ns3/edgepipe-actor-message.h"
#include "ns3/edgepipe-tensor-socket.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * An actor's part where actors decide together: the messages of MultiActorRound, and what they cost
 * the network; what they come to is the planner's.
 *
 * The server tells an actor whom to meet. It asks all of them at once what they hold and may
 * choose, and when all have answered tells the server what came of it. Whoever is asked answers at
 * once, also after having left.
 */
class ActorMeeting
{
  public:
    /**
     * @param socket moves the actor's messages
     * @param server id of its node
     * @param cuts that an actor may choose between
     */
    void SetUp(const TensorSocket& socket, uint32_t server, std::size_t cuts);

    /**
     * @param tag of a message for the actor
     * @param message the message
     * @return whether it was of a meeting
     */
    bool Take(const ActorTag& tag, const Message& message);

    /** @return actors whose answers it waits for */
    std::size_t GetAwaited() const;

  private:
    /**
     * Meet others.
     * @param round number of the round
     * @param body an ActorRoster
     */
    void Begin(uint32_t round, const std::string& body);
    /**
     * Tell the server what came of it.
     * @param round number of the round
     */
    void Finish(uint32_t round);

    TensorSocket m_socket;    //!< moves messages
    uint32_t m_server{0};     //!< id of the server's node
    std::size_t m_cuts{0};    //!< that an actor may choose between
    std::size_t m_met{0};     //!< others of the round
    std::size_t m_awaited{0}; //!< of them that have yet to answer
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ACTOR_MEETING_H */
