/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-link-type.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-table.h"
#include "ns3/edgepipe-tensor-transport.h"

#include <cctype>

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(LinkType);
NS_OBJECT_ENSURE_REGISTERED(DuplexLink);

namespace
{

/**
 * @param attribute such as UplinkBandwidth
 * @return the option that sets it, such as uplink-bandwidth
 */
std::string
NameOption(const std::string& attribute)
{
    std::string option;
    for (const unsigned char c : attribute)
    {
        option += std::isupper(c) && !option.empty() ? "-" : "";
        option += std::tolower(c);
    }
    return option;
}

} // namespace

std::map<std::string, TypeId::AttributeInformation>
LinkType::GetOptions() const
{
    std::map<std::string, TypeId::AttributeInformation> options;
    for (TypeId tid = GetInstanceTypeId(); tid != LinkType::GetTypeId(); tid = tid.GetParent())
    {
        for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
        {
            options.emplace(NameOption(tid.GetAttribute(i).name), tid.GetAttribute(i));
        }
    }
    return options;
}

TypeId
DuplexLink::AddAttributes(TypeId tid)
{
    const auto add = [&tid](const char* name, const char* help, auto member) {
        tid.AddAttribute(name,
                         help,
                         RateStepsValue(),
                         MakeRateStepsAccessor(member),
                         MakeRateStepsChecker());
    };
    add("Bandwidth",
        "Rate of every bearer, and on the air limit of what every device sends, and of what it "
        "receives, such as 10Mbps, or rates over time, such as 0s:10Mbps,5s:2Mbps; empty: what "
        "bearers of this kind have, on the air no limit.",
        &DuplexLink::m_bandwidth);
    add("UplinkBandwidth",
        "Bandwidth of every uplink alone; empty: as --bandwidth.",
        &DuplexLink::m_uplink);
    add("DownlinkBandwidth",
        "Bandwidth of every downlink alone; empty: as --bandwidth.",
        &DuplexLink::m_downlink);
    return tid;
}

void
DuplexLink::Forget(const Options& given)
{
    if (given.count("bandwidth"))
    {
        m_uplink = m_downlink = {};
    }
}

void
DuplexLink::Check(const NetworkOptions& /* network */,
                  const std::vector<std::string>& /* names */) const
{
    CheckRates("bandwidth", m_bandwidth, true);
    CheckRates("uplink-bandwidth", m_uplink, true);
    CheckRates("downlink-bandwidth", m_downlink, true);
}

std::array<LinkRate, 2>
DuplexLink::GetRates() const
{
    const auto find = [this](const RateSteps& own, double usual) {
        return !own.steps.empty()           ? own
               : !m_bandwidth.steps.empty() ? m_bandwidth
                                            : RateSteps(usual);
    };
    const RateSteps up = find(m_uplink, m_usual[0]);
    const RateSteps down = find(m_downlink, m_usual[1]);
    return {{{TraceDirection::UP, "", {}, up.steps.front().bitsPerSecond, up.GetLater()},
             {TraceDirection::DOWN, "", {}, down.steps.front().bitsPerSecond, down.GetLater()}}};
}

void
CheckRates(const std::string& option, const RateSteps& rate, bool pauses)
{
    for (const auto& [time, bitsPerSecond] : rate.steps)
    {
        Require((bitsPerSecond >= 1e3 && bitsPerSecond <= 1e12) || (pauses && bitsPerSecond == 0),
                option,
                Table::Exact(bitsPerSecond),
                "1e3 to 1e12 bit/s, or 0 for a while except on lan and p2p");
    }
}

void
CheckDelay(const std::string& option, const Time& delay)
{
    const double seconds = delay.GetSeconds();
    Require(seconds >= 0 && seconds <= 100, option, Table::Exact(seconds), "0 to 100 s");
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

Ptr<LinkType>
SetLike(Ptr<LinkType> link, const LinkType& like)
{
    const auto options = link->GetOptions();
    for (const auto& [option, attribute] : like.GetOptions())
    {
        if (options.count(option))
        {
            const auto value = attribute.checker->Create();
            like.GetAttribute(attribute.name, *value);
            link->SetAttribute(attribute.name, *value);
        }
    }
    return link;
}

std::map<std::string, std::map<std::string, Ptr<const LinkType>>>
GetLinkOptions()
{
    std::map<std::string, std::map<std::string, Ptr<const LinkType>>> options;
    ForEachNamed<LinkType>([&options](const Ptr<const LinkType>& link) {
        for (const auto& [option, attribute] : link->GetOptions())
        {
            options[option].emplace(link->GetName(), link);
        }
        return true;
    });
    return options;
}

std::string
ExplainUnused(const LinkType& link, const std::string& option)
{
    const auto users = Map(GetLinkOptions()[option], [](const auto& user) { return user.first; });
    return "none, since --link=" + link.GetName() + " does not use it; " + JoinWords(users) +
           (users.size() > 1 ? " do" : " does");
}

} // namespace ns3::edgepipe
