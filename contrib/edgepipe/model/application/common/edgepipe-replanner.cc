/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-replanner.h"

#include "ns3/double.h"
#include "ns3/simulator.h"

#include <cmath>
#include <utility>

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(Replanner);

TypeId
Replanner::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::edgepipe::Replanner")
            .SetParent<Object>()
            .SetGroupName("Edgepipe")
            .AddAttribute("ReplanThreshold",
                          "Relative change of a figure, from what the last decision was made for, "
                          "above which a decision is due.",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&Replanner::m_threshold),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("ReplanPeriod",
                          "Time after which a decision is due anyway; 0: never.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&Replanner::m_period),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("FixedPlanningTime",
                          "What a decision costs the deciding device whatever the planner took.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&Replanner::m_fixedTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("PlanningScale",
                          "What a decision costs the deciding device over the wall-clock time that "
                          "the planner took here; 0: nothing.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&Replanner::m_scale),
                          MakeDoubleChecker<double>(0));
    return tid;
}

void
Replanner::DoDispose()
{
    m_nextPeriod.Cancel();
    Object::DoDispose();
}

bool
Replanner::HasChanged(const std::vector<double>& before,
                      const std::vector<double>& now,
                      double threshold)
{
    for (std::size_t i = 0; i < now.size(); ++i)
    {
        if (std::abs(now[i] - before[i]) > threshold * before[i])
        {
            return true;
        }
    }
    return false;
}

void
Replanner::SetFigures(std::vector<double> figures)
{
    m_figures = std::move(figures);
}

void
Replanner::Watch()
{
    if (m_period.IsStrictlyPositive())
    {
        m_nextPeriod = Simulator::Schedule(m_period, &Replanner::EndPeriod, this);
    }
}

void
Replanner::Stop()
{
    m_nextPeriod.Cancel();
}

void
Replanner::EndPeriod()
{
    m_nextPeriod = Simulator::Schedule(m_period, &Replanner::EndPeriod, this);
    m_isPeriodOver = true;
    NoticePeriod();
}

void
Replanner::NoticePeriod()
{
}

bool
Replanner::TakeIfDue(const std::vector<double>& figures)
{
    if (!m_isPeriodOver && !HasChanged(m_figures, figures, m_threshold))
    {
        return false;
    }
    m_isPeriodOver = false;
    m_figures = figures;
    return true;
}

double
Replanner::GetFixedSeconds() const
{
    return m_fixedTime.GetSeconds();
}

double
Replanner::GetPlanningScale() const
{
    return m_scale;
}

bool
Replanner::Charge(Ptr<ComputeDevice> compute,
                  double seconds,
                  uint64_t tag,
                  uint32_t job,
                  ComputeDevice::DoneCallback done)
{
    if (seconds > 0)
    {
        compute->Run(tag, seconds, std::move(done), job, true);
    }
    return seconds > 0;
}

} // namespace edgepipe
} // namespace ns3
