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
#include <vector>

namespace ns3::edgepipe
{

/** How the game is played; with zeroes, as algorithm 1 says. */
struct DefpRules
{
    double margin{0};             //!< see ChooseDefpPair, in [0, 1)
    std::size_t mostReruns{0};    //!< players that lost something and meet all others, per change
    std::size_t replayPairs{0};   //!< meetings of two that the server replays, per change; about
    double replayAdvantage{0.01}; //!< share by which a replay must save more to be adopted
};

/**
 * The dynamic efficient fairness partition (DEFP) as actors come and go: algorithm 1 of the paper
 * that MultiActorProblem names.
 *
 * A newcomer holds nothing and meets every player, in the order in which they joined; each such
 * pair chooses anew (ChooseDefpPair). That alone leaves a player worse off that gave something up,
 * though others may hold more than they make of it; so it meets every other one too, like a player
 * after somebody left. How many do so is bounded per change (DefpRules), and who is left over is
 * first the next time.
 *
 * Where no two players gain by sharing, three may. How far that is from the best depends on what
 * came before, and most on budgets that grow little by little. So the server, which knows who may
 * choose what, replays the game from its begin with those who play now, a part at every change, and
 * when all have joined the players take over what it found if it saves clearly more.
 *
 * A player whose link or speed has changed may choose between other cuts from then on. It keeps
 * what it holds as far as it can and meets every player, like a newcomer; so does everybody when
 * the server's speed has changed.
 *
 * Both budgets are kept at any time. A change takes time linear in the players, but for the replay.
 * A player that meets all is told by the server who is there and what is free, and tells the server
 * what came of it: two messages. A meeting takes two: asking what the other holds and may choose,
 * and its answer; only one player meets others at a time, so the asking one knows what both choose
 * then. A player that a replay moves is told by one.
 */
class DefpGame
{
  public:
    /** Identifies a player as long as the game lasts; later ones are larger. */
    using PlayerId = uint64_t;

    /**
     * @param model what is the same for all
     * @param budgets what they share
     * @param rules how the game is played
     * @throws InputError when the model or the budgets are malformed
     */
    DefpGame(const MultiActorModel& model,
             const MultiActorBudgets& budgets,
             const DefpRules& rules);

    /**
     * An actor joins.
     *
     * @param actor the actor; its name does not matter
     * @return its identifier
     * @throws InputError when it is malformed
     */
    PlayerId Join(const MultiActor& actor);

    /**
     * A player leaves and frees what it holds; the one that has most to gain meets all others.
     *
     * @param player a player in the game
     */
    void Leave(PlayerId player);

    /**
     * The link or the speed of players has changed, or the server's speed; see above.
     *
     * @param model the network, as before, and the server
     * @param actors what they are now; players in the game, by identifier
     * @throws InputError when the model or an actor is malformed
     */
    void Change(const MultiActorModel& model, const std::map<PlayerId, MultiActor>& actors);

    /**
     * The server grows or shrinks. Where the players hold more than it has, those step back whom it
     * costs least, per share of a budget that it frees; then one meets all others, as after
     * somebody left.
     *
     * @param budgets what they share now
     * @throws InputError when they are malformed
     */
    void SetBudgets(const MultiActorBudgets& budgets);

    /** @param rules how the game goes on */
    void SetRules(const DefpRules& rules);

    /**
     * Lets every player meet all others, again and again until no pair chooses anew.
     *
     * @param mostPasses how often at most
     * @return whether no pair would choose anew
     */
    bool Settle(std::size_t mostPasses);

    /** @return the players, in the order in which they joined */
    std::vector<PlayerId> GetPlayers() const;

    /**
     * @param player a player in the game
     * @return what it has chosen
     */
    const MultiActorCut& GetCut(PlayerId player) const;

    /** @return what no player holds */
    const MultiActorLimits& GetFree() const
    {
        return m_free;
    }

    /** @return the players that the last change above made cut elsewhere; without a newcomer */
    std::vector<PlayerId> GetMoved() const;

    /** @return messages so far */
    uint64_t GetMessages() const
    {
        return m_messages;
    }

    /** @return who met all others so far since this was asked last, in that order */
    std::vector<MultiActorRound> TakeRounds();

    /** @return players that lost something and have not met all others since */
    std::size_t GetWaiting() const
    {
        return m_waiting.size();
    }

  private:
    /** A player in the game. */
    struct Member
    {
        PlayerId id;       //!< as the caller knows it
        DefpPlayer player; //!< what it may choose and chose
        bool isWaiting;    //!< whether it lost something since it met all others
    };

    /**
     * A game for a replay.
     *
     * @param model what is the same for all
     * @param limits what they share
     * @param rules how the game is played
     */
    DefpGame(const MultiActorModel& model, const MultiActorLimits& limits, const DefpRules& rules);

    /**
     * A player joins and meets all, then those that lose by it.
     *
     * @param id larger than any other
     * @param cuts from ListUsefulMultiActorCuts
     */
    void JoinAs(PlayerId id, std::vector<MultiActorCut> cuts);

    /**
     * @param player in the game, leaves and frees what it holds
     */
    void Remove(PlayerId player);

    /**
     * @param limits what the players share now; they step back to that
     */
    void SetLimits(const MultiActorLimits& limits);

    /** @return seconds that all save */
    double GetTotalSeconds() const;

    /** Goes on with the replay, and takes over what it found. */
    void Replay();

    /**
     * @param id of a player in the game
     * @return its index
     */
    std::size_t Find(PlayerId id) const;

    /**
     * A player meets every other one; those that lose something are to meet all others later.
     *
     * @param index of the player
     * @return whether any pair chose anew
     */
    bool MeetAll(std::size_t index);

    /**
     * @param member chooses
     * @param chosen index into its cuts; it must fit
     */
    void Choose(Member& member, std::size_t chosen);

    /** @param member is to meet all others */
    void Wait(Member& member);

    /** @return index of the player that waits for longest, which waits no longer */
    std::size_t PopWaiting();

    /** Lets players that lost something meet all others. */
    void RerunWaiting();

    /** Lets the player that has most to gain meet all others, then those that lose by it. */
    void RerunOne();

    /**
     * Makes players hold no more than the limits.
     *
     * @param held what they hold, updated
     */
    void StepBack(MultiActorLimits& held);

    MultiActorModel m_model;                   //!< what is the same for all
    DefpRules m_rules;                         //!< how the game is played
    MultiActorLimits m_limits;                 //!< what the server has
    MultiActorLimits m_free;                   //!< what nobody holds; 0 while they hold too much
    std::vector<Member> m_members;             //!< by identifier
    std::deque<PlayerId> m_waiting;            //!< lost something, in that order
    std::map<PlayerId, std::size_t> m_touched; //!< cuts before the last change
    PlayerId m_next{0};                        //!< of the next newcomer
    std::unique_ptr<DefpGame> m_replay;        //!< with some of the players, null before its begin
    uint64_t m_messages{0};                    //!< so far
    std::vector<MultiActorRound> m_rounds;     //!< not taken yet
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_DEFP_GAME_H */
