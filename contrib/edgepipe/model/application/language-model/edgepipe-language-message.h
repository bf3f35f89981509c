/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LANGUAGE_MESSAGE_H
#define EDGEPIPE_LANGUAGE_MESSAGE_H

#include "ns3/edgepipe-tag.h"

#include <cstdint>
#include <vector>

namespace ns3::edgepipe
{

/// Ports of the language model applications, see Message::port.
enum LanguagePort : uint16_t
{
    LANGUAGE_NODE_PORT = 7,
};

/** Identifies a task or message of a language model; sent as a 64-bit tag. */
struct LanguageTag : PackedTag<LanguageTag>
{
    /// Kinds of messages and tasks; tasks that compute come first, as LanguageOperation.
    enum Kind : uint8_t
    {
        BLOCK,     //!< task: matrix products of layers
        HEAD,      //!< task: logits
        ATTENTION, //!< task: attention to the context
        EXPERTS,   //!< task: gate and experts
        SENDING,   //!< task: of the host, for a message that it sends
        RECEIVING, //!< task: of the host, for a message that it has received
        EXCHANGE,  //!< message: activations, logits or control
        DRAFT,     //!< task: of the draft model
    };

    /**
     * @param kind of message or task
     * @param pass its number
     * @param step of the sender, or of the node that computes
     */
    LanguageTag(Kind kind, uint32_t pass = 0, uint32_t step = 0)
        : kind(kind),
          pass(pass),
          step(step)
    {
    }

    Kind kind;     //!< kind of message or task
    uint32_t pass; //!< number of the pass, from 0
    uint32_t step; //!< below 2^24

    /// Bit layout used by Pack.
    static constexpr Field FIELDS[]{{&LanguageTag::pass, 32}, {&LanguageTag::step, 24}};
    /// How each Kind is described.
    static inline const std::vector<TagKind> KINDS{
        {"block", ", pass %1, step %2"},
        {"head", ", pass %1, step %2"},
        {"attention", ", pass %1, step %2"},
        {"experts", ", pass %1, step %2"},
        {"sending", ", pass %1, step %2"},
        {"receiving", ", pass %1, step %2"},
        {"exchange", ", pass %1, step %2"},
        {"draft", ""},
    };
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LANGUAGE_MESSAGE_H */
