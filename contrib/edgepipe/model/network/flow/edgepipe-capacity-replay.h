/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_CAPACITY_REPLAY_H
#define EDGEPIPE_CAPACITY_REPLAY_H

#include "ns3/edgepipe-flow-network.h"
#include "ns3/edgepipe-step-cursor.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/simple-ref-count.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Makes links of a FlowNetwork follow a changing rate, with one pending event for all links. It
 * costs nothing while it is stopped.
 */
class CapacityReplay : public SimpleRefCount<CapacityReplay>
{
  public:
    /**
     * @param network the links' network
     * @param bitsPerSecond the rate
     */
    CapacityReplay(Ptr<FlowNetwork> network, std::unique_ptr<StepSource> bitsPerSecond)
        : m_network(network),
          m_rate(std::move(bitsPerSecond))
    {
    }

    ~CapacityReplay()
    {
        Stop();
    }

    // An event holds this object's address.
    CapacityReplay(const CapacityReplay&) = delete;
    CapacityReplay& operator=(const CapacityReplay&) = delete;

    /**
     * Add a link to the network that follows the rate.
     *
     * @param end when the link goes dead
     * @return the link
     */
    uint32_t AddLink(const Time& end = Time::Max())
    {
        const uint32_t link = m_network->AddLink(m_rate.GetValue() / 8);
        m_links.emplace_back(link, end);
        return link;
    }

    /** Follow the rate from now on. */
    void Start()
    {
        if (!m_isRunning)
        {
            m_isRunning = true;
            Apply();
        }
    }

    /** Stop following the rate, while the links are not in use. */
    void Stop()
    {
        m_isRunning = false;
        m_next.Cancel();
    }

  private:
    /** Set the capacities to the present rate. */
    void Apply()
    {
        const Time now = Simulator::Now();
        m_rate.Advance(now);
        for (const auto& [link, end] : m_links)
        {
            m_network->SetCapacity(link, now < end ? m_rate.GetValue() / 8 : 0);
        }
        if (m_rate.GetNextTime() < Time::Max())
        {
            // Not a Ptr, which m_next would hold forever.
            m_next = Simulator::Schedule(m_rate.GetNextTime() - now, &CapacityReplay::Apply, this);
        }
    }

    Ptr<FlowNetwork> m_network;                     //!< the links' network
    StepCursor m_rate;                              //!< bit/s
    std::vector<std::pair<uint32_t, Time>> m_links; //!< links, and when they go dead
    bool m_isRunning{false};                        //!< whether the rate is followed
    EventId m_next;                                 //!< calls Apply
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_CAPACITY_REPLAY_H */
