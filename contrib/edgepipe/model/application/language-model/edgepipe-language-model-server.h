/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LANGUAGE_MODEL_SERVER_H
#define EDGEPIPE_LANGUAGE_MODEL_SERVER_H

#include "edgepipe-language-model-node.h"
#include "edgepipe-language-speculation.h"

#include "ns3/edgepipe-language-planner.h"
#include "ns3/nstime.h"

#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/** A request for text. */
struct LanguageRequest
{
    Time arrival;        //!< when it is made; ignored where users wait for answers
    uint32_t prompt{1};  //!< tokens, > 0
    uint32_t output{1};  //!< tokens, > 0
    uint32_t context{0}; //!< tokens before the prompt, whose keys and values are there
};

/** What became of a request. */
struct LanguageRequestRecord
{
    uint32_t request{0};     //!< its index
    uint32_t prompt{0};      //!< tokens
    uint32_t output{0};      //!< tokens so far
    Time arrived;            //!< when it was made
    Time started;            //!< when the first pass with tokens of it began
    Time first;              //!< when its first token was there
    Time ended;              //!< when its last one was
    uint32_t preemptions{0}; //!< how often it lost its cache

    /** @return mean time between two of its tokens, s; 0: it has one */
    double GetTokenSeconds() const
    {
        return output > 1 ? (ended - first).GetSeconds() / (output - 1) : 0;
    }
};

/** A pass that has ended. */
struct LanguagePassRecord
{
    uint32_t pass{0};      //!< its number
    uint32_t stream{0};    //!< its stream
    uint32_t tokens{0};    //!< computed
    uint32_t sequences{0}; //!< that they belong to
    uint32_t output{0};    //!< tokens that it added to answers; of a void window: none
    uint64_t context{0};   //!< tokens before these, of all sequences
    bool isPrefill{false}; //!< whether tokens of a prompt are among them
    Time begin;            //!< when it began
    Time end;              //!< when the first node had finished it
};

/**
 * @ingroup edgepipe
 *
 * Accepts requests at the first node of a language model, and decides which tokens each pass
 * computes: first those of sequences under way, in the order in which they were admitted, then of
 * waiting requests, first come, first served, as long as a budget of tokens and the memory for keys
 * and values last. Where blocks of these run out, the sequence that was admitted last loses its own
 * and is computed again.
 *
 * With a draft model it answers one request after the other, see LanguageSpeculation. A window that
 * has become void is still sent and answered, but a node that knows does not compute it. A draft
 * that has begun is finished.
 */
class LanguageModelServer : public Typed<LanguageModelServer, EdgeApplication>
{
  public:
    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    /**
     * Before the application starts.
     *
     * @param job of the model
     * @param node first node's application
     * @param planner shares out the model when the application starts
     * @param complete sets rates and delays of a problem's links
     */
    void SetJob(std::shared_ptr<LanguageJob> job,
                Ptr<LanguageModelNode> node,
                Ptr<LanguagePlanner> planner,
                std::function<void(LanguageProblem&)> complete);

    /** @param requests by arrival; before the application starts */
    void SetRequests(std::vector<LanguageRequest> requests)
    {
        m_requests = std::move(requests);
    }

    /** @param record whether drafts are right, see LanguageSpeculation; empty: drawn */
    void SetAcceptances(std::vector<bool> record)
    {
        m_acceptances = std::move(record);
    }

    /** @return why the model cannot run; empty: it runs */
    const std::string& GetRefusal() const
    {
        return m_refusal;
    }

    /** @return the problem that was planned for */
    const LanguageProblem& GetProblem() const
    {
        return m_problem;
    }

    /** @return who holds what */
    const LanguagePlan& GetPlan() const
    {
        return m_plan;
    }

    std::string DescribeWait() const override;

    /**
     * TracedCallback signature of the trace source RequestEnd.
     *
     * @param [in] request what became of it
     */
    typedef void (*RequestTracedCallback)(const LanguageRequestRecord& request);

    /**
     * TracedCallback signature of the trace source PassEnd.
     *
     * @param [in] pass that has ended
     */
    typedef void (*PassTracedCallback)(const LanguagePassRecord& pass);

