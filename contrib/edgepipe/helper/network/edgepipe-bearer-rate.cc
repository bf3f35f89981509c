/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-bearer-rate.h"

#include "ns3/edgepipe-table.h"

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Over which opportunities are counted where there are no packets.
const Time RATE_INTERVAL = MilliSeconds(50);

/** A rate given by steps. */
class ScheduledRates : public StepSource
{
  public:
    /**
     * @param first bit/s at time 0
     * @param steps later ones
     */
    ScheduledRates(double first, const std::vector<BandwidthStep>& steps)
        : m_steps{{Time(), first}}
    {
        m_steps.insert(m_steps.end(), steps.begin(), steps.end());
    }

    bool Next(TraceStep& step) override
    {
        if (m_next == m_steps.size())
        {
            return false;
        }
        step = {m_steps[m_next].time, m_steps[m_next].bitsPerSecond};
        ++m_next;
        return true;
    }

  private:
    std::vector<BandwidthStep> m_steps; //!< all
    std::size_t m_next{0};              //!< place of the next one
};

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
    return std::make_unique<ScheduledRates>(bitsPerSecond, steps);
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
