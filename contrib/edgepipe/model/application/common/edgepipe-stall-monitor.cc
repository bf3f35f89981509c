/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-stall-monitor.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-connect.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

namespace ns3::edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeStallMonitor");

NS_OBJECT_ENSURE_REGISTERED(StallMonitor);

/// Most pending messages that a diagnosis lists one by one.
constexpr std::size_t LISTED_MESSAGES = 8;

/**
 * The checks of all monitors of a simulation. They share one event, so that no monitor mistakes
 * another's check for remaining work.
 */
class StallMonitorRound
{
  public:
    /** @return the round of this process */
    static StallMonitorRound& Get()
    {
        static StallMonitorRound round;
        return round;
    }

    /**
     * Schedule a check.
     *
     * @param monitor that checks
     * @param delay from now
     */
    void Add(StallMonitor* monitor, const Time& delay)
    {
        m_looks.emplace_back(Simulator::Now() + delay, monitor);
        Schedule();
    }

    /** @param monitor whose checks to cancel */
    void Remove(const StallMonitor* monitor)
    {
        const auto isIts = [monitor](const auto& look) { return look.second == monitor; };
        m_looks.erase(std::remove_if(m_looks.begin(), m_looks.end(), isIts), m_looks.end());
        Schedule();
    }

  private:
    /** Schedule the next check. */
    void Schedule()
    {
        m_next.Cancel();
        m_next = EventId();
        if (!m_looks.empty())
        {
            const Time next = std::min_element(m_looks.begin(), m_looks.end())->first;
            m_next =
                Simulator::Schedule(next - Simulator::Now(), &StallMonitorRound::FindStalls, this);
        }
    }

    /** Run the checks that are due. */
    void FindStalls()
    {
        const bool isOver = Simulator::IsFinished();
        const auto end = std::stable_partition(m_looks.begin(), m_looks.end(), [](auto& look) {
            return look.first > Simulator::Now();
        });
        const std::vector<std::pair<Time, StallMonitor*>> due(end, m_looks.end());
        m_looks.erase(end, m_looks.end());
        for (const auto& [time, monitor] : due)
        {
            monitor->Check(isOver);
        }
    }

    std::vector<std::pair<Time, StallMonitor*>> m_looks; //!< scheduled checks
    EventId m_next;                                      //!< calls Look
};

TypeId
StallMonitor::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("Timeout",
             "Longest simulated time without progress.",
             {&StallMonitor::m_timeout, Seconds(60), NanoSeconds(1)})
        .Add("Stalled",
             "Nothing has moved for too long; the simulation ends.",
             {&StallMonitor::m_stalledTrace, "Stalled"});
}

void
StallMonitor::Disregard(IsDisregarded isDisregarded)
{
    m_isDisregarded = std::move(isDisregarded);
    m_transport->ConnectArrivals(
        Callback<void, const Message&>([self = Ptr<StallMonitor>(this)](const Message& message) {
            if (!self->m_isDisregarded(message))
            {
                self->m_lastArrival = Simulator::Now();
            }
        }));
}

Time
StallMonitor::GetTransportProgress()
{
    if (!m_isDisregarded)
    {
        return m_transport->GetLastProgress();
    }
    // The last progress of the transport may be that of disregarded messages.
    bool isAnyPending = false;
    uint64_t bytes = 0;
    for (const auto& each : m_transport->GetPending())
    {
        if (!m_isDisregarded(each.message))
        {
            isAnyPending = true;
            bytes += each.deliveredBytes;
        }
    }
    if (isAnyPending && bytes != m_pendingBytes)
    {
        m_lastMove = m_transport->GetLastProgress();
    }
    m_pendingBytes = bytes;
    return std::max(m_lastArrival, m_lastMove);
}

void
StallMonitor::Start()
{
    m_started = Simulator::Now();
    Simulator::ScheduleDestroy(&StallMonitor::Dispose, Ptr<StallMonitor>(this));
    StallMonitorRound::Get().Add(this, m_timeout);
}

void
StallMonitor::Stop()
{
    StallMonitorRound::Get().Remove(this);
}

void
StallMonitor::Check(bool isOver)
{
    if (!m_transport)
    {
        return; // disposed of when another monitor's stall was announced
    }
    Time work = std::max(m_started, GetTransportProgress());
    for (const auto& [device, compute] : m_compute)
    {
        work = std::max(work, compute->GetLastProgress());
    }
    Time last = work;
    for (const auto& [device, compute] : m_compute)
    {
        // A decision may take long, but repeated decisions alone are no progress.
        const auto [began, ran] = compute->GetLastDecision();
        last = began <= work + m_timeout ? std::max(last, ran) : last;
    }
    const Time quiet = Simulator::Now() - last;
    if (quiet < m_timeout)
    {
        StallMonitorRound::Get().Add(this, m_timeout - quiet);
        return;
    }
    const auto reasons = Diagnose();
    if (!reasons.empty())
    {
        NS_LOG_INFO("nothing has moved for " << quiet.As(Time::S));
        m_stalled = true;
        m_stalledTrace(reasons);
        Simulator::Stop();
    }
    else if (!isOver)
    {
        // No party waits: the work is done, or some will begin if events are left.
        StallMonitorRound::Get().Add(this, m_timeout);
    }
}

std::vector<std::string>
StallMonitor::Diagnose() const
{
    std::vector<std::string> lines;
    for (const auto& [device, describe] : m_parties)
    {
        const std::string wait = describe();
        if (!wait.empty())
        {
            lines.push_back(m_name(device) + ": " + wait);
        }
    }
    for (const auto& [device, compute] : m_compute)
    {
        if (compute->IsBusy() && compute->GetAvailableShare() == 0)
        {
            lines.push_back(m_name(device) + ": a task waits, the available share is 0");
        }
    }
    auto pending = m_transport->GetPending();
    if (m_isDisregarded && lines.empty())
    {
        // Disregarded messages alone are no stall.
        pending.erase(
            std::remove_if(pending.begin(),
                           pending.end(),
                           [this](const auto& each) { return m_isDisregarded(each.message); }),
            pending.end());
    }
    for (std::size_t i = 0; i < std::min(pending.size(), LISTED_MESSAGES); ++i)
    {
        const auto& transfer = pending[i];
        std::ostringstream line;
        line << m_name(transfer.message.from) << " -> " << m_name(transfer.message.to) << ": "
             << m_describe(transfer.message) << ", " << transfer.deliveredBytes << " of "
             << transfer.message.bytes << " bytes delivered, " << transfer.state;
        lines.push_back(line.str());
    }
    if (pending.size() > LISTED_MESSAGES)
    {
        lines.push_back("and " + std::to_string(pending.size() - LISTED_MESSAGES) +
                        " more messages");
    }
    return lines;
}

void
StallMonitor::DoDispose()
{
    Stop();
    m_name = nullptr;
    m_transport = nullptr;
    m_compute.clear();
    m_parties.clear();
    Object::DoDispose();
}

} // namespace ns3::edgepipe
