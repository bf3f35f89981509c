/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-link-type.h"

#include "ns3/edgepipe-table.h"
#include "ns3/edgepipe-tensor-transport.h"
#include "ns3/uinteger.h"

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
    return FindLinkType(options)->Describe(options);
}

std::string
DescribeWindow(double bitsPerSecond, double roundTripSeconds, uint32_t sendBufferBytes)
{
    TypeId::AttributeInformation buffer;
    TensorTransport::GetTypeId().LookupAttributeByName("BufferSize", &buffer);
    const uint64_t most = DynamicCast<const UintegerValue>(buffer.initialValue)->Get();
    const uint64_t window =
        sendBufferBytes ? std::min<uint64_t>(most, KERNEL_SHARE * sendBufferBytes) : most;
    const double limit = 8 * window / roundTripSeconds;
    return limit < bitsPerSecond
               ? ", by TCP's window of " + Table::Rounded(window / 1e3) + " kB at most " +
                     Table::Rounded(limit / 1e6) + " Mbit/s from one such device to another"
               : "";
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
