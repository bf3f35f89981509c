/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ASSISTANCE_MESSAGE_H
#define EDGEPIPE_ASSISTANCE_MESSAGE_H

#include "ns3/edgepipe-message-body.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** What a micro-batch takes at one stage on one device. */
struct PassSeconds
{
    double forward{0};  //!< seconds
    double backward{0}; //!< seconds

    /**
     * @param isBackward which pass
     * @return its seconds
     */
    double Get(bool isBackward) const
    {
        return isBackward ? backward : forward;
    }

    /**
     * Lists the fields, see MessageBody.
     * @param body what writes or reads them
     */
    template <typename Body>
    void List(Body& body)
    {
        body("forward", forward)("backward", backward);
    }
};

/**
 * @param atStages passes of every stage on a device and, where parts of a micro-batch pay for it,
 *        as many again that say what of them is fixed
 * @param stages number of stages
 * @param stage one of them
 * @return what of its passes is there however few the samples; nothing where that is not said
 */
inline PassSeconds
GetFixedPart(const std::vector<PassSeconds>& atStages, std::size_t stages, std::size_t stage)
{
    return atStages.size() > stages ? atStages[stages + stage] : PassSeconds();
}

/**
 * Body of PipelineTag::REQUEST: an idle device offers its help; the tag says what it waits for.
 * Seconds and shares travel to nine digits.
 */
struct AssistanceRequest
{
    /// Whether it waits for gradients, else for activations; of the micro-batch in the tag, that
    /// behind the last one if it has finished and waits for none.
    bool backward{false};
    double share{1};       //!< of the device that is left for us, 0 to 1
    uint64_t freeBytes{0}; //!< memory it can lend to that neighbour
    double lentSeconds{0}; //!< a micro-batch's backward work it owes the other neighbour
    /// Its seconds per micro-batch, by stage, on all of it; see GetFixedPart.
    std::vector<PassSeconds> atStages;

    /// For messages.
    static constexpr const char* NAME = "request for work";

    /**
     * Lists the fields, see MessageBody.
     * @param body what writes or reads them
     */
    template <typename Body>
    void List(Body& body)
    {
        body.SetDigits(9);
        body("backward", backward)("share", share)("freeBytes", freeBytes)("lentSeconds",
                                                                           lentSeconds);
        body.Rest("atStages", atStages);
    }
};

/** Body of PipelineTag::GRANT and RESULT: samples to compute for someone else. */
struct AssistanceGrant
{
    uint32_t number{0};     //!< of the grant, by granter; 0: the backward pass of what was granted
    uint32_t stage{0};      //!< whose layers to run
    bool backward{false};   //!< which pass
    uint32_t samples{0};    //!< how many
    bool recomputes{false}; //!< a backward pass that begins with a forward pass

    /// For messages.
    static constexpr const char* NAME = "grant";

    /**
     * Lists the fields, see MessageBody.
     * @param body what writes or reads them
     */
    template <typename Body>
    void List(Body& body)
    {
        body("number", number)("stage", stage)("backward", backward)("samples", samples);
        body("recomputes", recomputes);
    }
};

/** Body of PipelineTag::WEIGHTS: the stage that a helper takes a copy of; bytes per micro-batch. */
struct AssistanceCopy
{
    uint32_t stage{0};           //!< which
    uint64_t parameterBytes{0};  //!< of its weights
    uint64_t inputBytes{0};      //!< of the gradient it sends to the previous stage
    uint64_t outputBytes{0};     //!< it sends to the next stage
    uint64_t activationBytes{0}; //!< kept from forward until backward

    /// For messages.
    static constexpr const char* NAME = "copy of a stage";

    /**
     * Lists the fields, see MessageBody.
     * @param body what writes or reads them
     */
    template <typename Body>
    void List(Body& body)
    {
        body("stage", stage)("parameterBytes", parameterBytes)("inputBytes", inputBytes);
        body("outputBytes", outputBytes)("activationBytes", activationBytes);
    }
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ASSISTANCE_MESSAGE_H */
