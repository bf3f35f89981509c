/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-actor-meeting.h"

namespace ns3
{
namespace edgepipe
{

namespace
{

/// What another holds, or saves by one of its cuts, in a message, bytes.
constexpr uint64_t MEETING_ENTRY_BYTES = 8;

} // namespace

void
ActorMeeting::SetUp(const TensorSocket& socket, uint32_t server, std::size_t cuts)
{
    m_socket = socket;
    m_server = server;
    m_cuts = cuts;
}

bool
ActorMeeting::Take(const ActorTag& tag, const Message& message)
{
    switch (tag.kind)
    {
    case ActorTag::ROUND:
        Begin(tag.number, message.body);
        return true;
    case ActorTag::MEET:
        m_socket.Send(message.from,
                      ACTOR_PORT,
                      ActorTag{ActorTag::MEETING, tag.number}.Pack(),
                      ACTOR_NOTICE_BYTES + MEETING_ENTRY_BYTES * m_cuts);
        return true;
    case ActorTag::MEETING:
        if (--m_awaited == 0)
        {
            Finish(tag.number);
        }
        return true;
    default:
        return false;
    }
}

void
ActorMeeting::Begin(uint32_t round, const std::string& body)
{
    const auto others = ReadBody<ActorRoster>(body).others;
    m_met = others.size();
    m_awaited = others.size();
    for (const uint32_t other : others)
    {
        m_socket.Send(other,
                      ACTOR_PORT,
                      ActorTag{ActorTag::MEET, round}.Pack(),
                      ACTOR_NOTICE_BYTES);
    }
    if (others.empty())
    {
        Finish(round);
    }
}

void
ActorMeeting::Finish(uint32_t round)
{
    m_socket.Send(m_server,
                  EDGE_SERVER_PORT,
                  ActorTag{ActorTag::MET, round}.Pack(),
                  ACTOR_NOTICE_BYTES + MEETING_ENTRY_BYTES * m_met);
}

std::size_t
ActorMeeting::GetAwaited() const
{
    return m_awaited;
}

} // namespace edgepipe
} // namespace ns3
