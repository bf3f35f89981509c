/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_RANDOM_STREAMS_H
#define EDGEPIPE_RANDOM_STREAMS_H

#include "ns3/abort.h"
#include "ns3/integer.h"
#include "ns3/object-factory.h"
#include "ns3/ptr.h"

#include <cstddef>
#include <cstdint>

namespace ns3::edgepipe
{

/** Random variable streams kept for one user of random numbers. */
struct StreamRange
{
    int64_t first; //!< number of the first stream
    int64_t count; //!< how many

    /**
     * @param index of a stream, 0 to count - 1
     * @return its number
     */
    int64_t Get(int64_t index) const
    {
        NS_ABORT_MSG_UNLESS(index >= 0 && index < count,
                            "random stream " << index << " of " << count << " from " << first);
        return first + index;
    }
};

/**
 * The only table of the users of ns-3's random variable streams.
 *
 * A new user of random numbers takes a range of its own and enters it in ALL. Streams that ns-3
 * assigns automatically are not used, since their numbers depend on objects created before.
 */
namespace random_streams
{

constexpr StreamRange PIPELINE_PLANNER{0, 700};             //!< planners of pipelines
constexpr StreamRange PLAN_SEARCH{700, 100};                //!< kicks of PlanSearch
constexpr StreamRange TWO_WAY_CUT_PLANNER{800, 50};         //!< planners of two-way cuts
constexpr StreamRange MULTI_ACTOR_PLANNER{850, 50};         //!< planners of many actors' cuts
constexpr StreamRange BATCH_SHARES_PLANNER{900, 100};       //!< planners of batch shares
constexpr StreamRange NETWORK{1000, 899000};                //!< packet-level networks
constexpr StreamRange ACTOR_CHURN{900000, 10};              //!< when actors join and leave
constexpr StreamRange ACTOR_SPEED{900010, 10};              //!< speeds of actors
constexpr StreamRange CAMERA_PHASE{900020, 10};             //!< times of cameras' first frames
constexpr StreamRange FLOW_LOSS{900030, 10};                //!< packets lost at flow level
constexpr StreamRange LANGUAGE_PLANNER{900040, 10};         //!< planners of language models
constexpr StreamRange LANGUAGE_REQUESTS{900050, 10};        //!< when requests arrive
constexpr StreamRange LANGUAGE_ACCEPTANCE{900060, 10};      //!< whether drafts are right
constexpr StreamRange FIDELITY_DRAW{910000, 40000};         //!< combinations to compare, by seed
constexpr StreamRange MULTI_ACTOR_PROBLEM{950000, 50000};   //!< random planning problems
constexpr StreamRange MOBILITY{1000000, 1000000000};        //!< the devices' paths
constexpr StreamRange ENVIRONMENT{2000000000, 1000000000};  //!< actors' environments, one each
constexpr StreamRange COST_DRAW{3000000000, 1000000000};    //!< layer costs, by type of device
constexpr StreamRange LAYER_REPLAY{4000000000, 1000000000}; //!< blocks of recorded passes, by node

/// All of the above.
constexpr StreamRange ALL[] = {PIPELINE_PLANNER,
                               PLAN_SEARCH,
                               TWO_WAY_CUT_PLANNER,
                               MULTI_ACTOR_PLANNER,
                               BATCH_SHARES_PLANNER,
                               NETWORK,
                               ACTOR_CHURN,
                               ACTOR_SPEED,
                               CAMERA_PHASE,
                               FLOW_LOSS,
                               LANGUAGE_PLANNER,
                               LANGUAGE_REQUESTS,
                               LANGUAGE_ACCEPTANCE,
                               FIDELITY_DRAW,
                               MULTI_ACTOR_PROBLEM,
                               MOBILITY,
                               ENVIRONMENT,
                               COST_DRAW,
                               LAYER_REPLAY};

/**
 * @tparam N how many
 * @param ranges streams of several users
 * @return whether no range is empty and no two ranges overlap
 */
template <std::size_t N>
constexpr bool
AreDisjoint(const StreamRange (&ranges)[N])
{
    for (std::size_t i = 0; i < N; ++i)
    {
        for (std::size_t j = 0; j < i; ++j)
        {
            if (ranges[i].first < ranges[j].first + ranges[j].count &&
                ranges[j].first < ranges[i].first + ranges[i].count)
            {
                return false;
            }
        }
        if (ranges[i].first < 0 || ranges[i].count <= 0)
        {
            return false;
        }
    }
    return true;
}

static_assert(AreDisjoint(ALL), "two users of random numbers share a stream");

} // namespace random_streams

/**
 * @tparam T a RandomVariableStream
 * @param stream number of its stream
 * @return a new variable on that stream, which never takes an automatic stream of ns-3
 */
template <typename T>
Ptr<T>
MakeRandomVariable(int64_t stream)
{
    ObjectFactory factory(T::GetTypeId().GetName(), "Stream", IntegerValue(stream));
    return factory.Create<T>();
}

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_RANDOM_STREAMS_H */
