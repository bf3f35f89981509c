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
 * Follows a changing value with one pending event. It costs nothing while it is stopped.
 */
class StepReplay : public SimpleRefCount<StepReplay>
{
  public:
    /** @param steps the value */
    explicit StepReplay(std::unique_ptr<StepSource> steps)
        : m_steps(std::move(steps))
    {
    }

    virtual ~StepReplay()
    {
        Stop();
    }

    // An event holds this object's address.
    StepReplay(const StepReplay&) = delete;
    StepReplay& operator=(const StepReplay&) = delete;

    /** Follow the value from now on. */
    void Start()
    {
        if (!m_isRunning)
        {
            m_isRunning = true;
            Follow();
        }
    }

    /** Stop following the value, while it is not in use. */
    void Stop()
    {
        m_isRunning = false;
        m_next.Cancel();
    }

    /** @return the present value */
    double GetValue()
    {
        m_steps.Advance(Simulator::Now());
        return m_steps.GetValue();
    }

  private:
    /**
     * Use a value from now on.
     * @param value the present one
     */
    virtual void Apply(double value) = 0;

    /** Apply the present value, and wait for the next. */
    void Follow()
    {
        Apply(GetValue());
        if (m_steps.GetNextTime() < Time::Max())
        {
            // Not a Ptr, which m_next would hold forever.
            m_next = Simulator::Schedule(m_steps.GetNextTime() - Simulator::Now(),
                                         &StepReplay::Follow,
                                         this);
        }
    }

    StepCursor m_steps;      //!< the value
    bool m_isRunning{false}; //!< whether it is followed
    EventId m_next;          //!< calls Follow
};

/**
 * @ingroup edgepipe
 *
 * Makes links of a FlowNetwork follow a changing rate.
 */
class CapacityReplay : public StepReplay
{
  public:
    /**
     * @param network the links' network
     * @param bitsPerSecond the rate
     */
    CapacityReplay(Ptr<FlowNetwork> network, std::unique_ptr<StepSource> bitsPerSecond)
        : StepReplay(std::move(bitsPerSecond)),
          m_network(network)
    {
    }

    /**
     * Add a link to the network that follows the rate.
     *
     * @param end when the link goes dead
     * @return the link
     */
    uint32_t AddLink(const Time& end = Time::Max())
    {
        const uint32_t link = m_network->AddLink(GetValue() / 8);
        m_links.emplace_back(link, end);
        return link;
    }

  private:
    void Apply(double bitsPerSecond) override
    {
        for (const auto& [link, end] : m_links)
        {
            m_network->SetCapacity(link, Simulator::Now() < end ? bitsPerSecond / 8 : 0);
        }
    }

    Ptr<FlowNetwork> m_network;                     //!< the links' network
    std::vector<std::pair<uint32_t, Time>> m_links; //!< links, and when they go dead
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_CAPACITY_REPLAY_H */
