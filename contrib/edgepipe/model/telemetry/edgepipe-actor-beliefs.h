/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_BELIEFS_H
#define EDGEPIPE_ACTOR_BELIEFS_H

#include "ns3/edgepipe-actor-record.h"
#include "ns3/edgepipe-multi-actor-cut.h"
#include "ns3/edgepipe-multi-actor-problem.h"
#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * What eq. 6 says of a step's cut, by what the server knew when the step began: the actor's link
 * and load, and the server's, as of the latest plan in force.
 */
class ActorBeliefs
{
  public:
    /**
     * @param model the network and the idle server
     * @param idle what idle actors can do, by id of their nodes; their links do not matter
     * @param changes of a run, in the order of their being in force
     */
    ActorBeliefs(MultiActorModel model,
                 std::map<uint32_t, MultiActor> idle,
                 const std::vector<PlanChangeRecord>& changes);

    /**
     * @param actor id of its node, which has joined before
     * @param begun when its step began
     * @return what cutting at each layer means for it, see ListMultiActorCuts
     */
    const std::vector<MultiActorCut>& GetCuts(uint32_t actor, const Time& begun);

  private:
    MultiActorModel m_model;                              //!< the network and the idle server
    std::map<uint32_t, MultiActor> m_idle;                //!< by actor
    std::map<uint32_t, std::map<Time, ActorTold>> m_told; //!< by actor and when in force
    std::map<Time, double> m_shares;                      //!< of the server, by when in force
    /// By actor: since when the two in force hold, and what they come to.
    std::map<uint32_t, std::pair<std::pair<Time, Time>, std::vector<MultiActorCut>>> m_cuts;
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ACTOR_BELIEFS_H */
