/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_MAX_MIN_SHARING_H
#define EDGEPIPE_MAX_MIN_SHARING_H

#include <boost/container/small_vector.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Max-min fair rates of flows over links, kept up to date as flows and capacities change.
 *
 * Flow f runs at rate x_f and takes a_lf * x_f of link l, whose capacity is c_l. Rates are feasible
 * (sum over f of a_lf * x_f <= c_l for every link, x_f <= bound of f) and max-min fair: every flow
 * is at its bound or has a *bottleneck*, a saturated link on which no flow is faster. Such rates
 * exist, and there is one solution (Bertsekas and Gallager, Data Networks, 2nd ed., section 6.5.2,
 * with weights).
 *
 * Update is incremental. It takes the flows that are new or whose bottleneck has changed, and fills
 * them progressively while all others keep their rates. It then checks each touched link for flows
 * that have lost their bottleneck or are faster than the link allows. Those are taken too and it
 * repeats; when there are none, every flow has a bottleneck, and the rates equal those of a
 * computation from scratch. With k flows taken in the end, a pass costs O(k log k): a link that
 * many flows cross keeps their load as a sum, and their rates in a heap. After MAX_PASSES passes
 * the whole connected component is taken at once, so a change costs at most O(N log N) for the N
 * uses of links in the component. Flows elsewhere cost nothing.
 */
class MaxMinSharing
{
  public:
    /// Stands for no link.
    static constexpr uint32_t NONE = std::numeric_limits<uint32_t>::max();
    /// No bound.
    static constexpr double UNBOUNDED = std::numeric_limits<double>::infinity();

    /** A link that a flow crosses. */
    struct Use
    {
        uint32_t link; //!< the link
        double weight; //!< how much of its capacity a rate of 1 takes, > 0
    };

    /// The links that a flow crosses, mostly one up and one down.
    using Uses = boost::container::small_vector<Use, 2>;

    /** A link as a flow sees it. */
    struct Hop
    {
        uint32_t link;  //!< the link
        uint32_t entry; //!< the flow's place among those of the link
        double weight;  //!< as in Use
    };

    /// The links as a flow sees them.
    using Hops = boost::container::small_vector<Hop, 2>;

    /**
     * @param capacity >= 0
     * @return the new link; links are numbered from 0
     */
    uint32_t AddLink(double capacity);

    /**
     * @param link the link
     * @param capacity >= 0
     */
    void SetCapacity(uint32_t link, double capacity);

    /**
     * @param link a link
     * @return its capacity
     */
    double GetCapacity(uint32_t link) const
    {
        return m_links[link].capacity;
    }

    /**
     * Add a flow; its rate is 0 until the next Update.
     *
     * @param uses the links it crosses, each once, at least one
     * @param bound highest rate, > 0
     * @return the flow; numbers of removed flows are used again
     */
    uint32_t AddFlow(const Uses& uses, double bound = UNBOUNDED);

    /**
     * @param flow a flow; invalid afterwards
     */
    void RemoveFlow(uint32_t flow);

    /**
     * @param flow a flow
     * @param bound highest rate, > 0
     * @return whether rates may change
     */
    bool SetBound(uint32_t flow, double bound);

    /**
     * @param flow a flow
     * @param link a link that it crosses
     * @param weight as in Use, > 0
     */
    void SetWeight(uint32_t flow, uint32_t link, double weight);

    /**
     * @param flow a flow
     * @return its rate by the last Update
     */
    double GetRate(uint32_t flow) const
    {
        return m_flows[flow].rate;
    }

    /**
     * @param flow a flow
     * @return the link that limits its rate, NONE if its bound does
     */
    uint32_t GetBottleneck(uint32_t flow) const
    {
        return m_flows[flow].bottleneck;
    }

    /**
     * @param flow a flow
     * @return the links it crosses
     */
    const Hops& GetHops(uint32_t flow) const
    {
        return m_flows[flow].hops;
    }

    /**
     * Update the rates.
     *
     * @return the flows whose rate has changed, valid until the next call
     */
    const std::vector<uint32_t>& Update();

    /**
     * @return flows taken by Update so far, once per pass, and those of long links that were
     *         walked: a measure of its cost
     */
    uint64_t GetVisits() const
    {
        return m_visits;
    }

  private:
    /// Passes over a growing set of flows before the whole component is taken.
    static constexpr int MAX_PASSES = 6;

    /** A flow on a link. */
    struct Entry
    {
        uint32_t flow; //!< the flow
        uint32_t use;  //!< index of the link in the flow's uses
        double weight; //!< as in Use
    };

    /** A sum that stays exact to a rounding, however often it changes (A. Neumaier, 1974). */
    class Sum
    {
      public:
        /** @param term to be added */
        void Add(double term)
        {
            const double sum = m_sum + term;
            m_lost += std::abs(m_sum) >= std::abs(term) ? m_sum - sum + term : term - sum + m_sum;
            m_sum = sum;
        }

