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
    text << backward << ' ' << share << ' ' << freeBytes;
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
    stream >> request.backward >> request.share >> request.freeBytes;
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
    text << number << ' ' << stage << ' ' << backward << ' ' << samples;
    return text.str();
}

AssistanceGrant
AssistanceGrant::FromText(const std::string& text)
{
    AssistanceGrant grant;
    std::istringstream stream(text);
    stream >> grant.number >> grant.stage >> grant.backward >> grant.samples;
    return grant;
}

} // namespace edgepipe
} // namespace ns3
