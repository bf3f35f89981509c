/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-bearer-links.h"

#include "edgepipe-topology.h"

#include "ns3/edgepipe-table.h"

#include <array>
#include <filesystem>

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(FourGLink);
NS_OBJECT_ENSURE_REGISTERED(ThreeGLink);
NS_OBJECT_ENSURE_REGISTERED(Cat1Link);
NS_OBJECT_ENSURE_REGISTERED(TraceLink);

namespace
{

/// Before each direction unless told otherwise, an estimate: more than the megabyte that a
/// connection of ours has under way. Carriers' buffers hold so much (Jiang et al., "Understanding
/// bufferbloat in cellular networks", 2012).
constexpr uint32_t QUEUE_PACKETS = 1000;
/// Of a sender that wants its frames to be young, bytes: enough for these rates and delays. What
/// TCP would have of itself grows to megabytes, which are seconds here.
constexpr uint32_t SEND_BUFFER = 128 * 1024;

/**
 * @param options of one link type
 * @return with those of all bearers
 */
std::set<std::string>
AddBearerOptions(std::set<std::string> options)
{
    options.insert({"bandwidth", "downlink-bandwidth", "delay", "jitter", "queue"});
    return options;
}

/**
 * @param o of bearers
 * @return the rates of every uplink and of every downlink
 */
std::array<BearerRate, 2>
MakeBearerRates(const NetworkOptions& o)
{
    const bool isLikeUp = o.downlinkBitsPerSecond == 0;
    return {
        {{TraceDirection::UP, o.uplinkTrace, o.trace, o.bandwidthBitsPerSecond, o.bandwidthSteps},
         {TraceDirection::DOWN,
          o.downlinkTrace,
          o.trace,
          isLikeUp ? o.bandwidthBitsPerSecond : o.downlinkBitsPerSecond,
          isLikeUp ? o.bandwidthSteps : o.downlinkSteps}}};
}

} // namespace

BearerLink::BearerLink(const std::string& name,
                       const Defaults& defaults,
                       std::set<std::string> options)
    : LinkType({name, AddBearerOptions(std::move(options))}),
      m_defaults(defaults)
{
}

void
BearerLink::SetDefaults(NetworkOptions& options) const
{
    options.bandwidthBitsPerSecond = m_defaults.uplinkBitsPerSecond;
    options.downlinkBitsPerSecond = m_defaults.downlinkBitsPerSecond;
    options.delay = m_defaults.delay;
    options.jitter = m_defaults.jitter;
    options.queuePackets = QUEUE_PACKETS;
    options.sendBufferBytes = SEND_BUFFER;
}

void
BearerLink::Check(const NetworkOptions& options, const std::vector<std::string>& /* names */) const
{
    const double downlink = options.downlinkBitsPerSecond;
    std::vector<double> rates{downlink};
    for (const auto& step : options.downlinkSteps)
    {
        rates.push_back(step.bitsPerSecond);
    }
    for (const double rate : rates)
    {
        if (downlink != 0 && !(rate >= 1e3 && rate <= 1e12))
        {
            RefuseOption("downlink-bandwidth", Table::Exact(rate), "1e3 to 1e12 bit/s");
        }
    }
    const double jitter = options.jitter.GetSeconds();
    if (!(jitter >= 0 && jitter <= 100))
    {
        RefuseOption("jitter", Table::Exact(jitter), "0 to 100 s");
    }
}

std::string
BearerLink::Describe(const NetworkOptions& options, bool /* isDetailed */) const
{
    const auto rates = MakeBearerRates(options);
    const std::string jitter =
        options.jitter.IsZero()
            ? ""
            : " and up to " + Table::Rounded(1e3 * options.jitter.GetSeconds()) + " ms more";
    return GetName() + " (up " + rates[0].Describe() + ", down " + rates[1].Describe() +
           ", delay " + Table::Rounded(1e3 * options.delay.GetSeconds()) + " ms" + jitter + ")";
}

Topology
BearerLink::MakeTopology(const NetworkOptions& options, const std::vector<std::string>& names) const
{
    const uint32_t queue = options.queuePackets ? options.queuePackets : QUEUE_PACKETS;
    return MakeStar(options,
                    names,
                    "core",
                    BearerMedium{MakeBearerRates(options), options.delay, options.jitter, queue});
}

TypeId
FourGLink::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::FourGLink")
                            .SetParent<LinkType>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<FourGLink>();
    return tid;
}

FourGLink::FourGLink()
    : BearerLink("4g", {5.85e6, 14.7e6, MicroSeconds(22550), MilliSeconds(8)})
{
}

TypeId
ThreeGLink::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::ThreeGLink")
                            .SetParent<LinkType>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<ThreeGLink>();
    return tid;
}

ThreeGLink::ThreeGLink()
    : BearerLink("3g", {1.1e6, 5.9e6, MicroSeconds(23750), MilliSeconds(16)})
{
}

TypeId
Cat1Link::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::Cat1Link")
                            .SetParent<LinkType>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<Cat1Link>();
    return tid;
}

Cat1Link::Cat1Link()
    : BearerLink("cat1", {0.13e6, 0.13e6 * 10296 / 5160, MicroSeconds(22550), MilliSeconds(8)})
{
}

TypeId
TraceLink::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::TraceLink")
                            .SetParent<LinkType>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<TraceLink>();
    return tid;
}

TraceLink::TraceLink()
    : BearerLink(
          "trace",
          {0, 0, MicroSeconds(22550), Time()},
          {"trace", "trace-down", "trace-format", "trace-end", "trace-offset", "trace-scale"})
{
}

std::string
FindDownlinkTrace(const std::string& uplinkTrace)
{
    std::filesystem::path path(uplinkTrace);
    const bool isCsv = path.extension() == ".csv";
    if ((isCsv ? path.stem() : path).extension() == ".up")
    {
        path.replace_filename(path.stem().replace_extension(isCsv ? ".down.csv" : ".down"));
        std::error_code error;
        if (std::filesystem::is_regular_file(path, error))
        {
            return path.string();
        }
    }
    return uplinkTrace;
}

} // namespace edgepipe
} // namespace ns3
