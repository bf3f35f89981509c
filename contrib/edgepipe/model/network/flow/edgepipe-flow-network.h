/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FLOW_NETWORK_H
#define EDGEPIPE_FLOW_NETWORK_H

#include "ns3/callback.h"
#include "ns3/edgepipe-flow-bundle.h"
#include "ns3/edgepipe-max-min-sharing.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <boost/heap/d_ary_heap.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Flows in the order in which they finish. Set and Remove take O(log n), GetFirst takes O(1).
 */
class FinishQueue
{
  public:
    /** A flow and when it finishes. */
    struct Item
    {
        int64_t time;  //!< finish time, ns
        uint64_t rank; //!< breaks ties: the lowest is first
        uint32_t flow; //!< the flow
    };

    /**
     * Insert a flow, or change its time.
     * @param item the flow and its time
     */
    void Set(const Item& item)
    {
        m_handles.resize(std::max<std::size_t>(m_handles.size(), item.flow + 1));
        auto& handle = m_handles[item.flow];
        if (handle)
        {
            m_heap.update(*handle, item);
        }
        else
        {
            handle = m_heap.push(item);
        }
    }

    /**
     * Remove a flow if it is present.
     * @param flow the flow
     */
    void Remove(uint32_t flow)
    {
        if (Contains(flow))
        {
            m_heap.erase(*m_handles[flow]);
            m_handles[flow].reset();
        }
    }

    /**
     * @param flow a flow
     * @return whether it is present
     */
    bool Contains(uint32_t flow) const
    {
        return flow < m_handles.size() && m_handles[flow];
    }

    /** @return whether there are no flows */
    bool IsEmpty() const
    {
        return m_heap.empty();
    }

    /** @return the flow that finishes first; the queue must not be empty */
    const Item& GetFirst() const
    {
        return m_heap.top();
    }

  private:
    /** Orders the heap: the first is on top. */
    struct ComesLater
    {
        /// @return whether a comes after b
        bool operator()(const Item& a, const Item& b) const
        {
            return std::tie(a.time, a.rank) > std::tie(b.time, b.rank);
        }
    };

    using Heap = boost::heap::d_ary_heap<Item,
                                         boost::heap::arity<4>,
                                         boost::heap::mutable_<true>,
                                         boost::heap::compare<ComesLater>>;

    Heap m_heap;                                             //!< the items
    std::vector<std::optional<Heap::handle_type>> m_handles; //!< by flow; empty if not in the heap
};

/**
 * @ingroup edgepipe
 *
 * Flows of bytes over links of changing capacity, in ns-3's event loop.
 *
 * Rates are those of MaxMinSharing. A link is a wire (capacity in bytes/s, weight 1) or a shared
 * medium (capacity in seconds of use per second, weight in seconds per byte). Usable capacity
 * depends on present use: a shared medium may lose some with the number of flows, and a wire some
 * to the acknowledgements of flows in the other direction.
 *
 * All changes at one instant lead to one update of the rates, except starts that touch few flows,
 * which update them at once. One ns-3 event is pending, for the flow that finishes first, whatever
 * the number of flows.
 *
 * Many flows that one link limits, and that have all their other links to themselves, are one flow
 * in the sharing (FlowBundle), and those that one bound then holds another one, so that a change on
 * a full link does not touch every flow on it.
 */
class FlowNetwork : public Object
{
  public:
    /// Called with a flow's owner when its last byte has entered its last link. The flow no longer
    /// exists then. New flows may be started.
    using FinishedCallback = Callback<void, uint32_t /* owner */>;

    /// Called with a flow's owner when its remaining bytes have fallen to its mark.
    using MarkCallback = Callback<void, uint32_t /* owner */>;

    /// Called with a link whose capacity has just been set to another than before.
    using CapacityCallback = Callback<void, uint32_t /* link */, double /* before */>;

    /// A link that a flow crosses.
    using Use = MaxMinSharing::Use;
    /// All links that a flow crosses.
    using Uses = MaxMinSharing::Uses;

    /**
     * @param finished called for every flow that finishes
     */
    void SetFinishedCallback(FinishedCallback finished)
    {
        m_finished = finished;
    }

    /**
     * @param reached called whenever a flow reaches its mark
     */
    void SetMarkCallback(MarkCallback reached)
    {
        m_reached = reached;
    }

