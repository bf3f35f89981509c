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

/** Rules of the game; with zeroes, those of algorithm 1. */
struct DefpRules
{
    double margin{0};             //!< see ChooseDefpPair, in [0, 1)
    std::size_t mostReruns{0};    //!< most players per change that meet all others after a loss
    std::size_t replayPairs{0};   //!< approximate pairwise meetings replayed per change; 0: none
    double replayAdvantage{0.01}; //!< relative gain that a replay needs to be adopted
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
    /** Identifies a player as long as the game lasts; later ones are larger. */
    using PlayerId = uint64_t;

    /**
     * @param model network and server, shared by all
     * @param budgets the shared budgets
     * @param rules rules of the game
     * @throws InputError when the model or the budgets are malformed
     */
    DefpGame(const MultiActorModel& model,
             const MultiActorBudgets& budgets,
             const DefpRules& rules);

    /**
     * Actors join, one after the other.
     *
     * @param actors the actors; their names do not matter
     * @return their identifiers
     * @throws InputError when one is malformed
     */
    std::vector<PlayerId> Join(const std::vector<MultiActor>& actors);

    /**
     * A player leaves and frees what it holds; then the player with most to gain meets all others.
     *
     * @param player a player in the game
     */
    void Leave(PlayerId player);

    /**
     * Updates links or speeds of players, or the server's speed; see above.
     *
     * @param model the unchanged network, and the server
     * @param actors new state of the changed players, by identifier
     * @throws InputError when the model or an actor is malformed
     */
    void Change(const MultiActorModel& model, const std::map<PlayerId, MultiActor>& actors);

    /**
     * Changes the budgets. If the players hold more, those that lose the least time per share of a
     * budget freed step back to smaller cuts. Then one player meets all others, as after a
     * departure.
     *
     * @param budgets the new budgets
     * @throws InputError when they are malformed
     */
    void SetBudgets(const MultiActorBudgets& budgets);

    /** @param rules rules from now on */
    void SetRules(const DefpRules& rules);

    /**
     * Lets every player meet all others, repeatedly until no pair changes its cuts.
     *
     * @param mostPasses most repetitions
     * @return whether no pair would change its cuts
     */
    bool Settle(std::size_t mostPasses);

    /** @return the players, in the order in which they joined */
    std::vector<PlayerId> GetPlayers() const;

    /**
     * @param player a player in the game
     * @return its chosen cut
     */
    const MultiActorCut& GetCut(PlayerId player) const;

    /** @return all cuts, in the order in which the players joined */
    MultiActorPlan GetPlan() const;

    /** @return resources that no player holds */
    const MultiActorLimits& GetFree() const
    {
        return m_free;
    }

    /** @return players whose cut the last change above altered, except newcomers */
    std::vector<PlayerId> GetMoved() const;

    /** @return messages so far */
    uint64_t GetMessages() const
    {
        return m_messages;
    }

    /** @return rounds since the last call, in order */
    std::vector<MultiActorRound> TakeRounds();

    /** @return number of players queued to meet all others after a loss */
    std::size_t GetWaiting() const
    {
        return m_waiting.size();
    }

  private:
    /** A player in the game. */
    struct Member
    {
        PlayerId id;       //!< identifier for the caller
        DefpPlayer player; //!< its cuts and its choice
        uint64_t kind;     //!< the same only for players with the same layers and savings to offer
        bool isWaiting;    //!< whether it is in m_waiting
    };

    /**
     * Makes a game for a replay.
     *
     * @param model network and server, shared by all
     * @param limits the shared limits
     * @param rules rules of the game
     */
    DefpGame(const MultiActorModel& model, const MultiActorLimits& limits, const DefpRules& rules);

    /**
     * Adds a player, which meets all others, then reruns queued players.
     *
     * @param id larger than any other
     * @param cuts from ListUsefulMultiActorCuts
     * @param kind the same only for players of the same cuts
     */
    void JoinAs(PlayerId id, std::vector<MultiActorCut> cuts, uint64_t kind);

    /** @return the kind of players of these cuts @param cuts from ListUsefulMultiActorCuts */
    uint64_t GetKind(const std::vector<MultiActorCut>& cuts);

    /**
     * @param player the player to remove; what it holds becomes free
     */
    void Remove(PlayerId player);

    /**
     * @param limits new limits; players step back until they keep them
     */
    void SetLimits(const MultiActorLimits& limits);

    /** @return seconds that all players save together */
    double GetTotalSeconds() const;

    /** Continues the replay, and adopts its outcome if complete and clearly better. */
    void Replay();

    /**
     * @param id identifier of a player in the game
     * @return its index
     */
    std::size_t Find(PlayerId id) const;

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
    std::deque<PlayerId> m_waiting; //!< players to meet all others after a loss, in order
    std::map<PlayerId, std::size_t> m_touched; //!< cuts before the last change
    PlayerId m_next{0};                        //!< of the next newcomer
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
