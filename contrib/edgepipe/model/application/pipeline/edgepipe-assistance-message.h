/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ASSISTANCE_MESSAGE_H
#define EDGEPIPE_ASSISTANCE_MESSAGE_H

#include <cstdint>
#include <string>
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
};

/** Body of PipelineTag::REQUEST: an idle device offers its help; the tag says what it waits for. */
struct AssistanceRequest
{
    bool backward{false};  //!< whether it waits for gradients, else for activations
    double share{1};       //!< of the device that is left for us, 0 to 1
    uint64_t freeBytes{0}; //!< memory it can lend to that neighbour
    double lentSeconds{0}; //!< a micro-batch's backward work it owes the other neighbour
    std::vector<PassSeconds> atStages; //!< its seconds per micro-batch, by stage, on all of it

    /** @return the request as text, to nine digits */
    std::string ToText() const;

    /**
     * @param text what ToText returned
     * @return the request
     */
    static AssistanceRequest FromText(const std::string& text);
};

/** Body of PipelineTag::GRANT and RESULT: samples to compute for someone else. */
struct AssistanceGrant
{
    uint32_t number{0};     //!< of the grant, by granter; 0: the backward pass of what was granted
    uint32_t stage{0};      //!< whose layers to run
    bool backward{false};   //!< which pass
    uint32_t samples{0};    //!< how many
    bool recomputes{false}; //!< a backward pass that begins with a forward pass

    /** @return the grant as text */
    std::string ToText() const;

    /**
     * @param text what ToText returned
     * @return the grant
     */
    static AssistanceGrant FromText(const std::string& text);
};

/** Body of PipelineTag::WEIGHTS: the stage that a helper takes a copy of; bytes per micro-batch. */
struct AssistanceCopy
{
    uint32_t stage{0};           //!< which
    uint64_t parameterBytes{0};  //!< of its weights
    uint64_t inputBytes{0};      //!< of the gradient it sends to the previous stage
    uint64_t outputBytes{0};     //!< it sends to the next stage
    uint64_t activationBytes{0}; //!< kept from forward until backward

    /** @return the copy's description as text */
    std::string ToText() const;

    /**
     * @param text what ToText returned
     * @return the description
     */
    static AssistanceCopy FromText(const std::string& text);
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ASSISTANCE_MESSAGE_H */