  private:
    /** A request that is being answered, or waits. */
    struct Sequence
    {
        LanguageRequestRecord record; //!< so far
        uint32_t wanted;              //!< tokens of output
        uint32_t toRead;              //!< of the prompt, or after a preemption of the output too
        uint64_t context{0};          //!< tokens whose keys and values are there
        uint64_t blocks{0};           //!< of them
        bool isStarted{false};        //!< whether a pass had tokens of it
    };

    /** A stream of passes. */
    struct Stream
    {
        std::list<std::shared_ptr<Sequence>> sequences; //!< admitted, in that order
        /// Sequences of the pass under way, and tokens of each; empty: there is none
        std::vector<std::pair<std::shared_ptr<Sequence>, uint32_t>> inPass;
        LanguagePassRecord pass; //!< under way
    };

    void DoDispose() override;
    void StartApplication() override;
    void StopApplication() override;

    /** @param request index of a request that is made now */
    void Arrive(uint32_t request);
    /** Begin passes of idle streams. */
    void BeginPasses();
    /**
     * @param stream idle
     * @return whether it has tokens to compute, for which a pass was begun
     */
    bool BeginPass(Stream& stream);
    /**
     * Decode its only sequence in windows.
     *
     * @param stream idle
     * @return whether there is memory for the answer
     */
    bool BeginWindows(Stream& stream);
    /** Send windows that are complete, and draft the next token. */
    void Draft();
    /** Send the next window. */
    void SendWindow();
    /** @param window whose pass the first node has finished */
    void EndWindow(LanguagePassRecord window);
    /**
     * @param stream that has
     * @param sequence a new token of it
     * @param tokens how many
     */
    void Extend(Stream& stream, const std::shared_ptr<Sequence>& sequence, uint32_t tokens);
    /**
     * @param stream of the sequence
     * @param sequence gets memory for more tokens
     * @param tokens how many
     * @return whether it got it, at the cost of sequences that were admitted later
     */
    bool Reserve(Stream& stream, const std::shared_ptr<Sequence>& sequence, uint32_t tokens);
    /** @param stream whose sequence that was admitted last is to be computed again, from the start
     */
    void Preempt(Stream& stream);
    /** @param pass that the first node has finished */
    void EndPass(uint32_t pass);
    /** @param sequence that has all its tokens */
    void End(Sequence& sequence);

    uint32_t m_users;       //!< that wait for answers; 0: requests arrive at their times
    uint32_t m_most;        //!< sequences in a pass
    uint32_t m_budget;      //!< tokens of a pass
    uint64_t m_blocks;      //!< of keys and values; 0: as memory allows
    uint32_t m_draftTokens; //!< of a window
    uint32_t m_draftDepth;  //!< windows at once
    double m_acceptance;    //!< share of drafts that are right
    bool m_skipsLaps;       //!< whether laps that repeat the one before are skipped
    double m_margin;        //!< share of memory that stays free
    std::shared_ptr<LanguageJob> m_job;               //!< of the model
    Ptr<LanguageModelNode> m_node;                    //!< of the first node
    Ptr<LanguagePlanner> m_planner;                   //!< shares out the model
    std::function<void(LanguageProblem&)> m_complete; //!< sets links
    LanguageProblem m_problem;                        //!< see GetProblem
    LanguagePlan m_plan;                              //!< see GetPlan
    std::string m_refusal;                            //!< see GetRefusal
    std::vector<LanguageRequest> m_requests;          //!< all
    uint32_t m_made{0};                               //!< requests made so far, where users wait
    uint32_t m_ended{0};                              //!< of these
    std::deque<std::shared_ptr<Sequence>> m_waiting;  //!< in the order in which they came
    std::vector<Stream> m_streams;                    //!< by number
    std::vector<bool> m_acceptances;                  //!< see SetAcceptances
    std::optional<LanguageSpeculation> m_speculation; //!< none: without a draft model
    uint64_t m_origin{0};                             //!< tokens before the first of m_speculation
    std::map<uint32_t, LanguagePassRecord> m_windows; //!< that are verified, by pass
    /// Fires when a request has all its tokens.
    TracedCallback<const LanguageRequestRecord& /* request */> m_requestTrace;
    /// Fires when the first node has finished a pass.
    TracedCallback<const LanguagePassRecord& /* pass */> m_passTrace;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LANGUAGE_MODEL_SERVER_H */