    /**
     * @param changed called whenever a link's capacity changes
     */
    void SetCapacityCallback(CapacityCallback changed)
    {
        m_changed = changed;
    }

    /**
     * @param capacity bytes/s of a wire, or seconds per second of a shared medium, >= 0
     * @return the new link; links are numbered from 0
     */
    uint32_t AddLink(double capacity);

    /**
     * Make two links the directions of one wire.
     *
     * @param a a link
     * @param b the link the other way
     * @param share acknowledgement bytes per byte that flows the other way; while both directions
     *        carry flows, each loses this share of the capacity that the other's flows can use,
     *        given their other links, at most half its own; none carries more than the other
     *        has capacity to acknowledge
     */
    void SetDuplex(uint32_t a, uint32_t b, double share);

    /// Share of a medium's capacity that is usable with a number of flows, at least one.
    using Efficiency = std::function<double(std::size_t flows)>;

    /**
     * @param link a shared medium
     * @param efficiency its usable capacity relative to the one set, > 0
     * @param also another link on whose flows the efficiency depends
     */
    void SetEfficiency(uint32_t link, Efficiency efficiency, uint32_t also = MaxMinSharing::NONE);

    /**
     * Let a flow send more than it was started with.
     *
     * @param flow a flow
     * @param bytes in addition, >= 0
     */
    void Extend(uint32_t flow, double bytes);

    /**
     * Change a capacity, at once.
     *
     * @param link a link
     * @param capacity as in AddLink
     */
    void SetCapacity(uint32_t link, double capacity);

    /**
     * Reserve part of a capacity; flows share the rest.
     *
     * @param link a link
     * @param amount capacity to reserve in addition, as in AddLink; negative: to release
     */
    void Reserve(uint32_t link, double amount);

    /**
     * @param link a link
     * @return its capacity as set, less what is reserved
     */
    double GetCapacity(uint32_t link) const
    {
        return m_links[link].capacity;
    }

    /**
     * @param link a link
     * @return the other direction of its wire, MaxMinSharing::NONE if it has none
     */
    uint32_t GetReverse(uint32_t link) const
    {
        return m_links[link].reverse;
    }

    /**
     * @param link a link
     * @param place from 0 to below the number of flows over it
     * @return the owner of a flow that crosses it
     */
    uint32_t GetOwner(uint32_t link, std::size_t place) const
    {
        return m_flows[m_links[link].entries[place].flow].owner;
    }

    /**
     * @param link a link
     * @return how many flows cross it
     */
    std::size_t GetFlowCount(uint32_t link) const
    {
        return m_links[link].entries.size();
    }

    /**
     * @param least number of flows on a link from which on they are bundled
     */
    void SetLeastBundle(std::size_t least)
    {
        m_leastBundle = least;
    }

    /**
     * Start a flow.
     *
     * @param uses the links it crosses, each once
     * @param bytes its size, > 0
     * @param bound highest rate, bytes/s, > 0
     * @param owner passed to the callback
     * @return the flow, until it finishes
     */
    uint32_t StartFlow(const Uses& uses, double bytes, double bound, uint32_t owner);

    /**
     * Start a flow without an owner, which takes its share until it finishes and is not reported.
     *
     * @param use the link it crosses, not a direction of a wire
     * @param bytes its size, > 0; infinite: it never ends
     */
    void StartOwnFlow(const Use& use, double bytes)
    {
        StartFlow({use}, bytes, MaxMinSharing::UNBOUNDED, UNTOLD);
    }

    /**
     * Remove a flow before it has finished; it is not reported.
     *
     * @param flow a flow; invalid afterwards
     */
    void StopFlow(uint32_t flow);

    /**
     * @param flow a flow
     * @param link a link that it crosses
     * @param weight how much of the link's capacity a rate of 1 takes, > 0
     */
    void SetWeight(uint32_t flow, uint32_t link, double weight);

    /**
     * @param flow a flow
     * @param bound highest rate, bytes/s, > 0
     */
    void SetBound(uint32_t flow, double bound);

    /**
     * Call the mark callback once, when a flow's remaining bytes fall to a mark; replaces its
     * previous mark.
     *
     * @param flow a flow
     * @param remaining bytes, above 0 and below what it has yet to move
     */
    void SetMark(uint32_t flow, double remaining);

    /**
     * @param flow a flow
     * @return its present rate, bytes/s
     */
    double GetRate(uint32_t flow);

