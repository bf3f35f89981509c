/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LANGUAGE_MODEL_NODE_H
#define EDGEPIPE_LANGUAGE_MODEL_NODE_H

#include "edgepipe-language-job.h"
#include "edgepipe-language-message.h"

#include "ns3/edgepipe-edge-application.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** What a node did in passes of one kind. */
struct LanguageNodeUsage
{
    /** What one kind of operation took. */
    struct Operation
    {
        double calls{0};   //!< fixed times of a layer
        LanguageWork work; //!< of the node
        double seconds{0}; //!< of the idle device
    };

    std::array<Operation, LANGUAGE_OPERATIONS> operations; //!< by LanguageOperation
    double messageSeconds{0};                              //!< of the host, for messages
    uint64_t messages{0};                                  //!< sent
    uint64_t bytes{0};                                     //!< payload sent
    uint64_t passes{0};                                    //!< finished
};

/**
 * @ingroup edgepipe
 *
 * A node that holds a part of a language model: takes its steps of every pass in order, see
 * ExchangePattern.
 *
 * A message costs its sender and its receiver time (LanguageDevice::GetMessageSeconds). A sender
 * goes on when that time is over, as after a write to a socket; threads handle messages of
 * different nodes at once. A receiver reads a message when it
 * waits for it, or later, but not before. Passes of one stream follow each other on every node;
 * between two streams a node changes at a wait, first come, first served.
 */
class LanguageModelNode : public Typed<LanguageModelNode, EdgeApplication>
{
  public:
    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    LanguageModelNode()
        : Typed(LANGUAGE_NODE_PORT)
    {
    }

    /** @param job that it is part of; before the application starts */
    void SetJob(std::shared_ptr<LanguageJob> job)
    {
        m_job = std::move(job);
    }

    /** @param pass to begin, at the node of the plan that comes first */
    void Begin(uint32_t pass)
    {
        Find(pass);
        Advance(m_job->GetPass(pass).stream);
    }

    /**
     * @param isPrefill whether of passes of prompts
     * @return what it did so far
     */
    const LanguageNodeUsage& GetUsage(bool isPrefill) const
    {
        return m_usage[isPrefill];
    }

    std::string DescribeWait() const override;

    /**
     * TracedCallback signature of the trace source PassEnd.
     *
     * @param [in] pass number of the pass that the node has finished
     */
    typedef void (*PassTracedCallback)(uint32_t pass);

  private:
    /** Messages of one sender in a pass. */
    struct Inbox
    {
        std::vector<uint64_t> bytes; //!< of those that have come
        std::size_t read{0};         //!< whose reading has begun
    };

    /** A pass on this node. */
    struct Run
    {
        uint32_t pass;                   //!< its number
        std::size_t next{0};             //!< step to take
        bool isBusy{false};              //!< whether a computation of the step runs
        bool isSending{false};           //!< whether what is being handled is sent
        std::map<uint32_t, Inbox> boxes; //!< by position of the sender
        uint32_t handling{0};            //!< messages that are being sent or read
    };

    void DoDispose() override;
    void StopApplication() override;
    void Receive(const Message& message) override;

    /**
     * @param pass its number
     * @return its run, begun if there was none
     */
    Run& Find(uint32_t pass);

    /**
     * Take steps until one needs time or a message.
     * @param stream whose first pass to go on with
     */
    void Advance(uint32_t stream);

    /** Turn to the next stream that can go on. */
    void Release();

    /**
     * @param run at a wait
     * @param step the wait
     * @return whether everything awaited is read; otherwise what has come is being read
     */
    bool Read(Run& run, const ExchangeStep& step);

    /**
     * Send the messages of successive steps.
     * @param run at the first of them
     */
    void Send(Run& run);

    /**
     * Take the time of a message; the run is advanced at its end.
     *
     * @param isSending whether it is sent
     * @param run whose step it is
     * @param peer position of its receiver or sender
     * @param bytes payload
     * @param done called when it is over
     */
    void Handle(bool isSending,
                Run& run,
                uint32_t peer,
                uint64_t bytes,
                std::function<void()> done);

    std::shared_ptr<LanguageJob> m_job;              //!< that it is part of
    uint32_t m_position{0};                          //!< in the job, once a pass has begun
    bool m_hasPosition{false};                       //!< whether a pass has begun
    std::optional<uint32_t> m_holder;                //!< stream whose steps it takes
    std::deque<uint32_t> m_ready;                    //!< streams that wait for that one to wait
    std::vector<Ptr<ComputeDevice>> m_threads;       //!< handle messages; none: its device does
    std::map<uint32_t, std::deque<Run>> m_streams;   //!< passes under way, by stream
    std::array<LanguageNodeUsage, 2> m_usage;        //!< of decoding and of prompts
    TracedCallback<uint32_t /* pass */> m_passTrace; //!< fires when it has finished a pass
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LANGUAGE_MODEL_NODE_H */
