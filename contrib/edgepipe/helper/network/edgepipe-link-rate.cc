/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-link-rate.h"

#include "ns3/edgepipe-quantities.h"
#include "ns3/edgepipe-table.h"
#include "ns3/edgepipe-time.h"

#include <algorithm>
#include <sstream>

namespace ns3::edgepipe
{

ATTRIBUTE_HELPER_CPP(RateSteps);

/// Interval over which opportunities are counted where there are no packets.
const Time RATE_INTERVAL = MilliSeconds(50);

RateSteps::RateSteps(double bitsPerSecond, const std::vector<BandwidthStep>& later)
    : steps{{Time(), bitsPerSecond}}
{
    steps.insert(steps.end(), later.begin(), later.end());
}

bool
RateSteps::Parse(const std::string& text)
{
    double value = 0;
    if (text.find(':') == std::string::npos)
    {
        const bool isRate = ParseBitsPerSecond(text, value);
        steps = {{Time(), value}};
        return isRate;
    }
    steps.clear();
    std::istringstream stream(text + ",");
    for (std::string step; std::getline(stream, step, ',');)
    {
        const auto colon = std::min(step.find(':'), step.size());
        Time time;
        const std::string rate = step.substr(std::min(colon + 1, step.size()));
        // As in recordings, the rate may be 0 for a while.
        const bool isNone = rate[0] == '0' && ParseBitsPerSecond("1" + rate.substr(1), value) &&
                            rate.find_first_of("123456789") == std::string::npos;
        const bool isStep = colon < step.size() && ParseTime(step.substr(0, colon), time) &&
                            (ParseBitsPerSecond(rate, value) || (isNone && !steps.empty()));
        if (!isStep || (steps.empty() ? !time.IsZero() : time <= steps.back().time))
        {
            return false;
        }
        steps.push_back({time, value});
    }
    return true;
}

std::ostream&
operator<<(std::ostream& os, const RateSteps& rate)
{
    const bool isConstant = rate.steps.size() == 1;
    for (std::size_t i = 0; i < rate.steps.size(); ++i)
    {
        os << (i > 0 ? "," : "");
        if (!isConstant)
        {
            os << rate.steps[i].time.GetNanoSeconds() << "ns:";
        }
        const double bits = rate.steps[i].bitsPerSecond;
        const auto [unit, name] = bits >= 1e9   ? std::pair(1e9, "Gbps")
                                  : bits >= 1e6 ? std::pair(1e6, "Mbps")
                                  : bits >= 1e3 ? std::pair(1e3, "kbps")
                                                : std::pair(1.0, "bps");
        os << Table::Exact(bits / unit) << name;
    }
    return os;
}

std::istream&
operator>>(std::istream& is, RateSteps& rate)
{
    std::string text;
    std::getline(is, text);
    is.clear(std::ios::eofbit); // nothing is a text too
    rate.steps.clear();
    if (!text.empty() && !rate.Parse(text))
    {
        is.setstate(std::ios::failbit);
    }
    return is;
}

std::unique_ptr<StepSource>
LinkRate::MakeRates() const
{
    if (HasOpportunities())
    {
        return edgepipe::MakeRates(OpenOpportunityTrace(trace, replay), RATE_INTERVAL);
    }
    if (!trace.empty())
    {
        return OpenRateTrace(trace, direction, replay);
    }
    std::vector<TraceStep> rates{{Time(), bitsPerSecond}};
    for (const auto& step : steps)
    {
        rates.push_back({step.time, step.bitsPerSecond});
    }
    return std::make_unique<ListedSteps>(std::move(rates));
}

std::unique_ptr<LinkPacer>
LinkRate::MakePacer() const
{
    if (HasOpportunities())
    {
        return std::make_unique<OpportunityPacer>(OpenOpportunityTrace(trace, replay));
    }
    return std::make_unique<RatePacer>(MakeRates());
}

std::optional<Time>
LinkRate::GetRecordedDelay() const
{
    const auto seconds = trace.empty() ? std::nullopt : Check().delaySeconds;
    return seconds ? std::optional(RoundSeconds(*seconds)) : std::nullopt;
}

std::string
LinkRate::Describe() const
{
    return trace.empty() ? Table::Rounded(bitsPerSecond / 1e6) + " Mbit/s" +
                               (steps.empty() ? "" : " at first")
                         : trace.substr(trace.find_last_of('/') + 1);
}

double
LinkRate::GetHighest() const
{
    double highest = trace.empty() ? bitsPerSecond : Check().highestBitsPerSecond;
    for (const auto& step : steps)
    {
        highest = std::max(highest, step.bitsPerSecond);
    }
    return highest;
}

double
LinkRate::GetUsual() const
{
    return trace.empty() ? bitsPerSecond : Check().meanBitsPerSecond;
}

std::string
FindDownlinkTrace(const std::string& uplinkTrace)
{
    const std::string other = FindOtherDirection(uplinkTrace, TraceDirection::UP);
    return other.empty() ? uplinkTrace : other;
}

} // namespace ns3::edgepipe
