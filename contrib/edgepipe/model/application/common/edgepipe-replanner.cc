/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-replanner.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/simulator.h"

#include <cmath>

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(Replanner);

TypeId
Replanner::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("ReplanThreshold",
             "Relative change of a figure since the last decision above which a decision is "
             "due.",
             {&Replanner::m_threshold, 0.1, 0})
        .Add("ReplanPeriod",
             "Time after which a decision is due regardless of figures; 0: never.",
             {&Replanner::m_period, Time(0), Time(0)})
        .Add("FixedPlanningTime",
             "Cost of a decision for the deciding device, regardless of the planner's time.",
             {&Replanner::m_fixedTime, Time(0), Time(0)})
        .Add("PlanningScale",
             "Factor from the planner's wall-clock time here to its cost for the deciding "
             "device; 0: no cost.",
             {&Replanner::m_scale, 0, 0});
}

void
Replanner::DoDispose()
{
    m_nextPeriod.Cancel();
    m_due = nullptr;
    m_socket = TensorSocket();
    m_compute = nullptr;
    Object::DoDispose();
}

void
Replanner::Watch(std::function<void()> due)
{
    m_due = std::move(due);
    if (m_period.IsStrictlyPositive())
    {
        m_nextPeriod = Simulator::Schedule(m_period, &Replanner::EndPeriod, this);
    }
}

void
Replanner::EndPeriod()
{
    m_nextPeriod = Simulator::Schedule(m_period, &Replanner::EndPeriod, this);
    m_isPeriodOver = true;
    if (m_due)
    {
        m_due();
    }
}

bool
Replanner::TakeIfDue(const std::vector<double>& figures)
{
    bool isDue = m_isPeriodOver || figures.size() != m_figures.size();
    for (std::size_t i = 0; i < figures.size() && !isDue; ++i)
    {
        isDue = std::abs(figures[i] - m_figures[i]) > m_threshold * m_figures[i];
    }
    if (isDue)
    {
        m_isPeriodOver = false;
        m_figures = figures;
    }
    return isDue;
}

bool
Replanner::Ask(const std::function<void()>& ask)
{
    const auto start = std::chrono::steady_clock::now();
    bool isAnswered = true;
    try
    {
        ask();
        m_hasPlan = true;
    }
    catch (const PlannerFailure& failure)
    {
        if (!m_hasPlan)
        {
            throw;
        }
        m_failures.Add(failure);
        isAnswered = false;
    }
    m_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return isAnswered;
}

void
Replanner::Pay(double plannerSeconds, uint64_t tag, std::function<void()> handOut)
{
    const double seconds = GetFixedSeconds() + m_scale * plannerSeconds;
    if (seconds > 0)
    {
        m_compute->Run(tag,
                       seconds,
                       Callback<void>([self = Ptr<Replanner>(this), handOut = std::move(handOut)] {
                           handOut();
                       }),
                       m_socket.GetJob(),
                       true);
        return;
    }
    handOut();
}

} // namespace ns3::edgepipe
