/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_SERVER_H
#define EDGEPIPE_ACTOR_SERVER_H

#include "ns3/edgepipe-actor-handover.h"
#include "ns3/edgepipe-actor-message.h"
#include "ns3/edgepipe-actor-record.h"
#include "ns3/edgepipe-actor-replanner.h"
#include "ns3/edgepipe-actor-requests.h"
#include "ns3/edgepipe-edge-application.h"
#include "ns3/edgepipe-learner.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * The edge server of actor-learner inference: runs the layers behind every actor's cut, has who
 * cuts where decided (ActorReplanner), hands steps to the learner and its parameters out.
 *
 * The node is an edge device with a transport; the server starts no later than its actors. Requests
 * are served in the order in which their tensors arrived, one at a time or in batches
 * (ActorRequests), on the processor that the learner trains on; eq. 6 has no such queue. Parameters
 * go to an actor with a cut that needs some it lacks, and every ParameterPeriod if there are newer
 * ones: of the layers it runs, so nothing goes to an actor that runs none. Steps at y = 0 need no
 * trajectory, since the server has seen the observation.
 */
class ActorServer : public EdgeApplication
{
  public:
    /// What an actor that joins can do: its speed and its link.
    using Describe = std::function<MultiActor(uint32_t actor)>;

    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    ActorServer()
        : EdgeApplication(ACTOR_SERVER_PORT),
          m_learner(CreateObject<Learner>()),
          m_replanner(CreateObject<ActorReplanner>())
    {
    }

    /**
     * To be called before the application starts.
     *
     * @param model what is the same for all actors
     * @param batchSeconds of layers for batches of 1, 2, ... requests; empty: by FLOP, one by one
     * @param parameterBytes of the layers
     * @param planner decides
     * @param budgets what actors share
     * @param describe what is known of an actor when it joins
     * @throws InputError if the model or budgets are malformed
     */
    void SetUp(const MultiActorModel& model,
               std::vector<std::vector<double>> batchSeconds,
               const std::vector<uint64_t>& parameterBytes,
               Ptr<MultiActorPlanner> planner,
               const ActorBudgets& budgets,
               Describe describe);

    /** @return trains on the same processor */
    Ptr<Learner> GetLearner() const
    {
        return m_learner;
    }

    /** @return has the planner asked */
    Ptr<ActorReplanner> GetReplanner() const
    {
        return m_replanner;
    }

    /** Distribute, train and plan no more, also once nothing but answers is to come. */
    void StopApplication() override
    {
        m_distribution.Cancel();
        m_learner->Stop();
        m_replanner->Stop();
    }

    /** @return what it waits for, in words; empty if it waits for nothing */
    std::string DescribeWait() const override;

    /**
     * TracedCallback signature of the trace source Served.
     *
     * @param [in] request that was answered
     */
    typedef void (*ServedTracedCallback)(const ServedRecord& request);

    /**
     * TracedCallback signature of the trace source PlanChange.
     *
     * @param [in] change of the plan
     */
    typedef void (*PlanTracedCallback)(const PlanChangeRecord& change);

    /**
     * TracedCallback signature of the trace source BudgetUse.
     *
     * @param [in] use of the budgets
     */
    typedef void (*BudgetTracedCallback)(const BudgetRecord& use);

  protected:
    void DoDispose() override;

  private:
    /** What is known of an actor that is in. */
    struct Client
    {
        uint32_t stay{0};        //!< number of its stay
        std::size_t layers{0};   //!< that it was told to run: 1 to that
        std::size_t held{0};     //!< whose parameters it was sent: 1 to that
        uint32_t version{0};     //!< of these parameters
        bool isReceiving{false}; //!< whether some are under way
        bool isAnswering{false}; //!< whether it has yet to take a cut
        uint32_t requests{0};    //!< that are being served
    };

    void StartApplication() override;
    void Receive(const Message& message) override;

    /** Tell actors what can be told now. */
    void Tell();
    /**
     * @param actor to send the newest parameters of its layers to
     * @param client what is known of it
     */
    void SendParameters(uint32_t actor, Client& client);
    /** Send newer parameters to all that hold some. */
    void Distribute();

    Time m_parameterPeriod;                    //!< see Distribute
    Ptr<Learner> m_learner;                    //!< trains
    std::vector<uint64_t> m_parameterBytes;    //!< of layers 1 to y, by y
    uint64_t m_actionBytes{0};                 //!< b_K
    uint32_t m_mostBatch;                      //!< requests that are computed together
    ActorRequests m_requests;                  //!< that wait for the processor
    Ptr<ActorReplanner> m_replanner;           //!< decides
    std::unique_ptr<ActorHandover> m_handover; //!< carries it out
    Describe m_describe;                       //!< what an actor tells when it joins
    std::map<uint32_t, Client> m_clients;      //!< actors that are in
    EventId m_distribution;                    //!< the next

    /// Fires when the layers of a request are computed.
    TracedCallback<const ServedRecord& /* request */> m_servedTrace;
    /// Fires when the planner has been asked and actors can be told.
    TracedCallback<const PlanChangeRecord& /* change */> m_planTrace;
    /// Fires when what actors may be using of the budgets changes.
    TracedCallback<const BudgetRecord& /* use */> m_budgetTrace;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ACTOR_SERVER_H */
