/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_LEARNER_HELPER_H
#define EDGEPIPE_ACTOR_LEARNER_HELPER_H

#include "edgepipe-attribute-list.h"

#include "ns3/application-container.h"
#include "ns3/attribute.h"
#include "ns3/data-rate.h"
#include "ns3/edgepipe-actor-plan.h"
#include "ns3/edgepipe-dnn-graph.h"
#include "ns3/edgepipe-edge-server.h"
#include "ns3/edgepipe-multi-actor-problem.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Installs actor-learner inference: an EdgeServer with its Learner on one node, and an ActorDevice
 * on each of the others. All are edge devices (EdgeDeviceHelper) with a transport
 * (TransportHelper).
 *
 * Actors join when their applications start and leave when these stop; ActorDevice::Join and Leave
 * do so in between. Nothing is planned before an actor joins. Several may be installed, on the same
 * nodes, too.
 */
class ActorLearnerHelper
{
  public:
    /// What a transfer from a node to another gets, payload bit/s; called when an actor joins.
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
     * @param model the network and the server's speed; actors' speeds are told by SetSpeed
     * @param parameterBytes of layers 1 to K
     */
    ActorLearnerHelper(MultiActorModel model, std::vector<uint64_t> parameterBytes);

    /**
     * Choose who plans; "defp" unless told otherwise.
     *
     * @param name of a MultiActorPlanner
     * @param mostSeconds of a decision, for planners with the attribute TimeLimit
     * @throws InputError if there is no such planner
     */
    void SetPlanner(const std::string& name, double mostSeconds = 600);

    /**
     * @param name of an attribute of the planner
     * @param value its value
     */
    void SetPlannerAttribute(const std::string& name, const AttributeValue& value);

    /** @param budgets what actors share; all that they ask for unless told otherwise */
    void SetBudgets(const ActorBudgets& budgets);

    /**
     * Say how fast an actor is. Unless told, it is as its device's layer costs say.
     *
     * @param actor its node
     * @param flopPerSecond with the model, FLOP/s, above 0
     */
    void SetSpeed(const Ptr<Node>& actor, double flopPerSecond);

    /**
     * Say what every actor tells of its link when it joins. Unless told, it is the least DataRate
     * among its node's net devices and their channels.
     *
     * @param bandwidth to and from the server, payload, above 0
     */
    void SetBandwidth(DataRate bandwidth);

    /** @param capacity is asked for an actor's link when it joins */
    void SetCapacity(Capacity capacity);

    /**
     * @param name of an attribute of ActorDevice, such as EnvironmentSeconds; a random variable
     *        given as text is made anew for every actor
     * @param value its value
     */
    void SetActorAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @param name of an attribute of EdgeServer
     * @param value its value
     */
    void SetServerAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @param name of an attribute of Learner. With a graph, UpdateSeconds is what the server's
     *        layer costs say of BatchSteps, unless it is told.
     * @param value its value
     */
    void SetLearnerAttribute(const std::string& name, const AttributeValue& value);

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
     * @param applications what Install returned; those of others are left alone
     * @param stream the first to use
     * @return how many are used
     */
    static int64_t AssignStreams(const ApplicationContainer& applications, int64_t stream);

  private:
    /**
     * @param server its node
     * @return the network and the server's speed
     */
    MultiActorModel BuildModel(const Ptr<Node>& server) const;
    /**
     * @param actor its node
     * @param speeds found so far, FLOP/s, by type of device
     * @return its speed, FLOP/s
     */
    double FindSpeed(const Ptr<Node>& actor, std::map<std::string, double>& speeds) const;
    /**
     * @param server its node
     * @return the server's application
     */
    Ptr<EdgeServer> MakeServer(const Ptr<Node>& server) const;

    std::shared_ptr<const DnnGraph> m_graph; //!< the model; null: given without one
    MultiActorModel m_model;                 //!< given, if there is no graph
    std::vector<uint64_t> m_parameterBytes;  //!< of layers 1 to K
    std::string m_planner{"defp"};           //!< who plans
    double m_planSeconds{600};               //!< most of a decision
    ActorBudgets m_budgets;                  //!< what actors share
    std::map<uint32_t, double> m_speeds;     //!< told, FLOP/s, by node
    double m_bitsPerSecond{0};               //!< of links; 0: not told
    Capacity m_capacity;                     //!< of links; null: not told
    ObjectFactory m_server;                  //!< makes servers
    AttributeList m_planning;                //!< of planners
    AttributeList m_actor;                   //!< of actors
    AttributeList m_learner;                 //!< of learners
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ACTOR_LEARNER_HELPER_H */
