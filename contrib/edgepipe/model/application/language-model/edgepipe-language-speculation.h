/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LANGUAGE_SPECULATION_H
#define EDGEPIPE_LANGUAGE_SPECULATION_H

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Which tokens a draft model proposes, and what becomes of them (Y. Leviathan et al., "Fast
 * Inference from Transformers via Speculative Decoding", https://arxiv.org/abs/2211.17192).
 *
 * A window is a token and drafts after it, which the target model computes in one pass. Its logits
 * tell how many drafts are right, up to the first wrong one, and the token after these. While it is
 * under way, later windows are drafted as if all of it were right; they begin with a draft of that
 * next token. If anything is wrong they are void, and drafting begins again after what is known.
 *
 * Tokens of an answer are numbered from 0. Whether a draft is right depends on its number alone, so
 * every depth meets the same text.
 */
class LanguageSpeculation
{
  public:
    /** Tokens that are verified together. */
    struct Window
    {
        uint64_t first{0};   //!< its first token
        uint32_t drafts{0};  //!< tokens after it
        uint32_t pass{0};    //!< that verifies it
        uint32_t right{0};   //!< drafts before the first wrong one
        bool isRight{false}; //!< whether all are right, and a draft of the token after them
        bool isBack{false};  //!< whether its pass has ended
    };

    /**
     * @param drafts of a window, > 0
     * @param depth windows that are drafted or verified at once, > 0
     * @param record whether each draft after the first token is right, of one answer after the
     *        other, again from its begin after its end; empty: drawn
     * @param draw draws it; not called where there is a record
     */
    LanguageSpeculation(uint32_t drafts,
                        uint32_t depth,
                        std::vector<bool> record,
                        std::function<bool()> draw);

    /** @param tokens of the next answer, of which the first is known; > 1 */
    void Begin(uint64_t tokens);

    /** @return whether the next window is to be sent */
    bool IsComplete() const;

    /** @return the next window */
    const Window& GetNext() const
    {
        return m_next;
    }

    /** @return a pass whose logits will show that the next window is void; none: it is not */
    std::optional<uint32_t> FindVoid() const;

    /** @param pass that verifies the next window, which is complete */
    void Send(uint32_t pass);

    /** @return token after which the next one is to be drafted now; none: none is */
    std::optional<uint64_t> BeginStep();

    /** The token is drafted. */
    void EndStep();

    /**
     * @param pass that has ended
     * @return how many tokens more are known
     */
    uint32_t End(uint32_t pass);

  private:
    /**
     * Turn to a window.
     * @param first its first token
     * @param isGuess whether that is yet to be drafted
     */
    void Turn(uint64_t first, bool isGuess);

    /**
     * @param token of the answer, not the first
     * @return whether its draft is right
     */
    bool IsRight(uint64_t token);

    /** @return whether the next window may be drafted, and is of use */
    bool IsOpen() const
    {
        return m_sent.size() < m_depth && m_next.first + 1 < m_tokens;
    }

    /** @return drafts that the next window needs */
    uint32_t CountSteps() const
    {
        return m_next.drafts + m_isGuess;
    }

    uint32_t m_drafts;            //!< of a window
    uint32_t m_depth;             //!< windows at once
    bool m_isDrawn;               //!< whether m_right grows
    std::vector<bool> m_right;    //!< drafts, of one answer after the other
    std::function<bool()> m_draw; //!< the next of these
    uint64_t m_before{0};         //!< drafts of earlier answers
    uint64_t m_tokens{1};         //!< of the answer
    std::deque<Window> m_sent;    //!< not known to be void
    Window m_next;                //!< that is being drafted
    bool m_isGuess{false};        //!< whether its first token is a draft
    uint32_t m_steps{0};          //!< its drafts so far
    bool m_isStepping{false};     //!< whether a token is being drafted
    bool m_isWasted{false};       //!< whether that one is of no use
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LANGUAGE_SPECULATION_H */
