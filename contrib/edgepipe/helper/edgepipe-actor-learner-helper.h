/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_LEARNER_HELPER_H
#define EDGEPIPE_ACTOR_LEARNER_HELPER_H

#include "edgepipe-job-helper.h"

#include "ns3/edgepipe-actor-replanner.h"
#include "ns3/edgepipe-actor-server.h"
#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/edgepipe-dnn-graph.h"
#include "ns3/edgepipe-layer-cost.h"
#include "ns3/edgepipe-multi-actor-problem.h"

#include <cstdint>
#include <functional>
#include <map>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Installs actor-learner inference: an ActorServer with its Learner on one node, and an ActorDevice
 * on each of the others. All are edge devices (EdgeDeviceHelper) with a transport
 * (TransportHelper).
 *
 * Actors join when their applications start and leave when these stop; ActorDevice::Join and Leave
 * do so in between. Nothing is planned before an actor joins. Several jobs may be installed,
 * also on the same nodes.
 */
class ActorLearnerHelper : public JobHelper<MultiActorPlanner>
{
  public:
    /// Bandwidth of a transfer between two nodes, payload bit/s; called when an actor joins.
    using Capacity = std::function<double(uint32_t from, uint32_t to)>;

    /**
     * @param model a file's path or a name in the folder `models` of the traces folder, such as
     *        "atari_cnn"
     * @throws InputError for an unknown model or a malformed file
     */
    explicit ActorLearnerHelper(const std::string& model);

    /** @param graph the model */
    explicit ActorLearnerHelper(DnnGraph graph);

    /**
     * @param model the DNN, and the server's speed or layer times, as planners are told; SetActor
     *        sets actors' speeds
     * @param parameterBytes of layers 1 to K
     * @param batchSeconds execution times on the server, see ActorRequests::SetUp; empty: those of
     *        the model
     */
    ActorLearnerHelper(MultiActorModel model,
                       std::vector<uint64_t> parameterBytes,
                       std::vector<std::vector<double>> batchSeconds = {});

    /** @param budgets what actors share; by default all that they ask for */
    void SetBudgets(const ActorBudgets& budgets)
    {
        m_budgets = budgets;
    }

    /**
     * Set an actor's speed and layer times, by default those of its device's layer costs, where
     * planners are told the speed alone, for eq. 5.
     *
     * @param actor its node
     * @param executed as it runs
     * @param told to planners
     */
    void SetActor(const Ptr<Node>& actor, const MultiActor& executed, const MultiActor& told)
    {
        m_actors[actor->GetId()] = {executed, told};
    }

    /** @param capacity called for an actor's link when it joins */
    void SetCapacity(Capacity capacity)
    {
        m_capacity = std::move(capacity);
    }

    /**
     * @param name of an attribute of ActorDevice, such as EnvironmentSeconds; a random variable
     *        given as text is made separately for every actor
     * @param value its value
     */
    void SetActorAttribute(const std::string& name, const AttributeValue& value)
    {
        m_actor.Add(name, value);
    }

    /**
     * @param name of an attribute of the Replanner that says when an actor reports
     * @param value its value
     */
    void SetReporterAttribute(const std::string& name, const AttributeValue& value)
    {
        m_reporter.Add(name, value);
    }

    /**
     * @param name of an attribute of ActorServer
     * @param value its value
     */
    void SetServerAttribute(const std::string& name, const AttributeValue& value)
    {
        m_server.Set(name, value);
    }

    /**
     * @param name of an attribute of Learner. With a graph, UpdateSeconds by default is that of
     *        the server's layer costs for BatchSteps.
     * @param value its value
     */
    void SetLearnerAttribute(const std::string& name, const AttributeValue& value)
    {
        m_learner.Add(name, value);
    }

    /**
     * @param actors devices that may join
     * @param server that serves them
     * @return the server's application, then the actors'
     * @throws InputError if a node is no edge device or has no transport, if no bandwidth or no
     *         speed is known, or if model and budgets make no problem
     */
    ApplicationContainer Install(const NodeContainer& actors, const Ptr<Node>& server) const;

    /**
     * Give the actors random streams of their own.
     *
     * @param applications what Install returned; other applications are left alone
     * @param stream the first to use
     * @return how many are used
     */
    static int64_t AssignStreams(const ApplicationContainer& applications, int64_t stream);

  private:
    /**
     * @param server its node
     * @return the DNN and the server's speed
     */
    MultiActorModel BuildModel(const Ptr<Node>& server) const;
    /**
     * @param actor its node
     * @param costs found so far, by type of device
     * @return its speed and layer times as it runs, and as planners are told; its link is not
     *         known yet
     */
    std::pair<MultiActor, MultiActor> FindActor(
        const Ptr<Node>& actor,
        const std::map<std::string, LayerCost>& costs) const;
    /**
     * @param server its node
     * @param model the DNN and the server
     * @return execution times of layers on it, see ActorRequests::SetUp
     */
    std::vector<std::vector<double>> ListBatchSeconds(const Ptr<Node>& server,
                                                      const MultiActorModel& model) const;
    /**
     * @param server its node
     * @return the server's application
     */
    Ptr<ActorServer> MakeServer(const Ptr<Node>& server) const;

    std::shared_ptr<const DnnGraph> m_graph; //!< the model; null: given without one
    MultiActorModel m_model;                 //!< given, if there is no graph
    std::vector<uint64_t> m_parameterBytes;  //!< of layers 1 to K
    ActorBudgets m_budgets;                  //!< what actors share
    std::map<uint32_t, std::pair<MultiActor, MultiActor>> m_actors; //!< see SetActor, by node
    std::vector<std::vector<double>> m_batchSeconds; //!< of the server; empty: not set
    Capacity m_capacity;                             //!< of links; null: not set
    ObjectFactory m_server;                          //!< makes servers
    AttributeList m_actor;                           //!< of actors
    AttributeList m_learner;                         //!< of learners
    AttributeList m_reporter;                        //!< of reporters
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ACTOR_LEARNER_HELPER_H */
