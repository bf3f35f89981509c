/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_STALL_MONITOR_H
#define EDGEPIPE_STALL_MONITOR_H

#include "ns3/callback.h"
#include "ns3/edgepipe-compute-device.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-tensor-transport.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Stops a run that makes no progress, and reports what each party waits for.
 *
 * Progress is a finished task, a running task whose device has a share left, a delivered message,
 * or a byte of payload that reached its receiver. The simulation is stopped if there is none for
 * the attribute Timeout while a party waits. If a run merely ran out of events, call Diagnose
 * afterwards. Several monitors may watch one simulation.
 */
class StallMonitor : public Typed<StallMonitor, Object>
{
  public:
    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    /// Returns what a party waits for, in words; empty if it waits for nothing.
    using DescribeWait = std::function<std::string()>;

    /// Returns the name of a device, by its index.
    using NameDevice = std::function<std::string(uint32_t device)>;

    /// Describes a message in words, from its port and tag.
    using DescribeMessage = std::function<std::string(const Message&)>;

    /**
     * @param transport whose messages to watch
     * @param name returns the name of a device
     * @param describe describes a message
     */
    void WatchTransport(Ptr<TensorTransport> transport, NameDevice name, DescribeMessage describe)
    {
        m_transport = transport;
        m_name = std::move(name);
        m_describe = std::move(describe);
    }

    /// Returns whether a message does not count as progress.
    using IsDisregarded = std::function<bool(const Message&)>;

    /**
     * Ignore messages that are sent regardless of progress, such as probes; after WatchTransport.
     *
     * @param isDisregarded selects them
     */
    void Disregard(IsDisregarded isDisregarded);

    /**
     * @param device index of the device
     * @param compute its processor, whose tasks to watch
     */
    void WatchCompute(uint32_t device, Ptr<ComputeDevice> compute)
    {
        m_compute[device] = compute;
    }

    /**
     * @param device index of its device
     * @param describe returns what it waits for
     */
    void WatchParty(uint32_t device, DescribeWait describe)
    {
        m_parties.emplace_back(device, std::move(describe));
    }

    /** Start watching. */
    void Start();

    /** Stop watching, because the work is done. */
    void Stop();

    /** @return whether the run was stopped because nothing moved */
    bool HasStalled() const
    {
        return m_stalled;
    }

    /** @return what each party waits for and which messages are pending, one line each */
    std::vector<std::string> Diagnose() const;

    /**
     * TracedCallback signature of the trace source Stalled.
     *
     * @param [in] reasons what each party waits for and which messages are pending, one line each
     */
    typedef void (*StalledTracedCallback)(const std::vector<std::string>& reasons);

  protected:
    void DoDispose() override;

  private:
    friend class StallMonitorRound;

    /**
     * Check for progress.
     * @param isOver whether the simulation has no events left but those of monitors
     */
    void Check(bool isOver);
    /** @return latest observed progress of a message that counts */
    Time GetTransportProgress();

    Time m_timeout;                                   //!< longest time without progress
    IsDisregarded m_isDisregarded;                    //!< null: all messages count
    Time m_lastArrival;                               //!< otherwise: latest delivery
    uint64_t m_pendingBytes{0};                       //!< delivered of pending ones that count
    Time m_lastMove;                                  //!< when these were last seen to change
    Ptr<TensorTransport> m_transport;                 //!< watched
    NameDevice m_name;                                //!< names a device
    DescribeMessage m_describe;                       //!< describes a message
    std::map<uint32_t, Ptr<ComputeDevice>> m_compute; //!< watched, by device
    std::vector<std::pair<uint32_t, DescribeWait>> m_parties; //!< watched
    Time m_started;                                           //!< when watching started
    bool m_stalled{false};                                    //!< whether the run was stopped
    /// Fires when nothing has moved for too long, before the simulation is stopped.
    TracedCallback<const std::vector<std::string>& /* reasons */> m_stalledTrace;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_STALL_MONITOR_H */
