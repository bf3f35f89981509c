/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-assistance-message.h"

#include <sstream>

namespace ns3
{
namespace edgepipe
{

std::string
AssistanceRequest::ToText() const
{
    std::ostringstream text;
    text.precision(9);
    text << backward << ' ' << share << ' ' << freeBytes << ' ' << lentSeconds;
    for (const auto& pass : atStages)
    {
        text << ' ' << pass.forward << ' ' << pass.backward;
    }
    return text.str();
}

AssistanceRequest
AssistanceRequest::FromText(const std::string& text)
{
    AssistanceRequest request;
    std::istringstream stream(text);
    stream >> request.backward >> request.share >> request.freeBytes >> request.lentSeconds;
    for (PassSeconds pass; stream >> pass.forward >> pass.backward;)
    {
        request.atStages.push_back(pass);
    }
    return request;
}

std::string
AssistanceGrant::ToText() const
{
    std::ostringstream text;
    text << number << ' ' << stage << ' ' << backward << ' ' << samples << ' ' << recomputes;
    return text.str();
}

AssistanceGrant
AssistanceGrant::FromText(const std::string& text)
{
    AssistanceGrant grant;
    std::istringstream stream(text);
    stream >> grant.number >> grant.stage >> grant.backward >> grant.samples >> grant.recomputes;
    return grant;
}

std::string
AssistanceCopy::ToText() const
{
    std::ostringstream text;
    text << stage << ' ' << parameterBytes << ' ' << inputBytes << ' ' << outputBytes << ' '
         << activationBytes;
    return text.str();
}

AssistanceCopy
AssistanceCopy::FromText(const std::string& text)
{
    AssistanceCopy copy;
    std::istringstream stream(text);
    stream >> copy.stage >> copy.parameterBytes >> copy.inputBytes >> copy.outputBytes >>
        copy.activationBytes;
    return copy;
}

} // namespace edgepipe
} // namespace ns3
