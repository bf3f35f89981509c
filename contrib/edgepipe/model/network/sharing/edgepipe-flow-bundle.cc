/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-flow-bundle.h"

namespace ns3::edgepipe
{

FlowBundle::Group&
FlowBundle::Find(double bound)
{
    const auto [place, isNew] = m_groups.try_emplace(bound);
    Group& group = place->second;
    if (isNew)
    {
        group.bound = bound;
        group.shared = &m_clock;
        m_within.emplace(bound, &group);
    }
    return group;
}

void
FlowBundle::Relist(Group& group, bool isListed)
{
    if (isListed)
    {
        m_firsts.erase({group.first, group.bound});
    }
    if (group.isWithin && !group.alarms.empty())
    {
        group.first = std::get<0>(*group.alarms.begin()) - group.ahead;
        m_firsts.emplace(group.first, group.bound);
    }
}

void
FlowBundle::Add(Group& group, const Alarm& alarm)
{
    const bool isListed = group.isWithin && !group.alarms.empty();
    m_size += group.isWithin;
    const auto place = group.alarms.insert(alarm).first;
    if (place == group.alarms.begin())
    {
        Relist(group, isListed);
    }
}

void
FlowBundle::Remove(Group& group, const Alarm& alarm)
{
    m_size -= group.isWithin;
    const bool wasFirst = *group.alarms.begin() == alarm;
    group.alarms.erase(alarm);
    if (wasFirst)
    {
        Relist(group, group.isWithin);
    }
    if (group.alarms.empty())
    {
        m_within.erase(group.bound);
        m_groups.erase(group.bound);
    }
}

void
FlowBundle::Release(Group& group, int64_t now)
{
    group.own = {0, group.GetClock(now), now};
    group.ahead = 0;
    group.isWithin = false;
    m_size -= group.alarms.size();
    m_within.erase(group.bound);
    Relist(group, true);
}

void
FlowBundle::Admit(Group& group, int64_t now)
{
    group.ahead = group.GetClock(now) - m_clock.Get(now);
    group.isWithin = true;
    m_size += group.alarms.size();
    m_within.emplace(group.bound, &group);
    Relist(group, false);
}

double
FlowBundle::GetDue(const Group* group) const
{
    return group ? group->own.GetDue(std::get<0>(*group->alarms.begin()))
                 : m_clock.GetDue(m_firsts.begin()->first);
}

void
FlowBundle::ListDue(const Group* group, int64_t now, std::vector<uint32_t>& flows) const
{
    const FlowClock& clock = group ? group->own : m_clock;
    const auto list = [&](const Group& one) {
        for (auto alarm = one.alarms.begin();
             alarm != one.alarms.end() && clock.GetDue(std::get<0>(*alarm) - one.ahead) <= now;
             ++alarm)
        {
            flows.push_back(std::get<2>(*alarm));
        }
    };
    if (group)
    {
        list(*group);
        return;
    }
    for (auto first = m_firsts.begin();
         first != m_firsts.end() && clock.GetDue(first->first) <= now;
         ++first)
    {
        list(m_groups.at(first->second));
    }
}

} // namespace ns3::edgepipe
