/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ADJACENT_SCHEDULING_H
#define EDGEPIPE_ADJACENT_SCHEDULING_H

#include "ns3/nstime.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>

namespace ns3::edgepipe
{

/** What assistance between adjacent stages is charged for. */
enum class AdjacentCosts
{
    FULL,  //!< weights at the helper and their copies, samples, gradients: memory and bytes
    IDEAL, //!< nothing but messages without content, as in the paper's own simulation
};

/** When an idle device may be granted a neighbour's samples. */
enum class AdjacentEligibility
{
    AWAITED, //!< until the step that it waits for is over at the neighbour
    WAITING, //!< also while the tensor that it waits for is on the wire
    IDLE,    //!< also when it has finished all its passes, until the iteration ends
};

/** How a grant is expected to go when it is made. */
struct GrantBalance
{
    double ownerRestSeconds; //!< what the owner keeps, (M - t F' - A) / F' of theorem 1
    double transferSeconds;  //!< until the helper's first sample begins to count; A / B there
    double helperSeconds;    //!< what the helper takes, A / F there

    /** @return how far apart the two are done, |max(rest, transfer) - helper|, seconds */
    double GetImbalance() const
    {
        return std::abs(std::max(ownerRestSeconds, transferSeconds) - helperSeconds);
    }
};

/** How often what happened; by pipeline. */
struct AssistanceCounts
{
    uint64_t checkpoints{0};    //!< passed by busy devices
    uint64_t requests{0};       //!< assistance requests sent by idle devices
    uint64_t grants{0};         //!< requests that got samples
    uint64_t refusals{0};       //!< requests seen at a checkpoint that got none
    uint64_t samples{0};        //!< passes of one sample through one stage that a helper computed
    uint64_t merges{0};         //!< weight gradients of helpers merged before an update
    double imbalanceSeconds{0}; //!< see GrantBalance, summed over the grants
    double logImbalance{0};     //!< natural logarithms of those, summed; may be -infinity

    /**
     * @param more counts to be added
     * @return these
     */
    AssistanceCounts& operator+=(const AssistanceCounts& more)
    {
        checkpoints += more.checkpoints;
        requests += more.requests;
        grants += more.grants;
        refusals += more.refusals;
        samples += more.samples;
        merges += more.merges;
        imbalanceSeconds += more.imbalanceSeconds;
        logImbalance += more.logImbalance;
        return *this;
    }
};

/** Something that happened to assistance, for trace sources. */
struct AssistanceEvent
{
    uint32_t device;     //!< where it happened
    uint32_t peer;       //!< the other device; the same one if there is none
    uint32_t stage;      //!< whose samples
    bool backward;       //!< which pass
    uint32_t iteration;  //!< which iteration
    uint32_t microBatch; //!< which micro-batch
    uint32_t samples;    //!< how many samples it is about
};

/** A device in the middle of a pass, and a neighbour that could take samples off it. */
struct AssistanceQuestion
{
    double ownerSeconds;           //!< until all is done without help, seconds
    double ownerSecondsPerSample;  //!< what one sample less saves the owner, seconds, >= 0
    double helperSeconds;          //!< until the helper's first sample begins to count, seconds
    double helperSecondsPerSample; //!< what one sample takes with its transfers, seconds, >= 0
    uint32_t mostSamples;          //!< how many can be given away
    double minimumGainSeconds;     //!< least that help must gain, seconds, >= 0
};

/** How many samples change hands. */
struct AssistanceAnswer
{
    uint32_t samples; //!< to the helper; 0: help does not pay
    double seconds;   //!< until all is done
};

/**
 * Split the rest of a pass so that all of it is done as early as possible: minimise over whole
 * samples A
 *
 *     max(ownerSeconds - A ownerSecondsPerSample, helperSeconds + A helperSecondsPerSample).
 *
 * Without transfers that is DGPAS eq. 12 (see AdjacentScheduler), whose two terms are equal at
 * A = (M - tF') F / (F' + F), F' and F being the samples per second of owner and helper. Of two
 * equally good splits the one with fewer samples is taken.
 *
 * @param question the situation
 * @return the split
 */
AssistanceAnswer SplitSamples(const AssistanceQuestion& question);

/**
 * When what was sent to a neighbour will have arrived.
 *
 * Tensors go one after another: one begins when it was sent or when the one before it has arrived,
 * whichever is later, and takes its bytes over the rate that the last one got.
 */
class TransferForecast
{
  public:
    /** @param bytesPerSecond what the first one is taken to get, > 0; infinite: no time */
    explicit TransferForecast(double bytesPerSecond);

    /**
     * A tensor has been sent.
     *
     * @param now when
     * @param bytes of it
     */
    void NoticeSent(const Time& now, uint64_t bytes);

    /**
     * The oldest tensor under way has arrived.
     * @param now when
     */
    void NoticeArrived(const Time& now);

    /**
     * @param now when that is asked
     * @return until the oldest tensor under way arrives, seconds; 0 if it should have or if none is
     *         under way
     */
    double GetRemainingSeconds(const Time& now) const;

    /**
     * @param bytes of a tensor
     * @return what it takes on a free way, seconds
     */
    double GetSeconds(uint64_t bytes) const;

    /** @return whether a tensor is under way */
    bool IsBusy() const
    {
        return !m_underWay.empty();
    }

  private:
    /** A tensor under way. */
    struct Transfer
    {
        Time sent;      //!< when
        uint64_t bytes; //!< of it
    };

    /** @return when the oldest tensor began to move */
    Time GetBegin() const;

    std::deque<Transfer> m_underWay; //!< in the order of sending
    Time m_lastArrival;              //!< when a tensor last arrived
    double m_bytesPerSecond;         //!< what the last one got
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ADJACENT_SCHEDULING_H */