    /**
     * @param flow a flow
     * @return bytes that it has yet to move
     */
    double GetRemaining(uint32_t flow) const
    {
        return GetRemaining(flow, Simulator::Now().GetNanoSeconds());
    }

    /**
     * @param flow a flow
     * @param now the present time, ns, for callers with many flows
     * @return bytes that it has yet to move
     */
    double GetRemaining(uint32_t flow, int64_t now) const
    {
        const Flow& one = m_flows[flow];
        const double sent = one.bundle == MaxMinSharing::NONE
                                ? one.rate * (1e-9 * (now - one.since))
                                : one.group->GetClock(now);
        return std::max(0.0, one.remaining - sent);
    }

    /**
     * @param flow a flow
     * @return its rate by the last update, bytes/s
     */
    double GetLastRate(uint32_t flow) const
    {
        const Flow& one = m_flows[flow];
        return one.bundle == MaxMinSharing::NONE ? one.rate : one.group->GetRate();
    }

    /** @return whether some flow moves at present */
    bool IsMoving() const
    {
        return !m_queue.IsEmpty() || !m_bundleQueue.IsEmpty();
    }

    /** @return how many rates were found so far, a measure of what updates cost */
    uint64_t GetVisits() const
    {
        return m_sharing.GetVisits();
    }

  protected:
    void DoDispose() override;

  private:
    /// Owner of flows whose end is not reported.
    static constexpr uint32_t UNTOLD = UINT32_MAX;
    /// m_dueTime if nothing is scheduled, ns.
    static constexpr int64_t NEVER = INT64_MAX;

    /** A flow on a link. */
    struct Entry
    {
        uint32_t flow; //!< the flow
        uint32_t hop;  //!< index of the link in the flow's hops
    };

    /** A link. */
    struct Link
    {
        double offered{0};                      //!< its capacity as set
        double capacity{0};                     //!< as set, less what is reserved
        double reserved{0};                     //!< part of `offered`
        double share{0};                        //!< see SetDuplex
        uint32_t reverse{MaxMinSharing::NONE};  //!< the link the other way, or MaxMinSharing::NONE
        uint32_t follower{MaxMinSharing::NONE}; //!< medium whose efficiency depends on this link
        bool isStale{false};                    //!< whether its capacity may have changed
        /// A flow of a bundle that has this link to itself, or MaxMinSharing::NONE
        uint32_t bundled{MaxMinSharing::NONE};
        boost::container::small_vector<Entry, 2> entries{}; //!< the flows that cross it
    };

    /** A flow. */
    struct Flow
    {
        double remaining;   //!< bytes left at `since`, or at its group's clock of 0
        double rate;        //!< bytes/s since then, but for those in a bundle
        int64_t since;      //!< ns
        uint64_t rank;      //!< how many flows were started before
        uint32_t owner;     //!< for the callbacks
        double bound;       //!< highest rate as set, bytes/s
        uint32_t member{0}; //!< its number in the sharing, but for those in a bundle
        uint32_t bundle{MaxMinSharing::NONE}; //!< link of its bundle, MaxMinSharing::NONE: in none
        FlowBundle::Group* group{nullptr};    //!< in a bundle, its group
        double alarm{0};                      //!< in a bundle, its alarm
        MaxMinSharing::Hops hops{};           //!< the links it crosses
    };

    /// Marks a bundle's link among m_owners, of those within and of groups of their own.
    static constexpr uint32_t IS_BUNDLE = 1U << 31;

