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
 * The edge server of actor-learner inference: runs the layers after every actor's cut, decides the
 * cuts (ActorReplanner), passes steps to the learner and distributes its parameters.
 *
 * The node is an edge device with a transport; the server starts no later than its actors. Requests
 * are served in the order in which their tensors arrive, one at a time or in batches
 * (ActorRequests), on the processor that the learner trains on; eq. 6 has no such queue. An actor
 * is sent the parameters of the layers it runs, with a cut that needs missing ones, and every
 * ParameterPeriod if there are newer ones. Steps at y = 0 need no trajectory, since the server has
 * seen the observation.
 */
class ActorServer : public Typed<ActorServer, EdgeApplication>
{
  public:
    /// Returns the speed and the link of a joining actor.
    using Describe = std::function<MultiActor(uint32_t actor)>;

    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    ActorServer()
        : Typed(ACTOR_SERVER_PORT),
          m_learner(CreateObject<Learner>()),
          m_replanner(CreateObject<ActorReplanner>())
    {
    }

    /**
     * To be called before the application starts.
     *
     * @param model common to all actors
     * @param batchSeconds of layers for batches of 1, 2, ... requests; empty: by FLOP, one by one
     * @param parameterBytes of the layers
     * @param planner makes the plans
     * @param budgets shared by the actors
     * @param describe returns the speed and the link of a joining actor
     * @throws InputError if the model or budgets are malformed
     */
    void SetUp(const MultiActorModel& model,
               std::vector<std::vector<double>> batchSeconds,
               const std::vector<uint64_t>& parameterBytes,
               Ptr<MultiActorPlanner> planner,
               const ActorBudgets& budgets,
               Describe describe);

    /** @return the learner, which trains on the same processor */
    Ptr<Learner> GetLearner() const
    {
        return m_learner;
    }

    /** @return the replanner, which runs the planner */
    Ptr<ActorReplanner> GetReplanner() const
    {
        return m_replanner;
    }

    /** Stop distributing, training and planning; pending requests are still answered. */
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
    /** State of a joined actor. */
    struct Client
    {
        uint32_t stay{0};        //!< number of its stay
        std::size_t layers{0};   //!< layers that it was told to run: 1 to this
        std::size_t held{0};     //!< parameters that it was sent: layers 1 to this
        uint32_t version{0};     //!< learner's version of these
        bool isReceiving{false}; //!< whether parameters are in transit
        bool isAnswering{false}; //!< whether it has not confirmed a cut yet
        uint32_t requests{0};    //!< being served
    };

    void StartApplication() override;
    void Receive(const Message& message) override;

    /** Send the cuts that can be sent now. */
    void SendOrders();
    /**
     * @param actor to send the newest parameters of its layers to
     * @param client its state
     */
    void SendParameters(uint32_t actor, Client& client);
    /** Send newer parameters to all actors that run layers. */
    void Distribute();

    Time m_parameterPeriod;                    //!< see Distribute
    Ptr<Learner> m_learner;                    //!< trains
    std::vector<uint64_t> m_parameterBytes;    //!< of layers 1 to y, by y
    uint64_t m_actionBytes{0};                 //!< b_K
    uint32_t m_mostBatch;                      //!< most requests of a batch
    ActorRequests m_requests;                  //!< waiting for the processor
    Ptr<ActorReplanner> m_replanner;           //!< decides the cuts
    std::unique_ptr<ActorHandover> m_handover; //!< orders the cut changes
    Describe m_describe;                       //!< describes a joining actor
    std::map<uint32_t, Client> m_clients;      //!< joined actors
    EventId m_distribution;                    //!< next call of Distribute

    /// Fires when the layers of a request are computed.
    TracedCallback<const ServedRecord& /* request */> m_servedTrace;
    /// Fires when a plan is complete and actors can be told.
    TracedCallback<const PlanChangeRecord& /* change */> m_planTrace;
    /// Fires when the possible budget use of the actors changes.
    TracedCallback<const BudgetRecord& /* use */> m_budgetTrace;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ACTOR_SERVER_H */
