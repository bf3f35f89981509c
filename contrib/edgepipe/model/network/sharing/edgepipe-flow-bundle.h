/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FLOW_BUNDLE_H
#define EDGEPIPE_FLOW_BUNDLE_H

#include "ns3/edgepipe-max-min-sharing.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/** The bytes that each of some flows of one rate has sent. */
struct FlowClock
{
    double rate{0};   //!< bytes/s
    double bytes{0};  //!< sent at `since`
    int64_t since{0}; //!< ns

    /**
     * @param now ns
     * @return bytes sent
     */
    double Get(int64_t now) const
    {
        return bytes + rate * (1e-9 * (now - since));
    }

    /**
     * @param next bytes/s from now on
     * @param now ns
     */
    void SetRate(double next, int64_t now)
    {
        bytes = Get(now);
        since = now;
        rate = next;
    }

    /**
     * @param alarm bytes
     * @return when they have been sent, ns; infinite if nothing moves
     */
    double GetDue(double alarm) const
    {
        return alarm <= bytes ? since : since + std::ceil(1e9 * (alarm - bytes) / rate);
    }
};

/**
 * @ingroup edgepipe
 *
 * Flows on one link whose rates differ, if at all, since something else limits some of them.
 *
 * Flows that would reach the same highest rate are a group. Groups that the link limits are within
 * the bundle and run at its rate, by its clock; others run by clocks of their own. Each flow has an
 * alarm on its group's clock. So a change of a rate, or a group that enters or leaves, costs the
 * same for any number of flows, and a change of the flows a logarithm of it.
 */
class FlowBundle
{
  public:
    /// A flow's alarm: its group's clock then, what breaks ties, and the flow.
    using Alarm = std::tuple<double, uint64_t, uint32_t>;

    /** Flows that would reach the same highest rate. */
    struct Group
    {
        double bound{0};                      //!< that rate, bytes/s
        const FlowClock* shared{nullptr};     //!< the bundle's clock
        double ahead{0};                      //!< if within: its clock, less the bundle's, bytes
        FlowClock own;                        //!< if not within: its clock
        bool isWithin{true};                  //!< whether the link limits it
        uint32_t member{MaxMinSharing::NONE}; //!< if not within: its number in the sharing
        std::set<Alarm> alarms;               //!< one of each flow
        double first{0};                      //!< if within: the first, by the bundle's clock

        /** @return bytes/s of each flow */
        double GetRate() const
        {
            return isWithin ? shared->rate : own.rate;
        }

        /**
         * @param now ns
         * @return bytes that each flow has sent, from when the group began
         */
        double GetClock(int64_t now) const
        {
            return isWithin ? shared->Get(now) + ahead : own.Get(now);
        }
    };

    /** @param weight of each flow on the link */
    explicit FlowBundle(double weight)
        : m_weight(weight)
    {
    }

    // Groups know the clock.
    FlowBundle(const FlowBundle&) = delete;
    FlowBundle& operator=(const FlowBundle&) = delete;

    /** @return weight of each flow on the link */
    double GetWeight() const
    {
        return m_weight;
    }

    /** @return number of flows within */
    std::size_t GetSize() const
    {
        return m_size;
    }

    /** @return whether there is no group, within or not */
    bool IsEmpty() const
    {
        return m_groups.empty();
    }

    /** @return the clock of those within */
    FlowClock& GetClock()
    {
        return m_clock;
    }

    /** @return number in the sharing of the flow that stands for those within; NONE: none does */
    uint32_t& GetMember()
    {
        return m_member;
    }

    /** @return the group within of the lowest bound; there is one */
    Group& GetLowest()
    {
        return *m_within.begin()->second;
    }

    /**
     * @param bound a highest rate, bytes/s
     * @return the group of that rate; a new one is within
     */
    Group& Find(double bound);

    /**
     * @param group a group
     * @param alarm of a new flow
     */
    void Add(Group& group, const Alarm& alarm);

    /**
     * @param group a group
     * @param alarm of one of its flows, which leaves; a group of none is gone
     */
    void Remove(Group& group, const Alarm& alarm);

    /**
     * @param group a group within, which is to run by a clock of its own
     * @param now ns
     */
    void Release(Group& group, int64_t now);

    /**
     * @param group a group that is not within, which is to run by the bundle's clock
     * @param now ns
     */
    void Admit(Group& group, int64_t now);

    /**
     * @param group a group that is not within; null: those within, which are some
     * @return when the first of their alarms is due, ns; infinite if nothing moves
     */
    double GetDue(const Group* group) const;

    /**
     * @param group as of GetDue
     * @param now ns
     * @param flows gets those whose alarms are due
     */
    void ListDue(const Group* group, int64_t now, std::vector<uint32_t>& flows) const;

  private:
    /**
     * Update a group's place among the first alarms.
     * @param group a group
     * @param isListed whether it has one
     */
    void Relist(Group& group, bool isListed);

    double m_weight;                              //!< see GetWeight
    std::size_t m_size{0};                        //!< see GetSize
    FlowClock m_clock;                            //!< see GetClock
    uint32_t m_member{MaxMinSharing::NONE};       //!< see GetMember
    std::map<double, Group> m_groups;             //!< by bound
    std::map<double, Group*> m_within;            //!< those within, by bound
    std::set<std::pair<double, double>> m_firsts; //!< first alarms within, and their bounds
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_FLOW_BUNDLE_H */
