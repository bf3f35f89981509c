/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FLOW_BUNDLE_H
#define EDGEPIPE_FLOW_BUNDLE_H

#include <cmath>
#include <cstdint>
#include <set>
#include <tuple>
#include <utility>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Flows that run at one rate, since one link limits them all and nothing else would before it.
 *
 * They share a clock, the bytes that each of them has sent since the bundle began, at which each
 * has an alarm. So a change of the rate costs the same for any number of flows, and a change of
 * the flows a logarithm of it.
 */
class FlowBundle
{
  public:
    /**
     * @param member number of the flow that stands for them in the sharing
     * @param weight of each on the link
     */
    FlowBundle(uint32_t member, double weight)
        : m_member(member),
          m_weight(weight)
    {
    }

    /** @return number of the flow that stands for them in the sharing */
    uint32_t GetMember() const
    {
        return m_member;
    }

    /** @return weight of each on the link */
    double GetWeight() const
    {
        return m_weight;
    }

    /** @return bytes/s of each */
    double GetRate() const
    {
        return m_rate;
    }

    /** @return number of flows */
    std::size_t GetSize() const
    {
        return m_bounds.size();
    }

    /**
     * @param now ns
     * @return bytes that each flow has sent since the bundle began
     */
    double GetClock(int64_t now) const
    {
        return m_clock + m_rate * (1e-9 * (now - m_since));
    }

    /**
     * @param rate of each from now on, bytes/s
     * @param now ns
     */
    void SetRate(double rate, int64_t now)
    {
        m_clock = GetClock(now);
        m_since = now;
        m_rate = rate;
    }

    /// A flow's alarm: the clock then, what breaks ties, and the flow.
    using Alarm = std::tuple<double, uint64_t, uint32_t>;
    /// A flow's highest rate by all but the link, bytes/s, and the flow.
    using Bound = std::pair<double, uint32_t>;

    /**
     * @param bound of a new flow
     * @param alarm of it
     */
    void Add(const Bound& bound, const Alarm& alarm)
    {
        m_bounds.insert(bound);
        m_alarms.insert(alarm);
    }

    /**
     * @param bound of a flow
     * @param alarm of it
     */
    void Remove(const Bound& bound, const Alarm& alarm)
    {
        m_bounds.erase(bound);
        m_alarms.erase(alarm);
    }

    /** @return the lowest bound; there is a flow */
    const Bound& GetFirstBound() const
    {
        return *m_bounds.begin();
    }

    /** @return the first alarm, of those due in one nanosecond that of the lowest rank */
    const Alarm& GetFirstAlarm() const
    {
        auto first = m_alarms.begin();
        const double due = GetDue();
        const auto skip = [this](auto alarm) {
            return m_alarms.upper_bound({std::get<0>(*alarm), UINT64_MAX, UINT32_MAX});
        };
        for (auto next = skip(first);
             std::isfinite(due) && next != m_alarms.end() && GetDue(*next) <= due;
             next = skip(next))
        {
            first = std::get<1>(*next) < std::get<1>(*first) ? next : first;
        }
        return *first;
    }

    /** @return when the first alarm is due, ns; infinite if nothing moves */
    double GetDue() const
    {
        return GetDue(*m_alarms.begin());
    }

  private:
    /** @return when an alarm is due, ns */
    double GetDue(const Alarm& alarm) const
    {
        const double left = std::get<0>(alarm) - m_clock;
        return left <= 0 ? m_since : m_since + std::ceil(1e9 * left / m_rate);
    }

    uint32_t m_member;        //!< see GetMember
    double m_weight;          //!< see GetWeight
    double m_rate{0};         //!< bytes/s of each since then
    double m_clock{0};        //!< at m_since, bytes
    int64_t m_since{0};       //!< ns
    std::set<Bound> m_bounds; //!< one of each flow
    std::set<Alarm> m_alarms; //!< one of each flow
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_FLOW_BUNDLE_H */