    /**
     * Add a flow, or what stands for a bundle, to the sharing.
     *
     * @param uses the links it crosses
     * @param bound its highest rate, bytes/s
     * @param owner the flow, or IS_BUNDLE and the bundle's link
     * @return its number there
     */
    uint32_t AddMember(const Uses& uses, double bound, uint32_t owner);
    /**
     * @param number a flow whose rate is new
     * @return the link of the bundle that it could join, MaxMinSharing::NONE if none
     */
    uint32_t FindBundle(uint32_t number) const;
    /**
     * @param number a flow that its bottleneck limits
     * @param link the bottleneck
     */
    void Join(uint32_t number, uint32_t link);
    /**
     * Take a flow out of its bundle.
     * @param number a flow
     */
    void Withdraw(uint32_t number);
    /**
     * Let a flow of a bundle have a rate of its own again.
     * @param number a flow; nothing happens unless it is in a bundle
     */
    void Part(uint32_t number);
    /**
     * @param flow a flow
     * @param link of its bundle, present or future
     * @return its highest rate by all but that link, bytes/s
     */
    double GetLimit(const Flow& flow, uint32_t link) const;
    /**
     * Give a flow an alarm in a group.
     *
     * @param number a flow in no group, whose `remaining` is current
     * @param bundle of the group
     * @param group the group
     */
    void Enlist(uint32_t number, FlowBundle& bundle, FlowBundle::Group& group);
    /**
     * Take a flow out of its group, which may be gone then; its `remaining` becomes current.
     * @param number a flow
     */
    void Delist(uint32_t number);
    /**
     * Let a group run by a clock of its own, since its bound holds it.
     *
     * @param link of the bundle
     * @param group within it
     */
    void Release(uint32_t link, FlowBundle::Group& group);
    /**
     * Let a group run by the bundle's clock, since the link limits it.
     * @param member its number in the sharing
     */
    void Admit(uint32_t member);
    /**
     * Tell the sharing about the flows within a bundle, and queue it for their first alarm.
     * @param link of the bundle
     */
    void UpdateBundle(uint32_t link);
    /**
     * Queue those within a bundle, or a group of its own, for the first alarm.
     * @param member their number in the sharing
     */
    void EnqueueBundle(uint32_t member);
    /**
     * @param member number in the sharing, of a bundle or a group of its own
     * @return the bundle, and the group; null: those within
     */
    std::pair<const FlowBundle*, const FlowBundle::Group*> FindOwner(uint32_t member) const;
    /** @return when the first flow is due, ns; NEVER: none is */
    int64_t GetFirst() const;
    /**
     * Take the flows that are due out of the queues.
     *
     * @param now ns
     * @return the flows, by time and rank
     */
    std::vector<FinishQueue::Item> TakeDue(int64_t now);

    /**
     * Mark a link's capacity as stale if it may depend on its flows.
     * @param link a link
     */
    void NoticeUse(uint32_t link);
    /** Schedule one update of the rates at this instant. */
    void RequestUpdate();
    /** Update the rates. */
    void Update();
    /**
     * Queue a flow for the time of its mark, or else of its end.
     * @param number a flow whose `remaining` and `since` are current
     */
    void Enqueue(uint32_t number);
    /**
     * @param link a wire
     * @return the part of its capacity that its flows can use, given their other links, bytes/s
     */
    double GetUsableCapacity(uint32_t link) const;
    /** Pass the capacities of stale links to the sharing. */
    void UpdateCapacities();
    /** Finish the flows that are due. */
    void Finish();
    /**
     * Schedule Finish for when the first flow is due.
     * @param now the present time
     */
    void Arm(const Time& now);

    MaxMinSharing m_sharing;   //!< the rates
    FinishQueue m_queue;       //!< moving flows, but bundles'
    FinishQueue m_bundleQueue; //!< moving bundles and groups, by number in the sharing
    std::unordered_map<uint32_t, FlowBundle> m_bundles; //!< by link
    /// Groups of their own, by number in the sharing
    std::unordered_map<uint32_t, FlowBundle::Group*> m_groups;
    std::size_t m_leastBundle{32};  //!< see SetLeastBundle
    std::vector<uint32_t> m_owners; //!< by number in the sharing: see AddMember
    std::vector<uint32_t> m_free;   //!< numbers of flows that have ended
    std::vector<Link> m_links;      //!< by number
    std::unordered_map<uint32_t, Efficiency> m_efficiencies; //!< by shared medium
    std::vector<bool> m_isVariable; //!< by link: whether its capacity may depend on its use
    std::vector<Flow> m_flows;      //!< by number
    std::vector<uint32_t> m_stale;  //!< links whose capacity may have changed
    FinishedCallback m_finished;    //!< for every flow that finishes
    MarkCallback m_reached;         //!< for every mark
    CapacityCallback m_changed;     //!< for every change of a capacity
    std::unordered_map<uint32_t, double> m_marks; //!< bytes left, by flow with a mark
    uint64_t m_started{0};                        //!< flows started so far
    bool m_isUpdateRequested{false};              //!< whether an Update is pending at this instant
    EventId m_due;                                //!< calls Finish
    int64_t m_dueTime{NEVER};                     //!< when, ns
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_FLOW_NETWORK_H */
