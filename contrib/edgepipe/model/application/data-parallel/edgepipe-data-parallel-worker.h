/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DATA_PARALLEL_WORKER_H
#define EDGEPIPE_DATA_PARALLEL_WORKER_H

#include "ns3/edgepipe-data-parallel-cost.h"
#include "ns3/edgepipe-edge-application.h"
#include "ns3/edgepipe-gradient-exchange.h"
#include "ns3/edgepipe-memory-ledger.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * A worker of data-parallel training: it holds the whole model, computes its share of the samples
 * of each iteration, exchanges gradients and updates the weights.
 *
 * The node is an edge device. Its memory holds weights, gradients and optimizer states, a copy of
 * the gradients packed for the exchange, and activations and working tensors (CountStageMemory) of
 * as many samples of the share as fit. A larger share is computed in several passes, each of which
 * costs DataParallelCost::passSeconds. The memory stays reserved while the share is in force, as in
 * training frameworks. An iteration begins when the one before has ended, without a message from a
 * coordinator; the exchange provides the version of the shares.
 *
 * Gradients are exchanged in buckets during the backward pass, if the exchange supports them, see
 * FillBuckets. Gradients of several passes add up, so buckets become ready during the last pass.
 *
 * With a LayerReplay a share takes as much longer than by its cost as a recorded pass does.
 */
class DataParallelWorker : public Typed<DataParallelWorker, EdgeApplication>
{
  public:
    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    /**
     * Set the worker up; to be called on its node, before the application starts.
     *
     * @param rank of the worker
     * @param ranks of all workers
     * @param cost of training
     * @param exchange of gradients
     * @param samples its initial share; 0: it waits to join
     * @param members ranks of the workers with an initial share, increasing
     */
    void SetUp(uint32_t rank,
               std::shared_ptr<const WorkerRanks> ranks,
               const DataParallelCost& cost,
               Ptr<GradientExchange> exchange,
               uint64_t samples,
               DataParallelMembers members);

    /**
     * Store a share; it comes into force when the exchange delivers its version.
     *
     * @param version of the shares
     * @param samples the share; 0: the worker leaves
     * @param members ranks of the members, increasing; none: as in the version before
     */
    void AddShare(uint32_t version, uint64_t samples, std::vector<uint32_t> members)
    {
        m_shares[version] = {
            samples,
            members.empty() ? m_shares.rbegin()->second.members
                            : std::make_shared<const std::vector<uint32_t>>(std::move(members))};
    }

    /**
     * At the first worker: have all workers use a version from the next iteration on. All must
     * have received it before.
     *
     * @param version of the shares
     */
    void Announce(uint32_t version)
    {
        m_announced = version;
    }

    /** @return operations per second of computing, over the shares finished since the last call; if
     *          there are none, the last result; 0 before the first share */
    double MeasureOpsPerSecond();

    /** @return the share in force, samples */
    uint64_t GetSamples() const
    {
        return m_shares.at(m_version).samples;
    }

    /** @return version of the shares in force */
    uint32_t GetVersion() const
    {
        return m_version;
    }

    /** @return whether it takes part, or did until the training ended: it has joined and not left
     */
    bool IsIn() const
    {
        return m_state != OUTSIDE && GetSamples() > 0;
    }

    /** @return ranks of the workers in the present iteration, increasing */
    const std::vector<uint32_t>& GetMembers() const
    {
        return *m_shares.at(m_version).members;
    }

    /** @return why the worker could not go on; empty if it could */
    const std::string& GetRefusal() const
    {
        return m_refusal;
    }

    /** @return bytes in use on the device; 0 before the application starts */
    uint64_t GetMemoryInUse() const
    {
        return m_memory ? m_memory->GetLedger()->GetInUse() : 0;
    }

    /** @return its gradient exchange */
    Ptr<const GradientExchange> GetExchange() const
    {
        return m_exchange;
    }

    /** @return what the worker waits for, in words; empty if it computes or has finished */
    std::string DescribeWait() const override;

    /**
     * TracedCallback signature of the beginning of a share.
     *
     * @param [in] iteration which iteration
     */
    typedef void (*BeginTracedCallback)(uint32_t iteration);

    /**
     * TracedCallback signature of the end of a share.
     *
     * @param [in] iteration which iteration
     * @param [in] samples the share
     */
    typedef void (*ComputedTracedCallback)(uint32_t iteration, uint64_t samples);

