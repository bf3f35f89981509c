/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-bearer-rate.h"

#include "ns3/edgepipe-listed-steps.h"
#include "ns3/edgepipe-table.h"

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Over which opportunities are counted where there are no packets.
const Time RATE_INTERVAL = MilliSeconds(50);

} // namespace

bool
BearerRate::HasOpportunities() const
{
    return !trace.empty() && CheckTrace(trace, direction, replay).format == TraceFormat::MAHIMAHI;
}

std::unique_ptr<StepSource>
BearerRate::MakeRates() const
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
BearerRate::MakePacer() const
{
    if (HasOpportunities())
    {
        return std::make_unique<OpportunityPacer>(OpenOpportunityTrace(trace, replay));
    }
    return std::make_unique<RatePacer>(MakeRates());
}

std::string
BearerRate::Describe() const
{
    return trace.empty() ? Table::Rounded(bitsPerSecond / 1e6) + " Mbit/s" +
                               (steps.empty() ? "" : " at first")
                         : trace.substr(trace.find_last_of('/') + 1);
}

} // namespace edgepipe
} // namespace ns3
