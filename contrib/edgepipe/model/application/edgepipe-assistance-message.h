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
    bool backward{false};              //!< whether it waits for gradients, else for activations
    double share{1};                   //!< of the device that is left for us, 0 to 1
    uint64_t freeBytes{0};             //!< memory it can lend
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
    uint32_t number{0};   //!< of the grant, by granter
    uint32_t stage{0};    //!< whose layers to run
    bool backward{false}; //!< which pass
    uint32_t samples{0};  //!< how many

    /** @return the grant as text */
    std::string ToText() const;

    /**
     * @param text what ToText returned
     * @return the grant
     */
    static AssistanceGrant FromText(const std::string& text);
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ASSISTANCE_MESSAGE_H */
