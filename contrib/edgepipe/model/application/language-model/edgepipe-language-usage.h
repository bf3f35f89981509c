/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LANGUAGE_USAGE_H
#define EDGEPIPE_LANGUAGE_USAGE_H

#include "ns3/edgepipe-language-model.h"

#include <array>
#include <cstdint>

namespace ns3::edgepipe
{

/** What a node did in passes of one kind. */
struct LanguageNodeUsage
{
    /** What one kind of operation took. */
    struct Operation
    {
        double calls{0};   //!< fixed times of a layer
        LanguageWork work; //!< of the node
        double seconds{0}; //!< of the idle device
    };

    std::array<Operation, LANGUAGE_OPERATIONS> operations; //!< by LanguageOperation
    double messageSeconds{0};                              //!< of the host, for messages
    uint64_t messages{0};                                  //!< sent
    uint64_t bytes{0};                                     //!< payload sent
    uint64_t passes{0};                                    //!< finished

    /**
     * @param more to add
     * @param times how often; may be negative
     */
    void Add(const LanguageNodeUsage& more, int64_t times)
    {
        for (std::size_t i = 0; i < operations.size(); ++i)
        {
            operations[i].calls += times * more.operations[i].calls;
            operations[i].work.bytes += times * more.operations[i].work.bytes;
            operations[i].work.flop += times * more.operations[i].work.flop;
            operations[i].seconds += times * more.operations[i].seconds;
        }
        messageSeconds += times * more.messageSeconds;
        messages += times * more.messages;
        bytes += times * more.bytes;
        passes += times * more.passes;
    }
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LANGUAGE_USAGE_H */
