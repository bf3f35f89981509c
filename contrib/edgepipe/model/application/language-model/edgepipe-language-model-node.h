/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LANGUAGE_MODEL_NODE_H
#define EDGEPIPE_LANGUAGE_MODEL_NODE_H

#include "edgepipe-language-job.h"
#include "edgepipe-language-message.h"
#include "edgepipe-language-usage.h"

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
     * Run the draft model, after what the device has to do already.
     *
     * @param batch its tokens
     * @param isPrefill whether they are of a prompt
     * @param done called when it is over; may be null
     */
    void Draft(const TokenBatch& batch, bool isPrefill, Callback<void> done);

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
     * @param pass its number
     * @return whether it has no other pass, and does nothing but wait for a message in the first
     *         step of a lap, begin it, or compute it alone and unobserved
     */
    bool IsAtLap(uint32_t pass) const;

    /**
     * @param pass that is at a lap
     * @param traffic gets what it sends in the lap
     */
    void ListTraffic(uint32_t pass, std::vector<TensorTransport::LapTraffic>& traffic) const;

    /** @return the end of the task that it runs, expired if there is none */
    EventId GetTask() const
    {
        return m_compute->GetFinish();
    }

    /** @return moves its messages */
    Ptr<TensorTransport> GetTransport() const
    {
        return m_socket.GetTransport();
    }

    /**
     * Skip laps.
     *
     * @param pass that is at a lap
     * @param laps how many to skip, this one included
     * @param delay time that they take
     * @param usage what it did in one of them
     * @param traffic of one of them
     */
    void SkipLaps(uint32_t pass,
                  uint32_t laps,
                  const Time& delay,
                  const LanguageNodeUsage& usage,
                  const std::vector<TensorTransport::LapTraffic>& traffic);

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
        std::deque<uint64_t> unread; //!< bytes of those whose reading is yet to begin
        uint64_t come{0};            //!< how many have come
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
        std::size_t lap{0};              //!< one more than the first step of the latest lap
        bool isTaking{false};            //!< whether it is taking steps
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

    /**
     * Go on when a time is over.
     *
     * @param stream whose first pass took it
     * @param steps that are done
     */
    void GoOn(uint32_t stream, uint32_t steps);

    /**
     * Count a computation.
     *
     * @param step that computes
     * @param work of this node
     * @param isPrefill whether of a prompt
     * @return its time on the idle device, s
     */
    double Count(const ExchangeStep& step, const LanguageWork& work, bool isPrefill);

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
    int64_t m_judged{-1};                            //!< pass whose logits it knows
    std::deque<uint32_t> m_ready;                    //!< streams that wait for that one to wait
    std::vector<Ptr<ComputeDevice>> m_threads;       //!< handle messages; none: its device does
    std::map<uint32_t, std::deque<Run>> m_streams;   //!< passes under way, by stream
    std::array<LanguageNodeUsage, 2> m_usage;        //!< of decoding and of prompts
    TracedCallback<uint32_t /* pass */> m_passTrace; //!< fires when it has finished a pass
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LANGUAGE_MODEL_NODE_H */
