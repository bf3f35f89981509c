/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_MESSAGE_H
#define EDGEPIPE_ACTOR_MESSAGE_H

#include "ns3/edgepipe-message-body.h"
#include "ns3/edgepipe-tag.h"

#include <cstdint>
#include <vector>

namespace ns3::edgepipe
{

/// Ports of the actor-learner applications, see Message::port.
enum ActorPort : uint16_t
{
    ACTOR_SERVER_PORT = 5,
    ACTOR_PORT = 6,
};

/// Payload of a message that only says something, bytes.
constexpr uint64_t ACTOR_NOTICE_BYTES = 64;

/// What another holds, or saves by one of its cuts, in a message of a meeting, bytes.
constexpr uint64_t MEETING_ENTRY_BYTES = 8;

/** What a task or a message of an actor, the edge server or the learner is about. */
struct ActorTag : Tag<ActorTag>
{
    /// Kinds of messages and tasks.
    enum Kind : uint8_t
    {
        JOIN,         //!< message: actor to server, a DeviceReport; number: its stay
        LEAVE,        //!< message: actor to server; number: its stay
        CUT,          //!< message: server to actor; number: its stay, index: the cut, or RELEASE
        TAKEN,        //!< message: actor to server, its next step uses that cut; as CUT
        TENSOR,       //!< message: actor to server, b_y; number: the step, index: the cut
        ACTION,       //!< message: server to actor, b_K; number: the step
        TRAJECTORY,   //!< message: actor to server; number: newest of its steps, index: how many
        PARAMETERS,   //!< message: server to actor; number: learner's version, index: its stay
        ENVIRONMENT,  //!< task: a step of the environment
        ACTOR_PART,   //!< task: layers 1 to y
        SERVER_PART,  //!< task: layers y + 1 to K; number: the step, index: the actor
        TRAINING,     //!< task: an update of the learner; number: the version it leads to
        REPORT,       //!< message: actor to server, a DeviceReport; number: its stay
        ROUND,        //!< message: server to actor, an ActorRoster to meet; number: of the round
        MEET,         //!< message: actor to actor, asks what it may choose; number: of the round
        MEETING,      //!< message: actor to actor, the answer; number: of the round
        MET,          //!< message: actor to server, the result; number: of the round
        PLANNING,     //!< task: the planner's
        SERVER_BATCH, //!< task: a batch of requests; number: the first one's step, index: how many
    };

    /// Instead of a cut: hold nothing and begin no step until the next cut.
    static constexpr uint32_t RELEASE = TAG_NONE;

    /**
     * @param kind of message or task
     * @param number as the kind says
     * @param index as the kind says
     */
    ActorTag(Kind kind, uint32_t number = 0, uint32_t index = 0)
        : kind(kind),
          number(number),
          index(index)
    {
    }

    Kind kind;       //!< message or task
    uint32_t number; //!< as the kind says
    uint32_t index;  //!< as the kind says; below 2^24

    /// Where Pack puts them.
    static constexpr Field FIELDS[]{{&ActorTag::number, 32}, {&ActorTag::index, 24}};
    /// How each Kind is described.
    static inline const std::vector<TagKind> KINDS{
        {"join"},
        {"leave"},
        {"cut", " after layer %2", "cut, none"},
        {"cut taken", " after layer %2", "cut taken, none"},
        {"cut tensor", " of step %1, cut after layer %2"},
        {"action", " of step %1"},
        {"trajectory", " of %2 steps up to step %1"},
        {"parameters", " of version %1"},
        {"environment step", " of step %1"},
        {"actor's layers", " of step %1"},
        {"server's layers", " of step %1 of actor %2"},
        {"training", " of version %1"},
        {"report"},
        {"roster"},
        {"meeting"},
        {"answer of a meeting"},
        {"outcome of meetings"},
        {"planning"},
        {"server's layers of a batch", " of %2 requests, the first of step %1"},
    };
};

/** Whom an actor is to meet; travels as text in a ROUND message. */
struct ActorRoster
{
    std::vector<uint32_t> others; //!< ids of their nodes

    /// For messages.
    static constexpr const char* NAME = "roster of actors";

    /**
     * Lists the fields, see MessageBody.
     * @param body what writes or reads them
     */
    template <typename Body>
    void List(Body& body)
    {
        body.Rest("actor", others);
    }
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ACTOR_MESSAGE_H */
