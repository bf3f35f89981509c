/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-compute-device.h"

#include "ns3/abort.h"
#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-time.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>

namespace ns3::edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeComputeDevice");

NS_OBJECT_ENSURE_REGISTERED(ComputeDevice);

TypeId
ComputeDevice::AddAttributes(TypeId tid)
{
    using C = ComputeDevice;
    return Attributes(tid)
        .Add("AvailableShare",
             "Share of the device that is available to us, 0 to 1.",
             {DoubleValue(1),
              MakeDoubleAccessor(&C::SetAvailableShare, &C::GetAvailableShare),
              MakeDoubleChecker<double>(0, 1)})
        .Add("AvailableShare",
             "The available share has been set.",
             {&C::m_shareTrace, "ns3::TracedValueCallback::Double"})
        .Add("TaskStart", "A task starts to run.", {&C::m_startTrace, "Task"})
        .Add("TaskEnd", "A task has finished.", {&C::m_endTrace, "Task"});
}

void
ComputeDevice::DoDispose()
{
    m_finish.Cancel();
    m_reach.Cancel();
    m_reached = Callback<void>();
    m_running.done = DoneCallback();
    m_isBusy = false;
    m_waiting.clear();
    Object::DoDispose();
}

bool
ComputeDevice::Run(uint64_t tag,
                   double seconds,
                   DoneCallback done,
                   uint32_t job,
                   bool isDecision,
                   double stretch)
{
    NS_LOG_FUNCTION(this << tag << seconds);
    const double work = std::exchange(seconds, seconds * stretch);
    NS_ABORT_MSG_UNLESS(std::isfinite(seconds) && seconds >= 0, "a task of " << seconds << " s");
    Task task{tag, seconds, std::move(done), job, isDecision, work};
    if (m_isBusy)
    {
        m_waiting.push_back(std::move(task));
        m_waitingSeconds += seconds;
        return false;
    }
    m_running = std::move(task);
    m_isBusy = true;
    Begin();
    return true;
}

void
ComputeDevice::SetAvailableShare(double share)
{
    NS_LOG_FUNCTION(this << share);
    NS_ABORT_MSG_UNLESS(share >= 0 && share <= 1, "a device's share is " << share);
    if (m_isBusy)
    {
        Settle();
    }
    const double before = std::exchange(m_share, share);
    if (m_isBusy)
    {
        Continue();
    }
    m_shareTrace(before, share);
}

uint64_t
ComputeDevice::GetBacklog() const
{
    return m_waiting.size() + (m_isBusy ? 1 : 0);
}

double
ComputeDevice::GetBacklogSeconds() const
{
    return m_waitingSeconds + GetRemaining();
}

Time
ComputeDevice::GetLastProgress() const
{
    return IsAdvancing() && !m_running.isDecision ? Simulator::Now() : m_lastProgress;
}

std::pair<Time, Time>
ComputeDevice::GetLastDecision() const
{
    return IsAdvancing() && m_running.isDecision ? std::pair(m_began, Simulator::Now())
                                                 : m_lastDecision;
}

double
ComputeDevice::GetRemaining() const
{
    const double elapsed = (Simulator::Now() - m_since).GetSeconds();
    return m_isBusy ? std::max(0.0, m_running.seconds - elapsed * m_share) : 0;
}

void
ComputeDevice::Shorten(double seconds)
{
    NS_LOG_FUNCTION(this << seconds);
    NS_ABORT_MSG_UNLESS(m_isBusy && seconds >= 0 && seconds <= GetRemaining(),
                        "cannot take " << seconds << " s off a task");
    Settle();
    m_running.seconds -= seconds;
    Continue();
}

void
ComputeDevice::Postpone(const Time& delay)
{
    const Time left = Simulator::GetDelayLeft(m_finish);
    m_finish.Remove();
    m_since += delay;
    m_began += delay;
    m_finish = Simulator::Schedule(left + delay, &ComputeDevice::Finish, this);
}

void
ComputeDevice::CallAtRemaining(double seconds, Callback<void> reached)
{
    NS_ABORT_MSG_UNLESS(m_isBusy && seconds >= 0 && seconds <= GetRemaining(),
                        "a running task never has " << seconds << " s left");
    Settle();
    m_mark = seconds;
    m_reached = std::move(reached);
    Continue();
}

void
ComputeDevice::Settle()
{
    m_running.seconds = GetRemaining();
    m_finish.Cancel();
    m_reach.Cancel();
}

void
ComputeDevice::Begin()
{
    m_began = Simulator::Now();
    m_startTrace(m_running.tag, m_running.job);
    Continue();
}

void
ComputeDevice::Continue()
{
    m_since = Simulator::Now();
    if (m_share > 0)
    {
        if (!m_reached.IsNull())
        {
            const double left = std::max(0.0, m_running.seconds - m_mark);
            m_reach =
                Simulator::Schedule(RoundSeconds(left / m_share), &ComputeDevice::Reach, this);
        }
        m_finish = Simulator::Schedule(RoundSeconds(m_running.seconds / m_share),
                                       &ComputeDevice::Finish,
                                       this);
    }
}

void
ComputeDevice::Reach()
{
    const auto reached = std::move(m_reached);
    m_reached = Callback<void>();
    reached();
}

void
ComputeDevice::Finish()
{
    const Task task = std::move(m_running);
    m_isBusy = !m_waiting.empty();
    if (m_isBusy)
    {
        m_running = std::move(m_waiting.front());
        m_waiting.pop_front();
        // Rounding errors must not accumulate.
        m_waitingSeconds = m_waiting.empty() ? 0 : m_waitingSeconds - m_running.seconds;
    }
    const Time now = Simulator::Now();
    if (task.isDecision)
    {
        m_lastDecision = {m_began, now};
    }
    else
    {
        m_lastProgress = now;
    }
    const double elapsed = (now - m_began).GetSeconds();
    // Times are whole nanoseconds: shorter tasks would mostly measure rounding.
    if (elapsed > 1e-6)
    {
        m_measured = std::min(1.0, task.work / elapsed);
    }
    m_endTrace(task.tag, task.job);
    if (m_isBusy)
    {
        Begin();
    }
    if (!task.done.IsNull())
    {
        task.done();
    }
}

} // namespace ns3::edgepipe
