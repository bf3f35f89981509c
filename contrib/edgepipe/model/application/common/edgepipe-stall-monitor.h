/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_STALL_MONITOR_H
#define EDGEPIPE_STALL_MONITOR_H

#include "ns3/callback.h"
#include "ns3/edgepipe-compute-device.h"
#include "ns3/edgepipe-tensor-transport.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
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
 * Ends a run in which nothing moves any more, and says what everyone waits for.
 *
 * Progress is a finished task, a running task whose device has a share left, a delivered message,
 * or a byte of payload that reached its receiver. When there has been none for the time given by
 * the attribute Timeout although somebody waits, the simulation is stopped. A run whose events have
 * simply run out is diagnosed by calling Diagnose afterwards. Several may watch one simulation.
 */
class StallMonitor : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    /// Says what a party waits for, in words; empty if it waits for nothing.
    using DescribeWait = std::function<std::string()>;

    /// Says what a device is called, by its index.
    using NameDevice = std::function<std::string(uint32_t device)>;

    /// Says what a message is, in words, from its port and tag.
    using DescribeMessage = std::function<std::string(const Message&)>;

    /**
     * @param transport whose messages to watch
     * @param name says what a device is called
     * @param describe says what a message is
     */
    void WatchTransport(Ptr<TensorTransport> transport, NameDevice name, DescribeMessage describe)
    {
        m_transport = transport;
        m_name = std::move(name);
        m_describe = std::move(describe);
    }

    /// Says whether a message counts for no progress.
    using IsDisregarded = std::function<bool(const Message&)>;

    /**
     * Take messages that keep coming whether anyone gets on or not, such as probes, for no
     * progress; after WatchTransport.
     *
     * @param isDisregarded says which
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
     * @param device index of the device it lives on
     * @param describe says what it waits for
     */
    void WatchParty(uint32_t device, DescribeWait describe)
    {
        m_parties.emplace_back(device, std::move(describe));
    }

    /** Begin to watch, from now on. */
    void Start();

    /** Stop watching: the work is done. */
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
     * Look whether anything has moved.
     * @param isOver whether nothing but monitors is left in the simulation
     */
    void Check(bool isOver);
    /** @return when a message that counts last got on, as far as has been seen */
    Time GetTransportProgress();

    Time m_timeout;                                   //!< longest time without progress
    IsDisregarded m_isDisregarded;                    //!< null: all messages count
    Time m_lastArrival;                               //!< otherwise: of one that counts
    uint64_t m_pendingBytes{0};                       //!< delivered of pending ones that count
    Time m_lastMove;                                  //!< when these were last seen to change
    Ptr<TensorTransport> m_transport;                 //!< watched
    NameDevice m_name;                                //!< says what a device is called
    DescribeMessage m_describe;                       //!< says what a message is
    std::map<uint32_t, Ptr<ComputeDevice>> m_compute; //!< watched, by device
    std::vector<std::pair<uint32_t, DescribeWait>> m_parties; //!< watched
    Time m_started;                                           //!< since when
    bool m_stalled{false};                                    //!< whether the run was stopped
    /// Fires when nothing has moved for too long, before the simulation is stopped.
    TracedCallback<const std::vector<std::string>& /* reasons */> m_stalledTrace;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_STALL_MONITOR_H */
