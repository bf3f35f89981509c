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

/// Payload of a notification, bytes.
constexpr uint64_t ACTOR_NOTICE_BYTES = 64;

/// Payload per actor or cut in a meeting message, for its holding or its saving, bytes.
constexpr uint64_t MEETING_ENTRY_BYTES = 8;

/** What a task or a message of an actor, the edge server or the learner is about. */
struct ActorTag : PackedTag<ActorTag>
{
    /// Kinds of messages and tasks.
    enum Kind : uint8_t
    {
        JOIN,         //!< message: actor to server, a DeviceReport; number: its stay
        LEAVE,        //!< message: actor to server; number: its stay
        CUT,          //!< message: server to actor; number: its stay, index: the cut, or RELEASE
        TAKEN,        //!< message: actor to server, cut for its next step; fields as CUT
        TENSOR,       //!< message: actor to server, b_y; number: the step, index: the cut
        ACTION,       //!< message: server to actor, b_K; number: the step
        TRAJECTORY,   //!< message: actor to server; number: oldest version, index: steps
        PARAMETERS,   //!< message: server to actor; number: learner's version, index: its stay
        ENVIRONMENT,  //!< task: a step of the environment
        ACTOR_PART,   //!< task: layers 1 to y
        SERVER_PART,  //!< task: layers y + 1 to K; number: the step, index: the actor
        TRAINING,     //!< task: an update of the learner; number: the version it leads to
        REPORT,       //!< message: actor to server, a DeviceReport; number: its stay
        ROUND,        //!< message: server to actor, an ActorRoster to meet; number: the round
        MEET,         //!< message: actor to actor, request for its choices; number: the round
        MEETING,      //!< message: actor to actor, the answer; number: the round
        MET,          //!< message: actor to server, the result; number: the round
        PLANNING,     //!< task: a run of the planner
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

    /// Layout for Pack.
    static constexpr Field FIELDS[]{{&ActorTag::number, 32}, {&ActorTag::index, 24}};
    /// Descriptions, by Kind.
    static inline const std::vector<TagKind> KINDS{
        {"join"},
        {"leave"},
        {"cut", " after layer %2", "cut, none"},
        {"cut taken", " after layer %2", "cut taken, none"},
        {"cut tensor", " of step %1, cut after layer %2"},
        {"action", " of step %1"},
        {"trajectory", " of %2 steps, the oldest under version %1"},
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

/** Actors to meet; sent as text in a ROUND message. */
struct ActorRoster
{
    std::vector<uint32_t> others; //!< ids of their nodes

    /// For error messages.
    static constexpr const char* NAME = "roster of actors";

    /**
     * Lists the fields, see MessageBody.
     * @param body writes or reads them
     */
    template <typename Body>
    void List(Body& body)
    {
        body.Rest("actor", others);
    }
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ACTOR_MESSAGE_H */
