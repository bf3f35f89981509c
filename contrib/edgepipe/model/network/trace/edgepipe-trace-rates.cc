/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-trace.h"

namespace ns3::edgepipe
{

namespace
{

/** Counts opportunities interval by interval. */
class OpportunityRates : public StepSource
{
  public:
    /**
     * @param opportunities what to count
     * @param interval length of an interval
     */
    OpportunityRates(std::unique_ptr<OpportunitySource> opportunities, Time interval)
        : m_opportunities(std::move(opportunities)),
          m_interval(interval.GetNanoSeconds())
    {
        Read();
    }

    bool Next(TraceStep& step) override
    {
        if (m_isOver)
        {
            return false;
        }
        uint64_t count = 0;
        const int64_t interval = m_interval * m_index;
        while (m_isAhead && m_ahead - interval < m_interval)
        {
            ++count;
            Read();
        }
        constexpr double nanobits = 8e9 * OpportunitySource::BYTES;
        step = {NanoSeconds(interval), count * nanobits / m_interval};
        // A step of 0 lasts until the next opportunity, however far it is.
        m_isOver = !m_isAhead && count == 0;
        m_index = count == 0 && m_isAhead ? m_ahead / m_interval : m_index + 1;
        return true;
    }

  private:
    /** Read the next opportunity. */
    void Read()
    {
        Time time;
        m_isAhead = m_opportunities->Next(time);
        m_ahead = m_isAhead ? time.GetNanoSeconds() : 0;
    }

    std::unique_ptr<OpportunitySource> m_opportunities; //!< what to count
    int64_t m_interval;                                 //!< length, ns
    int64_t m_index{0};                                 //!< of the next interval
    bool m_isAhead{false};                              //!< whether there is another opportunity
    int64_t m_ahead{0};                                 //!< its time, ns
    bool m_isOver{false};                               //!< the last step has been given
};

} // namespace

std::unique_ptr<StepSource>
MakeRates(std::unique_ptr<OpportunitySource> opportunities, Time interval)
{
    Require(interval >= NanoSeconds(1) && interval <= Seconds(3600),
            "trace-interval",
            std::to_string(interval.GetSeconds()) + " s",
            "more than 0 s and at most 3600 s");
    return std::make_unique<OpportunityRates>(std::move(opportunities), interval);
}

} // namespace ns3::edgepipe
