/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_GRADIENT_EXCHANGE_H
#define EDGEPIPE_GRADIENT_EXCHANGE_H

#include "ns3/callback.h"
#include "ns3/edgepipe-data-parallel-cost.h"
#include "ns3/edgepipe-data-parallel-message.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-tensor-socket.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * How the workers of data-parallel training sum their gradients; each worker has its own exchange.
 *
 * In each iteration a worker calls Begin for each bucket of gradients that it has computed. Buckets
 * are summed in that order, one after the other. After the last one the exchange calls
 * UpdateCallback if this worker is to update weights, and DoneCallback when it has the new weights.
 * Messages carry the version of the shares for the next iteration: the first worker sets it, and
 * all have received it by the end of the exchange, so the workers agree without further messages.
 * The time to add gradients is not modelled.
 *
 * Neighbours are determined by rank; the first worker has rank 0.
 */
class GradientExchange : public Typed<GradientExchange, Object>
{
  public:
    /// Called when the gradients are summed and this worker is to update weights.
    using UpdateCallback = Callback<void>;

    /// Called when this worker has the new weights, with the version of the next shares.
    using DoneCallback = Callback<void, uint32_t>;

    /** @return the short name users select the exchange by, unique among exchanges */
    virtual std::string GetName() const = 0;

    /** @return whether it merges messages, which requires a flow-level network */
    virtual bool NeedsFlows() const
    {
        return false;
    }

    /** @return whether gradients may come in buckets; otherwise all come at once */
    virtual bool TakesBuckets() const
    {
        return true;
    }

    /**
     * To be called before anything else; again for other workers or gradients, between two
     * iterations.
     *
     * @param rank of this worker
     * @param ranks of all workers
     * @param socket sends messages of this worker
     * @param buckets of gradients in their order, the same at all workers
     * @param update see UpdateCallback
     * @param done see DoneCallback
     * @param port of the messages, the same at all workers and every time
     */
    void SetUp(uint32_t rank,
               std::shared_ptr<const WorkerRanks> ranks,
               const TensorSocket& socket,
               const std::vector<GradientBucket>& buckets,
               UpdateCallback update,
               DoneCallback done,
               uint16_t port = DATA_PARALLEL_EXCHANGE_PORT);

    /**
     * Make the exchanges of all workers known to each other; to be called once, on each.
     *
     * @param all by rank, this one included
     */
    virtual void SetPeers(const std::vector<Ptr<GradientExchange>>& all)
    {
    }

    /**
     * Open the connections before the first iteration, and measure the time of hellos.
     *
     * @param greeted called when that is done
     */
    void Greet(Callback<void> greeted);

    /**
     * This worker has the gradients of another bucket, the first one if the iteration is new.
     *
     * @param iteration which iteration
     * @param version of the shares of the next iteration; used at the first worker only
     */
    void Begin(uint32_t iteration, uint32_t version);

    /**
     * Set the workers whose gradients are summed from the next Begin on; by default all.
     *
     * @param members their ranks, increasing, including 0 and this worker's
     */
    void SetMembers(DataParallelMembers members);

    /// Called when a worker joins, with its first iteration and the version of its shares.
    using AdmittedCallback = Callback<void, uint32_t, uint32_t>;

    /**
     * At a worker that is not a member yet: wait for the weights.
     *
     * @param admitted called when they have arrived
     */
    void AwaitWeights(AdmittedCallback admitted)
    {
        m_admitted = admitted;
    }

    /**
     * At the first worker: send a joining worker its initial weights.
     *
     * @param rank of the joining worker
     * @param iteration its first one
     * @param version of the shares of that iteration
     */
    void SendWeights(uint32_t rank, uint32_t iteration, uint32_t version)
    {
        m_socket.Send(m_ranks->GetNode(rank),
                      m_port,
                      DataParallelTag{DataParallelTag::WEIGHTS, iteration, 0, version}.Pack(),
                      m_bytes);
    }

    /** @return whether this worker is the first one, which never leaves */
    bool IsFirst() const
    {
        return m_rank == 0;
    }

    /** The requested weight update has finished. */
    void NotifyUpdated()
    {
        m_isUpdating = false;
        DoNotifyUpdated();
    }

    /** @return seconds that the last upload of gradients took; 0 where none is this worker's own */
    virtual double GetUploadSeconds() const
    {
        return 0;
    }

    /** @return bytes of all gradients */
    uint64_t GetBytes() const
    {
        return m_bytes;
    }

    /**
     * @return id of the node that receives this worker's gradients, over the link that determines
     *         the exchange time; nothing if it sends none
     */
    virtual std::optional<uint32_t> FindReceiver() const
    {
        const auto neighbours = GetNeighbours();
        return neighbours.empty() ? std::nullopt
                                  : std::optional(m_ranks->GetNode(GetWorker(neighbours.front())));
    }

    /**
     * Estimate the exchange time specific to this worker, which shares can compensate for.
     *
     * @param uplinkBitsPerSecond to its receiver, payload bit/s, > 0
     * @param downlinkBitsPerSecond from it, payload bit/s, > 0
     * @return seconds
     */
    virtual double FindOwnSeconds(double uplinkBitsPerSecond, double downlinkBitsPerSecond) const
    {
        return 0;
    }

