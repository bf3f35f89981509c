/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-data-parallel-message.h"

#include <limits>
#include <sstream>

namespace ns3
{
namespace edgepipe
{

uint64_t
DataParallelTag::Pack() const
{
    return static_cast<uint64_t>(kind) << 56 | static_cast<uint64_t>(iteration) << 32 |
           static_cast<uint64_t>(step) << 20 | version;
}

DataParallelTag
DataParallelTag::Unpack(uint64_t packed)
{
    return {static_cast<Kind>(packed >> 56),
            static_cast<uint32_t>(packed >> 32 & 0xffffff),
            static_cast<uint32_t>(packed >> 20 & 0xfff),
            static_cast<uint32_t>(packed & 0xfffff)};
}

std::string
DataParallelTag::Describe() const
{
    const std::string ofIteration = " of iteration " + std::to_string(iteration);
    switch (kind)
    {
    case HELLO:
        return "hello";
    case GRADIENTS:
        return "gradients" + ofIteration + ", step " + std::to_string(step);
    case WEIGHTS:
        return "weights" + ofIteration;
    case PING:
        return "ping";
    case PONG:
        return "answer to a ping";
    case METRICS:
        return "metrics";
    case SHARES:
        return "shares, version " + std::to_string(version);
    case SHARES_TAKEN:
        return "receipt of shares, version " + std::to_string(version);
    case COMPUTE:
        return "computing" + ofIteration;
    case UPDATE:
        return "update" + ofIteration;
    }
    return "unknown";
}

std::string
NodeMetrics::ToText() const
{
    std::ostringstream text;
    text.precision(std::numeric_limits<double>::max_digits10);
    text << opsPerSecond << ' ' << memoryBytesInUse << ' ' << communicationSeconds;
    for (const double seconds : latenciesSeconds)
    {
        text << ' ' << seconds;
    }
    return text.str();
}

NodeMetrics
NodeMetrics::FromText(const std::string& text)
{
    NodeMetrics metrics;
    std::istringstream stream(text);
    stream >> metrics.opsPerSecond >> metrics.memoryBytesInUse >> metrics.communicationSeconds;
    for (double seconds = 0; stream >> seconds;)
    {
        metrics.latenciesSeconds.push_back(seconds);
    }
    return metrics;
}

std::string
ShareNotice::ToText() const
{
    return std::to_string(version) + ' ' + std::to_string(samples);
}

ShareNotice
ShareNotice::FromText(const std::string& text)
{
    ShareNotice notice;
    std::istringstream(text) >> notice.version >> notice.samples;
    return notice;
}

} // namespace edgepipe
} // namespace ns3
