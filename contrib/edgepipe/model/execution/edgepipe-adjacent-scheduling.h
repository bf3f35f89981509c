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
    FULL,  //!< memory and bytes of weights at the helper, their copies, samples and gradients
    IDEAL, //!< only messages without content, as in the paper's own simulation
};

/** When an idle device may be granted a neighbour's samples. */
enum class AdjacentEligibility
{
    AWAITED, //!< until the neighbour has finished the step that it waits for
    WAITING, //!< also while the tensor that it waits for is in transit
    IDLE,    //!< also when it has finished all its passes, until the iteration ends
};

/** Expected timing of a grant when it is made. */
struct GrantBalance
{
    double ownerRestSeconds; //!< owner's remaining work, (M - t F' - A) / F' of theorem 1
    double transferSeconds;  //!< until the helper's first sample begins to count; A / B there
    double helperSeconds;    //!< helper's work, A / F there

    /** @return difference of the finish times, |max(rest, transfer) - helper|, seconds */
    double GetImbalance() const
    {
        return std::abs(std::max(ownerRestSeconds, transferSeconds) - helperSeconds);
    }
};

/** Event counts of a pipeline. */
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

/** An event of assistance, for trace sources. */
struct AssistanceEvent
{
    uint32_t device;     //!< where it happened
    uint32_t peer;       //!< the other device; the same one if there is none
    uint32_t stage;      //!< stage of the samples
    bool backward;       //!< which pass
    uint32_t iteration;  //!< which iteration
    uint32_t microBatch; //!< which micro-batch
    uint32_t samples;    //!< number of samples
};

/** A device in the middle of a pass, and a neighbour that could take samples off it. */
struct AssistanceQuestion
{
    double ownerSeconds;           //!< until all is done without help, seconds
    double ownerSecondsPerSample;  //!< seconds saved by the owner per sample given away, >= 0
    double helperSeconds;          //!< until the helper's first sample begins to count, seconds
    double helperSecondsPerSample; //!< seconds of the helper per sample with its transfers, >= 0
    uint32_t mostSamples;          //!< most samples that can be given away
    double minimumGainSeconds;     //!< least gain required of help, seconds, >= 0
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
 * What results have told of a neighbour's delay.
 *
 * A neighbour that is refused returns no results, so what they told of it has to age. A delay
 * counts until the end of the iteration after the one in which a result told of it; if the try
 * after that finds it again, twice as many iterations, and so on. So tries of a neighbour that
 * stays slow become rare, and one whose link was slow for a while is asked again after about as
 * long.
 */
class HelpDelay
{
  public:
    /**
     * A result has arrived.
     *
     * @param iteration present iteration
     * @param seconds its delay beyond computing, seconds, >= 0
     */
    void Notice(uint32_t iteration, double seconds);

    /**
     * @param iteration present iteration
     * @return expected delay of a result, seconds; 0 if nothing is known or all is too old
     */
    double Get(uint32_t iteration) const
    {
        return iteration < m_end ? m_seconds : 0;
    }

  private:
    double m_seconds{0};    //!< of the last result
    uint32_t m_end{0};      //!< first iteration for which it no longer counts
    uint32_t m_patience{1}; //!< iterations for which it counts beyond its own
};

/**
 * Forecasts when tensors sent to a neighbour will arrive.
 *
 * Tensors move one after another: each begins when it is sent or when the one before it has
 * arrived, whichever is later, and moves at the measured rate of the last one.
 */
class TransferForecast
{
  public:
    /** @param bytesPerSecond assumed rate of the first tensor, > 0; infinite: no time */
    explicit TransferForecast(double bytesPerSecond);

    /**
     * A tensor has been sent.
     *
     * @param now present time
     * @param bytes of the tensor
     */
    void NoticeSent(const Time& now, uint64_t bytes);

    /**
     * The oldest tensor in transit has arrived.
     * @param now present time
     */
    void NoticeArrived(const Time& now);

    /**
     * @param now present time
     * @return until the oldest tensor in transit arrives, seconds; 0 if it is overdue or there is
     *         none
     */
    double GetRemainingSeconds(const Time& now) const;

    /**
     * @param bytes of a tensor
     * @return its time without other tensors, seconds
     */
    double GetSeconds(uint64_t bytes) const;

    /** @return rate of the last tensor that has arrived, or the assumed one, bytes/s */
    double GetRate() const
    {
        return m_bytesPerSecond;
    }

    /** @return whether a tensor is in transit */
    bool IsBusy() const
    {
        return !m_underWay.empty();
    }

  private:
    /** A tensor in transit. */
    struct Transfer
    {
        Time sent;      //!< time of sending
        uint64_t bytes; //!< of the tensor
    };

    /** @return when the oldest tensor began to move */
    Time GetBegin() const;

    std::deque<Transfer> m_underWay; //!< in order of sending
    Time m_lastArrival;              //!< when a tensor last arrived
    double m_bytesPerSecond;         //!< rate of the last one
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ADJACENT_SCHEDULING_H */
