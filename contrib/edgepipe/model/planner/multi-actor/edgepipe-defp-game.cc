/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-defp-game.h"

#include "ns3/assert.h"

#include <algorithm>
#include <limits>

namespace ns3::edgepipe
{

namespace
{

/// Size of DefpGame::m_unmoved.
constexpr std::size_t UNMOVED = 512;
/// Relative gain that a replay needs to be adopted.
constexpr double ADVANTAGE = 0.01;
/// No player's kind and choice.
constexpr auto NOBODY = std::numeric_limits<uint64_t>::max();

} // namespace

DefpGame::DefpGame(const MultiActorModel& model,
                   const MultiActorLimits& limits,
                   const DefpRules& rules)
    : m_model(model),
      m_rules(rules),
      m_limits(limits),
      m_free(limits)
{
}

void
DefpGame::Join(const std::vector<MultiActor>& actors)
{
    for (const MultiActor& actor : actors)
    {
        const auto cuts = ListUsefulMultiActorCuts(m_model, actor);
        JoinAs(m_next++, cuts, GetKind(cuts));
    }
    Replay();
}

void
DefpGame::JoinAs(uint64_t id, std::vector<MultiActorCut> cuts, uint64_t kind)
{
    const std::size_t local = cuts.size() - 1;
    m_members.push_back({id, {std::move(cuts), local}, kind, false});
    MeetAll(m_members.size() - 1);
    RerunWaiting();
}

uint64_t
DefpGame::GetKind(const std::vector<MultiActorCut>& cuts)
{
    if (m_kinds.size() > 2 * m_members.size())
    {
        m_kinds.clear(); // most are outdated
    }
    std::vector<std::pair<std::size_t, double>> key;
    for (const MultiActorCut& cut : cuts)
    {
        key.emplace_back(cut.cut, cut.reductionSeconds);
    }
    const auto [kind, isNew] = m_kinds.emplace(std::move(key), m_nextKind);
    m_nextKind += isNew;
    return kind->second;
}

void
DefpGame::Change(const MultiActorModel& model,
                 const std::vector<MultiActor>& actors,
                 std::vector<std::size_t> changed)
{
    m_model = model;
    std::sort(changed.begin(), changed.end());
    for (const std::size_t index : changed)
    {
        Member& member = m_members[index];
        const MultiActorCut held = member.player.Get();
        m_free = {m_free.flop + held.flop, m_free.bytes + held.bytes};
        member.player.cuts = ListUsefulMultiActorCuts(m_model, actors[index]);
        const auto& cuts = member.player.cuts;
        member.kind = GetKind(cuts);
        const auto same = std::find_if(cuts.begin(), cuts.end(), [&](const MultiActorCut& cut) {
            return cut.cut == held.cut;
        });
        member.player.chosen = same != cuts.end() ? same - cuts.begin()
                                                  : FindBestResponse(cuts, {held.flop, held.bytes});
        const MultiActorCut& now = member.player.Get();
        m_free = {m_free.flop - now.flop, m_free.bytes - now.bytes};
    }
    for (const std::size_t index : changed)
    {
        MeetAll(index);
    }
    RerunWaiting();
    m_replay = nullptr; // its players have outdated cuts
    Replay();
}

void
DefpGame::Leave(std::size_t index)
{
    const uint64_t player = m_members.at(index).id;
    if (m_replay && !m_replay->m_members.empty() && player <= m_replay->m_members.back().id)
    {
        m_replay->Remove(player);
    }
    Remove(player);
    Replay();
}

void
DefpGame::Remove(uint64_t player)
{
    const auto member = m_members.begin() + Find(player);
    Choose(*member, member->player.cuts.size() - 1);
    if (member->isWaiting)
    {
        m_waiting.erase(std::find(m_waiting.begin(), m_waiting.end(), player));
    }
    m_members.erase(member);
    RerunOne();
}

void
DefpGame::SetLimits(const MultiActorLimits& limits)
{
    ApplyLimits(limits);
    if (m_replay)
    {
        m_replay->ApplyLimits(limits);
    }
    Replay();
}

void
DefpGame::ApplyLimits(const MultiActorLimits& limits)
{
    MultiActorLimits held{m_limits.flop - m_free.flop, m_limits.bytes - m_free.bytes};
    m_limits = limits;
    StepBack(held);
    m_free = {m_limits.flop - held.flop, m_limits.bytes - held.bytes};
    RerunOne();
}

double
DefpGame::GetTotalSeconds() const
{
    double seconds = 0;
    for (const Member& member : m_members)
    {
        seconds += member.player.Get().reductionSeconds;
    }
    return seconds;
}

void
DefpGame::Replay()
{
    if (m_rules.replayPairs == 0 || m_members.empty())
    {
        m_replay = nullptr;
        return;
    }
    if (!m_replay)
    {
        m_replay.reset(new DefpGame(m_model, m_limits, {m_rules.margin, m_rules.mostReruns, 0}));
    }
    const uint64_t enough = m_replay->m_messages + 2 * m_rules.replayPairs;
    std::size_t next = m_replay->m_members.size();
    for (; next < m_members.size() && m_replay->m_messages < enough; ++next)
    {
        const Member& member = m_members[next];
        m_replay->JoinAs(member.id, member.player.cuts, member.kind);
    }
    if (next < m_members.size())
    {
        return;
    }
    if (m_replay->GetTotalSeconds() > GetTotalSeconds() * (1 + ADVANTAGE))
    {
        for (std::size_t i = 0; i < m_members.size(); ++i)
        {
            const std::size_t chosen = m_replay->m_members[i].player.chosen;
            m_messages += chosen != m_members[i].player.chosen;
            Choose(m_members[i], chosen);
            m_members[i].isWaiting = false;
        }
        m_waiting.clear();
    }
    m_replay = nullptr;
}

void
DefpGame::SetRules(const DefpRules& rules)
{
    m_rules = rules;
    m_replay = nullptr;
}

bool
DefpGame::Settle(std::size_t mostPasses)
{
    bool isSettled = false;
    for (std::size_t pass = 0; pass < mostPasses && !isSettled; ++pass)
    {
        isSettled = true;
        for (std::size_t i = 0; i < m_members.size(); ++i)
        {
            isSettled = !MeetAll(i) && isSettled;
        }
    }
    while (isSettled && !m_waiting.empty())
    {
        PopWaiting();
    }
    return isSettled;
}

MultiActorPlan
DefpGame::GetPlan() const
{
    MultiActorPlan plan;
    for (const Member& member : m_members)
    {
        plan.cuts.push_back(member.player.Get().cut);
    }
    return plan;
}

std::vector<MultiActorRound>
DefpGame::TakeRounds()
{
    return std::exchange(m_rounds, {});
}

std::size_t
DefpGame::Find(uint64_t id) const
{
    const auto member =
        std::lower_bound(m_members.begin(), m_members.end(), id, [](const Member& one, uint64_t x) {
            return one.id < x;
        });
    NS_ASSERT_MSG(member != m_members.end() && member->id == id, "no such player");
    return member - m_members.begin();
}

bool
DefpGame::MeetAll(std::size_t index)
{
    m_messages += 2 * m_members.size();
    m_rounds.push_back({index, m_members.size()});
    Member& me = m_members[index];
    bool isAnyMoved = false;
    const std::size_t choices = m_model.layerFlop.size() + 1;
    m_unmoved.assign(UNMOVED, NOBODY);
    for (Member& other : m_members)
    {
        const uint64_t state = other.kind * choices + other.player.chosen;
        uint64_t& unmoved = m_unmoved[state % UNMOVED];
        if (&other == &me || unmoved == state)
        {
            continue;
        }
        const DefpPair pair = ChooseDefpPair(other.player, me.player, m_free, m_rules.margin);
        if (pair.first == other.player.chosen && pair.second == me.player.chosen)
        {
            unmoved = state;
            continue;
        }
        isAnyMoved = true;
        m_unmoved.assign(UNMOVED, NOBODY);
        const double before = other.player.Get().reductionSeconds;
        Choose(other, pair.first);
        Choose(me, pair.second);
        if (other.player.Get().reductionSeconds < before)
        {
            Wait(other);
        }
    }
    if (m_members.size() == 1)
    {
        const MultiActorCut& mine = me.player.Get();
        const std::size_t before = me.player.chosen;
        Choose(
            me,
            FindBestResponse(me.player.cuts, {m_free.flop + mine.flop, m_free.bytes + mine.bytes}));
        isAnyMoved = me.player.chosen != before;
    }
    return isAnyMoved;
}

void
DefpGame::Choose(Member& member, std::size_t chosen)
{
    const MultiActorCut& before = member.player.Get();
    const MultiActorCut& after = member.player.cuts[chosen];
    m_free.flop += before.flop - after.flop;
    m_free.bytes += before.bytes - after.bytes;
    member.player.chosen = chosen;
}

void
DefpGame::Wait(Member& member)
{
    if (!member.isWaiting)
    {
        member.isWaiting = true;
        m_waiting.push_back(member.id);
    }
}

std::size_t
DefpGame::PopWaiting()
{
    const std::size_t index = Find(m_waiting.front());
    m_waiting.pop_front();
    m_members[index].isWaiting = false;
    return index;
}

void
DefpGame::RerunWaiting()
{
    for (std::size_t i = 0; i < m_rules.mostReruns && !m_waiting.empty(); ++i)
    {
        MeetAll(PopWaiting());
    }
}

void
DefpGame::RerunOne()
{
    const auto getLoss = [](const Member& member) {
        return member.player.cuts.front().reductionSeconds - member.player.Get().reductionSeconds;
    };
    const auto most =
        std::max_element(m_members.begin(), m_members.end(), [&](const Member& a, const Member& b) {
            return getLoss(a) < getLoss(b);
        });
    if (most != m_members.end())
    {
        MeetAll(most - m_members.begin());
    }
    RerunWaiting();
}

void
DefpGame::StepBack(MultiActorLimits& held)
{
    /** A player's cheapest move to a cut that takes no more of either budget. */
    struct Step
    {
        Member* member;     //!< the player
        std::size_t chosen; //!< index into its cuts
        double cost;        //!< seconds lost per share of a budget freed; only exceeded ones count
    };

    const auto isTooMuch = [&] { return held.flop > m_limits.flop || held.bytes > m_limits.bytes; };
    while (isTooMuch())
    {
        const double perFlop = held.flop > m_limits.flop ? 1.0 / held.flop : 0;
        const double perByte = held.bytes > m_limits.bytes ? 1.0 / held.bytes : 0;
        std::vector<Step> steps;
        for (Member& member : m_members)
        {
            const MultiActorCut& now = member.player.Get();
            Step cheapest{nullptr, 0, 0};
            for (std::size_t j = member.player.chosen + 1; j < member.player.cuts.size(); ++j)
            {
                const MultiActorCut& then = member.player.cuts[j];
                if (then.flop > now.flop || then.bytes > now.bytes)
                {
                    continue;
                }
                const double freed =
                    (now.flop - then.flop) * perFlop + (now.bytes - then.bytes) * perByte;
                const double cost = (now.reductionSeconds - then.reductionSeconds) / freed;
                if (freed > 0 && (!cheapest.member || cost < cheapest.cost))
                {
                    cheapest = {&member, j, cost};
                }
            }
            if (cheapest.member)
            {
                steps.push_back(cheapest);
            }
        }
        std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
            return a.cost < b.cost;
        });
        for (auto step = steps.begin(); step != steps.end() && isTooMuch(); ++step)
        {
            const MultiActorCut& now = step->member->player.Get();
            const MultiActorCut& then = step->member->player.cuts[step->chosen];
            held = {held.flop - now.flop + then.flop, held.bytes - now.bytes + then.bytes};
            Choose(*step->member, step->chosen);
            Wait(*step->member);
        }
    }
}

} // namespace ns3::edgepipe
