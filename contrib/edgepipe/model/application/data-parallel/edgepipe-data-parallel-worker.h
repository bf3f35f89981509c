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
 * of each iteration, exchanges gradients and updates.
 *
 * The node is an edge device. Its memory holds weights, gradients and the optimizer's state, the
 * gradients once more as the exchange packs them, and the activations and tensors at work
 * (CountStageMemory) of as many samples of the share as fit; a larger share is computed in several
 * passes, each of which costs DataParallelCost::passSeconds. It stays reserved while the share is
 * in force, as training frameworks keep it. Training goes on without a word from anyone: an
 * iteration begins when the one before has ended. The exchange says with which version of the
 * shares.
 *
 * Gradients are exchanged in buckets while the backward pass goes on, if the exchange takes them,
 * see FillBuckets. Gradients of several passes add up, so the buckets are those of the last pass.
 */
class DataParallelWorker : public EdgeApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    /**
     * Say what the worker is to do; to be called on its node, before the application starts.
     *
     * @param rank of the worker
     * @param ranks of all workers
     * @param cost of training
     * @param exchange of gradients
     * @param samples its share at first; 0: it waits to be let in
     * @param members ranks of those that have a share at first, in their order
     */
    void SetUp(uint32_t rank,
               std::shared_ptr<const WorkerRanks> ranks,
               const DataParallelCost& cost,
               Ptr<GradientExchange> exchange,
               uint64_t samples,
               std::vector<uint32_t> members);

    /**
     * Learn of a share; it comes into force when the exchange says its version.
     *
     * @param version of the shares
     * @param samples the share; 0: the worker is out from then on
     * @param members ranks of those that are in, in their order; none: as in the version before
     */
    void AddShare(uint32_t version, uint64_t samples, std::vector<uint32_t> members)
    {
        m_shares[version] = {samples,
                             members.empty() ? m_shares.rbegin()->second.members : members};
    }

    /**
     * At the first worker: have all workers use a version from the next iteration on. All must
     * have been told of it.
     *
     * @param version of the shares
     */
    void Announce(uint32_t version)
    {
        m_announced = version;
    }

    /** @return operations per second of computing, of the shares finished since the last call; as
     *          before if there was none, 0 before the first */
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

    /** @return whether it takes part, or did until the training ended: it has been let in, and has
     *          not been let go */
    bool IsIn() const
    {
        return m_state != OUTSIDE && GetSamples() > 0;
    }

    /** @return ranks of those that take part in the present iteration, in their order */
    const std::vector<uint32_t>& GetMembers() const
    {
        return m_shares.at(m_version).members;
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

    /** @return how it exchanges gradients */
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
     * The weights to begin with are there.
     *
     * @param iteration the first
     * @param version of the shares
     */
    void Enter(uint32_t iteration, uint32_t version);
    /** Take memory for the share in force and compute it. */
    void StartIteration();
    /** @return bytes of activations and tensors at work, per sample of a pass */
    uint64_t GetSampleBytes() const;
    /**
     * Take memory for the activations of a share, as much as there is.
     * @return samples of a pass; 0 if there is no memory for one
     */
    uint64_t ReserveActivations();
    /** The share is computed as far as the gradients of another bucket, or to its end. */
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
     * The weights of this iteration are there.
     * @param version of the next iteration's shares
     */
    void FinishIteration(uint32_t version);

    /**
     * Stop, and tell whoever follows.
     * @param refusal why the worker cannot go on; may be empty
     */
    void Finish(const std::string& refusal)
    {
        m_state = STOPPED;
        m_refusal = refusal;
        m_memory->Close();
        NotifyFinished();
    }

    /** What a version of the shares means for this worker. */
    struct Share
    {
        uint64_t samples;              //!< to compute
        std::vector<uint32_t> members; //!< ranks of those that are in
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
    std::size_t m_ready{0};                    //!< buckets of the present share that are made
    State m_state{GREETING};                   //!< what the worker is doing
    std::map<uint32_t, Share> m_shares;        //!< by version, the present one and later
    uint32_t m_version{0};                     //!< the present one
    uint32_t m_announced{0};                   //!< of the next iteration
    uint64_t m_activationBytes{0};             //!< reserved for activations
    uint64_t m_activationSamples{0};           //!< the share that they are reserved for
    uint64_t m_passSamples{0};                 //!< samples of a pass
    Time m_computeStart;                       //!< of the present share
    double m_finishedOps{0};                   //!< since they were last measured
    double m_finishedSeconds{0};               //!< of computing since then
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
