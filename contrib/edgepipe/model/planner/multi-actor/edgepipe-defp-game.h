/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DEFP_GAME_H
#define EDGEPIPE_DEFP_GAME_H

#include "edgepipe-defp-pair.h"
#include "edgepipe-multi-actor-problem.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/** Rules of the game, as usual; with zeroes, those of algorithm 1. */
struct DefpRules
{
    double margin{0.09};            //!< see ChooseDefpPair, in [0, 1)
    std::size_t mostReruns{4};      //!< most players per change that meet all others after a loss
    std::size_t replayPairs{50000}; //!< about, pairwise meetings replayed per change; 0: none
};

/**
 * The dynamic efficient fairness partition (DEFP) with actors that join and leave: algorithm 1 of
 * the paper cited at MultiActorProblem.
 *
 * A newcomer holds nothing and meets every player, in order of joining; each such pair chooses its
 * cuts anew (ChooseDefpPair). That alone would leave a player that gave something up worse off,
 * though others may hold resources that it could use better. So it meets all others too, as does
 * one player after a departure. The number of such reruns per change is bounded (DefpRules);
 * players left over come first the next time.
 *
 * Three players may gain by sharing where no two do. How far the outcome is from the best depends
 * on the history, most of all when budgets grow little by little. So the server, which knows every
 * player's cuts, replays the game from the start with the current players, a part at every change.
 * Once all have joined the replay, the players adopt its outcome if it saves clearly more.
 *
 * A player whose link or speed changes may get other cuts to choose from. It keeps what it holds as
 * far as it can and meets every player, like a newcomer. If the server's speed changes, all players
 * do so.
 *
 * Both budgets are kept at all times. A change takes time linear in the players, apart from the
 * replay. A player that meets all others gets the list of players and the free resources from the
 * server and reports the result: two messages. Each meeting takes two more: a request for what the
 * other holds and may choose, and the reply. Only one player meets others at a time, so the
 * requester knows what both choose. A player that a replay moves gets one message.
 */
class DefpGame
{
  public:
    /**
     * @param model network and server, shared by all; valid
     * @param limits the shared limits
     * @param rules rules of the game
     */
    DefpGame(const MultiActorModel& model, const MultiActorLimits& limits, const DefpRules& rules);

    /**
     * Actors join, one after the other.
     * @param actors valid actors; their names do not matter
     */
    void Join(const std::vector<MultiActor>& actors);

    /**
     * A player leaves and frees what it holds; then the player with most to gain meets all others.
     * @param index of the player, in the order in which they joined
     */
    void Leave(std::size_t index);

    /**
     * Updates links or speeds of players, or the server's speed; see above.
     *
     * @param model the unchanged network, and the server; valid
     * @param actors state of all players; valid
     * @param changed indices of the changed players
     */
    void Change(const MultiActorModel& model,
                const std::vector<MultiActor>& actors,
                std::vector<std::size_t> changed);

    /**
     * Changes the limits. If the players hold more, those that lose the least time per share of a
     * budget freed step back to smaller cuts. Then one player meets all others, as after a
     * departure.
     *
     * @param limits the new limits
     */
    void SetLimits(const MultiActorLimits& limits);

    /** @param rules rules from now on */
    void SetRules(const DefpRules& rules);

    /**
     * Lets every player meet all others, repeatedly until no pair changes its cuts.
     *
     * @param mostPasses most repetitions
     * @return whether no pair would change its cuts
     */
    bool Settle(std::size_t mostPasses);

    /** @return all cuts, in the order in which the players joined */
    MultiActorPlan GetPlan() const;

    /** @return messages so far */
    uint64_t GetMessages() const
    {
        return m_messages;
    }

    /** @return rounds since the last call, in order */
    std::vector<MultiActorRound> TakeRounds();

  private:
    /** A player in the game. */
    struct Member
    {
        uint64_t id;       //!< larger than those of players that joined before
        DefpPlayer player; //!< its cuts and its choice
        uint64_t kind;     //!< the same only for players with the same layers and savings to offer
        bool isWaiting;    //!< whether it is in m_waiting
    };

    /**
     * Adds a player, which meets all others, then reruns queued players.
     *
     * @param id larger than any other
     * @param cuts from ListUsefulMultiActorCuts
     * @param kind the same only for players of the same cuts
     */
    void JoinAs(uint64_t id, std::vector<MultiActorCut> cuts, uint64_t kind);

    /** @return the kind of players of these cuts @param cuts from ListUsefulMultiActorCuts */
    uint64_t GetKind(const std::vector<MultiActorCut>& cuts);

    /**
     * @param player the player to remove; what it holds becomes free
     */
    void Remove(uint64_t player);

    /** @copydoc SetLimits */
    void ApplyLimits(const MultiActorLimits& limits);

    /** @return seconds that all players save together */
    double GetTotalSeconds() const;

    /** Continues the replay, and adopts its outcome if complete and clearly better. */
    void Replay();

    /**
     * @param id identifier of a player in the game
     * @return its index
     */
    std::size_t Find(uint64_t id) const;

    /**
     * Lets a player meet every other one, and queues those that lose something.
     *
     * @param index of the player
     * @return whether any pair changed its cuts
     */
    bool MeetAll(std::size_t index);

    /**
     * @param member the choosing player
     * @param chosen index into its cuts; the cut must fit
     */
    void Choose(Member& member, std::size_t chosen);

    /** @param member player to queue for meeting all others */
    void Wait(Member& member);

    /** @return index of the longest-waiting player, which leaves the queue */
    std::size_t PopWaiting();

    /** Lets queued players meet all others, within DefpRules::mostReruns. */
    void RerunWaiting();

    /** Lets the player with most to gain meet all others, then reruns queued players. */
    void RerunOne();

    /**
     * Makes players hold no more than the limits.
     *
     * @param held their total holdings, updated
     */
    void StepBack(MultiActorLimits& held);

    MultiActorModel m_model;        //!< network and server
    DefpRules m_rules;              //!< rules of the game
    MultiActorLimits m_limits;      //!< limits of the server
    MultiActorLimits m_free;        //!< resources that no player holds
    std::vector<Member> m_members;  //!< by identifier
    std::deque<uint64_t> m_waiting; //!< players to meet all others after a loss, in order
    uint64_t m_next{0};             //!< of the next newcomer
    /// Kinds by their cuts, each as layers and saving, s.
    std::map<std::vector<std::pair<std::size_t, double>>, uint64_t> m_kinds;
    uint64_t m_nextKind{0}; //!< never used before
    /// Some players, by kind and choice, with whom the last one to meet all changed nothing.
    std::vector<uint64_t> m_unmoved;
    std::unique_ptr<DefpGame> m_replay;    //!< replay with the first players, null before its start
    uint64_t m_messages{0};                //!< so far
    std::vector<MultiActorRound> m_rounds; //!< not taken yet
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_DEFP_GAME_H */
