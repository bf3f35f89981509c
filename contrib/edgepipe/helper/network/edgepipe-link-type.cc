/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-link-type.h"

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(LinkType);

Ptr<const LinkType>
FindLinkType(const NetworkOptions& options)
{
    if (!options.groups.empty())
    {
        return MakeMixedLink();
    }
    return FindByName<LinkType>("link", options.link);
}

std::string
DescribeLink(const NetworkOptions& options)
{
    return FindLinkType(options)->Describe(options, false);
}

std::set<std::string>
GetLinkOptions()
{
    std::set<std::string> options;
    ForEachNamed<LinkType>([&options](Ptr<LinkType> link) {
        options.insert(link->GetTraits().options.begin(), link->GetTraits().options.end());
        return true;
    });
    return options;
}

std::string
ExplainUnused(const LinkType& link, const std::string& option)
{
    std::set<std::string> users;
    ForEachNamed<LinkType>([&](Ptr<LinkType> other) {
        if (other->GetTraits().options.count(option))
        {
            users.insert(other->GetName());
        }
        return true;
    });
    return "none, since --link=" + link.GetName() + " does not use it; " + JoinWords(users) +
           (users.size() > 1 ? " do" : " does");
}

} // namespace ns3::edgepipe
