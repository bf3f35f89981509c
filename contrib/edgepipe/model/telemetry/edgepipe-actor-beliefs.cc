/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-actor-beliefs.h"

#include "ns3/abort.h"
#include "ns3/edgepipe-actor-plan.h"

#include <iterator>

namespace ns3
{
namespace edgepipe
{

ActorBeliefs::ActorBeliefs(MultiActorModel model,
                           std::map<uint32_t, MultiActor> idle,
                           const std::vector<PlanChangeRecord>& changes)
    : m_model(std::move(model)),
      m_idle(std::move(idle))
{
    for (const auto& change : changes)
    {
        for (const auto& told : change.told)
        {
            m_told[told.actor][change.inForce] = told;
        }
        m_shares[change.inForce] = change.serverShare;
    }
}

const std::vector<MultiActorCut>&
ActorBeliefs::GetCuts(uint32_t actor, const Time& begun)
{
    const auto& all = m_told.at(actor);
    const auto after = all.upper_bound(begun);
    NS_ABORT_MSG_IF(after == all.begin(), "actor " << actor << " steps before it has joined");
    const auto told = std::prev(after);
    const auto share = std::prev(m_shares.upper_bound(begun));
    const auto since = std::make_pair(told->first, share->first);
    auto& [known, cuts] = m_cuts[actor];
    if (cuts.empty() || known != since)
    {
        known = since;
        MultiActor now = GetLoadedActor(m_idle.at(actor), told->second.share);
        now.bytesPerSecond = told->second.bytesPerSecond;
        cuts = ListMultiActorCuts(GetLoadedModel(m_model, share->second), now);
    }
    return cuts;
}

} // namespace edgepipe
} // namespace ns3