        /** @return the sum */
        double Get() const
        {
            return m_sum + m_lost;
        }

      private:
        double m_sum{0};  //!< of the terms, rounded
        double m_lost{0}; //!< by rounding
    };

    /// Rates and flows; a heap, where in use.
    using Levels = std::vector<std::pair<double, uint32_t>>;

    /** A link. */
    struct Link
    {
        double capacity;       //!< as set
        uint32_t mark{0};      //!< number of the last update that touched it
        bool isDirty{false};   //!< changed since the last update
        bool isCrowded{false}; //!< whether it keeps a load and rates
        boost::container::small_vector<Entry, 2> entries; //!< the flows that cross it
        std::vector<uint32_t> limited; //!< flows whose bottleneck it is by the last update
        Sum load;                      //!< if crowded: what its flows take by the last update
        Levels rates; //!< if crowded: of its flows and others before, the fastest on top
    };

    /** A link while rates are being filled. */
    struct Filling
    {
        double residual;  //!< capacity that is left
        double weight;    //!< of the flows without a rate yet
        double summed;    //!< weight when last summed anew
        uint32_t waiting; //!< number of flows without a rate yet
        uint32_t taken;   //!< number of flows that get a new rate
    };

    /** A flow. */
    struct Flow
    {
        double rate{0};                //!< by the last update
        double bound{UNBOUNDED};       //!< highest rate
        double next{0};                //!< by the present update
        uint32_t bottleneck{NONE};     //!< by the last update
        uint32_t nextBottleneck{NONE}; //!< by the present update
        uint32_t place{0};             //!< among those that its bottleneck limits
        uint32_t mark{0};              //!< number of the last update that took it
        bool isWaiting{false};         //!< while filling: has no rate yet
        Hops hops;                     //!< the links it crosses
    };

    /**
     * @param link changed since the last update
     */
    void MarkDirty(uint32_t link);
    /**
     * Add a flow to those whose rates are computed.
     * @param flow a flow
     */
    void AddToUpdate(uint32_t flow);
    /**
     * Count the flows of a link that is walked, if they are many.
     * @param link the link
     */
    void NoteWalk(const Link& link) const;
    /**
     * Visit the flows of a link that are taken.
     *
     * @param link a link
     * @param visit called with each and its weight
     */
    template <typename Visit>
    void ForTaken(uint32_t link, Visit visit) const;
    /** Compute the rates of the flows taken; all others keep theirs. */
    void Fill();
    /**
     * @param flow a flow taken
     * @param rate its new rate
     * @param bottleneck the link that limits it, NONE if its bound does
     */
    void Fix(uint32_t flow, double rate, uint32_t bottleneck);
    /**
     * Take the flows of a link whose rates are no longer max-min fair; of a crowded one, the
     * fastest.
     *
     * @param link a touched link
     * @param most flows of a crowded link to take for being too fast
     */
    void Check(uint32_t link, std::size_t most);
    /**
     * Find out whether a link is crowded, after a change of its flows.
     * @param link the link
     */
    void Recount(Link& link);
    /**
     * List the rates of a crowded link anew, without outdated ones.
     * @param link the link
     */
    void ListRates(Link& link) const;
    /**
     * Note a rate on the crowded links of a flow.
     *
     * @param flow a flow
     * @param change of its rate
     */
    void NoteRate(uint32_t flow, double change);
    /**
     * @param flow a flow
     * @param bottleneck that now limits it
     */
    void SetBottleneck(uint32_t flow, uint32_t bottleneck);
    /**
     * Drop what is outdated from the top of a crowded link's rates.
     *
     * @param link the link
     * @return whether any flow is left that is not taken: the one on top
     */
    bool FindFastest(uint32_t link);

    std::vector<Link> m_links;       //!< by number
    std::vector<Filling> m_fillings; //!< by link
    std::vector<Flow> m_flows;       //!< by number
    std::vector<uint32_t> m_free;    //!< numbers of removed flows
    std::vector<uint32_t> m_dirty;   //!< links changed since the last update
    std::vector<uint32_t> m_fresh;   //!< flows that are new or whose bound changed
    uint32_t m_epoch{0};             //!< number of the present update
    mutable uint64_t m_visits{0};    //!< see GetVisits

    std::size_t m_waiting{0};        //!< while filling: flows without a rate
    std::vector<uint32_t> m_taken;   //!< flows taken by this update
    std::vector<uint32_t> m_touched; //!< links they cross, and the dirty ones
    Levels m_levels;                 //!< while filling: a heap of links
    Levels m_bounds;                 //!< while filling: flows by their bounds
    std::vector<uint32_t> m_changed; //!< what Update returns
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_MAX_MIN_SHARING_H */