    /** @return what the exchange waits for, in words; empty if nothing */
    std::string DescribeWait() const;

  protected:
    void DoDispose() override
    {
        m_socket = TensorSocket();
        Object::DoDispose();
    }

    /** @return place of this worker among the members, from 0; that of the first worker is 0 */
    uint32_t GetRank() const
    {
        return m_place;
    }

    /** @return number of members */
    uint32_t GetWorkers() const
    {
        return m_members->size();
    }

    /**
     * @param place of a member
     * @return its rank among all workers, for user messages
     */
    uint32_t GetWorker(uint32_t place) const
    {
        return (*m_members)[place];
    }

    /**
     * @param message from another member
     * @return that member's place
     */
    uint32_t GetSender(const Message& message) const;

    /** @return the present iteration */
    uint32_t GetIteration() const
    {
        return m_iteration;
    }

    /** @return sizes of the messages that Greet sends to each neighbour, one after the other, bytes
     */
    virtual std::vector<uint64_t> GetHelloBytes() const
    {
        return {DATA_PARALLEL_NOTICE_BYTES, DATA_PARALLEL_NOTICE_BYTES};
    }

    /**
     * @param round index in GetHelloBytes; the first message opens the connection
     * @return mean time of that message to a neighbour
     */
    Time GetHelloTime(uint32_t round) const
    {
        return m_helloTimes[round];
    }

    /**
     * Send a message.
     *
     * @param to place of the receiving member
     * @param tag of the message
     * @param bytes payload
     * @param delivered called on delivery; may be null
     */
    void Send(uint32_t to,
              const DataParallelTag& tag,
              uint64_t bytes,
              Callback<void> delivered = {}) const
    {
        const uint32_t node = m_ranks->GetNode(GetWorker(to));
        m_socket.Send(node, m_port, tag.Pack(), bytes, "", delivered);
    }

    /** @return bytes of the bucket that is being summed */
    uint64_t GetBucketBytes() const
    {
        return m_buckets[m_summed];
    }

    /** The bucket is summed; after the last one this worker is to update weights. */
    void FinishBucket();

    /** This worker has the new weights. */
    void Finish()
    {
        m_isExchanging = false;
        m_done(m_version);
    }

    uint32_t m_version{0}; //!< of the next shares, as far as received

  private:
    /** @return places of the members that this worker sends to; by default the next one */
    virtual std::vector<uint32_t> GetNeighbours() const
    {
        return std::vector<uint32_t>(GetWorkers() > 1 ? 1 : 0, (GetRank() + 1) % GetWorkers());
    }

    /**
     * This worker has the gradients of the next bucket, and the one before is summed. m_version is
     * set at the first worker; elsewhere it is 0 or what has been received.
     */
    virtual void DoBegin() = 0;
    /**
     * Gradients or weights have arrived.
     *
     * @param message the message
     * @param tag its tag
     */
    virtual void DoReceive(const Message& message, const DataParallelTag& tag) = 0;

    /** The weight update has finished. */
    virtual void DoNotifyUpdated()
    {
        Finish();
    }

    /** @return what the exchange waits for, once begun and not finished */
    virtual std::string DoDescribeWait() const = 0;

    /**
     * A message for this exchange has arrived.
     * @param message the message
     */
    void Receive(const Message& message);
    /** Begin the next bucket if its gradients are ready and no other is being summed. */
    void BeginBucket();
    /** Say hello to every neighbour. */
    void SayHello();
    /** A hello has arrived. */
    void NoticeHello();

    uint32_t m_rank{0};                         //!< of this worker
    DataParallelMembers m_members;              //!< the workers whose gradients are summed
    uint32_t m_place{0};                        //!< of this worker among them
    AdmittedCallback m_admitted;                //!< null unless waiting for the weights
    std::vector<Message> m_early;               //!< of iterations not yet begun
    std::shared_ptr<const WorkerRanks> m_ranks; //!< of all workers
    TensorSocket m_socket;                      //!< sends messages
    uint16_t m_port{0};                         //!< of messages
    std::vector<uint64_t> m_buckets;            //!< bytes of gradients, in their order
    uint64_t m_bytes{0};                        //!< of all gradients
    std::size_t m_ready{0};                     //!< buckets whose gradients are ready
    std::size_t m_summed{0};                    //!< summed buckets
    bool m_isSumming{false};                    //!< whether the next one has begun
    UpdateCallback m_update;                    //!< see UpdateCallback
    DoneCallback m_done;                        //!< see DoneCallback
    Callback<void> m_greeted;                   //!< see Greet
    uint32_t m_hellos{0};                       //!< not yet delivered
    Time m_helloSent;                           //!< start of the present round
    Time m_helloTime;                           //!< sum over the present round
    std::vector<Time> m_helloTimes;             //!< of past rounds, see GetHelloTime
    uint32_t m_iteration{0};                    //!< the present one
    bool m_isExchanging{false};                 //!< whether begun and not finished
    bool m_isUpdating{false};                   //!< whether an update has been requested
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_GRADIENT_EXCHANGE_H */