    /**
     * TracedCallback signature of the end of an iteration.
     *
     * @param [in] iteration which iteration
     * @param [in] version of the shares that it used
     */
    typedef void (*IterationTracedCallback)(uint32_t iteration, uint32_t version);

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;

    /**
     * The initial weights have arrived.
     *
     * @param iteration the first one to compute
     * @param version of the shares
     */
    void Enter(uint32_t iteration, uint32_t version);

    /** @return time of the present share over that by its cost: that of a recorded pass over that
     *          of as many samples; 1: no recording is replayed */
    double GetShareStretch() const
    {
        const double samples = m_replay ? m_replay->GetBatch() : 0;
        const double seconds = samples * m_cost.sampleSeconds + m_cost.passSeconds;
        return m_replay && seconds > 0 ? m_replay->GetPassSeconds(m_iteration) / seconds : 1;
    }

    /** Reserve memory for the share in force and compute it. */
    void StartIteration();
    /** @return bytes of activations and working tensors, per sample of a pass */
    uint64_t GetSampleBytes() const;
    /**
     * Reserve memory for the activations of as many samples of the share as fit.
     * @return samples of a pass; 0 if not even one fits
     */
    uint64_t ReserveActivations();
    /** The gradients of another bucket, or the whole share, have been computed. */
    void FinishCompute();

    /** Update the weights. */
    void Update()
    {
        m_compute->Run(DataParallelTag{DataParallelTag::UPDATE, m_iteration}.Pack(),
                       m_cost.updateSeconds,
                       m_updateDone,
                       GetJobNumber());
    }

    /** The weight update has finished. */
    void FinishUpdate()
    {
        if (m_state != STOPPED)
        {
            m_exchange->NotifyUpdated();
        }
    }

    /**
     * This worker has the iteration's new weights.
     * @param version of the next iteration's shares
     */
    void FinishIteration(uint32_t version);

    /**
     * Stop, and announce the end.
     * @param refusal why the worker cannot go on; may be empty
     */
    void Finish(const std::string& refusal)
    {
        m_state = STOPPED;
        m_refusal = refusal;
        m_memory->Close();
        NotifyFinished();
    }

    /** A version of the shares, for this worker. */
    struct Share
    {
        uint64_t samples;            //!< share of this worker
        DataParallelMembers members; //!< who trains
    };

    /// What the worker is doing.
    enum State
    {
        OUTSIDE,
        GREETING,
        COMPUTING,
        EXCHANGING,
        STOPPED,
    };

    std::unique_ptr<MemoryAccount> m_memory;   //!< its part of the device's memory
    DataParallelCost m_cost;                   //!< of training
    Ptr<GradientExchange> m_exchange;          //!< of gradients
    ComputeDevice::DoneCallback m_computeDone; //!< calls FinishCompute
    ComputeDevice::DoneCallback m_updateDone;  //!< calls FinishUpdate
    std::string m_refusal;                     //!< why the worker cannot go on
    uint32_t m_iterations;                     //!< how many to run
    uint32_t m_iteration{0};                   //!< the present one
    uint64_t m_bucketBytes;                    //!< of a bucket; 0: one bucket
    uint64_t m_firstBucketBytes;               //!< of the first bucket
    std::vector<GradientBucket> m_buckets;     //!< of gradients
    std::size_t m_ready{0};                    //!< computed buckets of the present share
    State m_state{GREETING};                   //!< what the worker is doing
    std::map<uint32_t, Share> m_shares;        //!< by version, the present one and later
    uint32_t m_version{0};                     //!< present version
    uint32_t m_announced{0};                   //!< version announced for the next iteration
    uint64_t m_activationBytes{0};             //!< reserved for activations
    uint64_t m_activationSamples{0};           //!< the share that they are reserved for
    uint64_t m_passSamples{0};                 //!< samples of a pass
    Time m_computeStart;                       //!< start of the present share
    double m_finishedOps{0};                   //!< operations since they were last measured
    double m_finishedSeconds{0};               //!< computing time since then
    double m_opsPerSecond{0};                  //!< as last measured

    /// Fires when the worker begins to compute its share.
    TracedCallback<uint32_t /* iteration */> m_beginTrace;
    /// Fires when the worker has computed its share.
    TracedCallback<uint32_t /* iteration */, uint64_t /* samples */> m_computedTrace;
    /// Fires when the worker has the new weights.
    TracedCallback<uint32_t /* iteration */, uint32_t /* version */> m_iterationEndTrace;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_DATA_PARALLEL_WORKER_H */
