/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DATA_PARALLEL_HELPER_H
#define EDGEPIPE_DATA_PARALLEL_HELPER_H

#include "edgepipe-job-helper.h"

#include "ns3/edgepipe-batch-shares-planner.h"
#include "ns3/edgepipe-data-parallel-cost.h"
#include "ns3/edgepipe-dnn-graph.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <map>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Installs data-parallel training: a DataParallelWorker and a DataParallelReporter on each node,
 * and a DataParallelFirstNode on one of them. The nodes are edge devices (EdgeDeviceHelper) with a
 * transport (TransportHelper).
 *
 * Workers have ranks: the first node 0, the others from 1 on, in their order. Shares are equal
 * until the planner, by default "bno", has metrics. Several trainings may be installed, also on the
 * same nodes.
 *
 * SetMonitor has the links of gradients monitored, with first estimates from its capacity or else
 * SetBandwidth. Without it they are only known by response times to small messages, and by uploads
 * to a parameter server.
 */
class DataParallelHelper : public Typed<DataParallelHelper, ObjectBase>,
                           public JobHelper<BatchSharesPlanner>
{
  public:
    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    /**
     * @param model a file's path or a name in the folder `models` of the traces folder, such as
     *        "resnet50"
     * @throws InputError for an unknown model or a malformed file
     */
    explicit DataParallelHelper(const std::string& model);

    /** @param graph the model */
    explicit DataParallelHelper(DnnGraph graph);

    /** @param costs of training, in the order of the nodes passed to Install */
    explicit DataParallelHelper(std::vector<DataParallelCost> costs);

    /** @param layers names of the model's, by default those of its graph, for nodes that replay a
     *         recording (LayerReplay) */
    void SetLayers(std::vector<std::string> layers)
    {
        m_layers = std::move(layers);
    }

    /** @param index of the node that decides shares and has rank 0; by default 0 */
    void SetFirstNode(uint32_t index)
    {
        m_firstNode = index;
    }

    /**
     * Let a worker join or leave during the training; by default all are in from start to end. It
     * asks the first node, and joins or leaves with the first iteration whose shares say so. The
     * first worker sends the weights to one that joins.
     *
     * @param index of a node, not of the first node
     * @param join when it asks to join; 0: it is in from the start
     * @param leave when it asks to leave, later; 0: it stays
     */
    void SetPresence(uint32_t index, const Time& join, const Time& leave)
    {
        m_presence[index] = {join, leave};
    }

    /**
     * Send metrics and shares over another network.
     *
     * @param nodes with a transport, one for each worker, in their order; by default those of the
     *        workers
     */
    void SetControlNodes(const NodeContainer& nodes)
    {
        m_control = nodes;
    }

    /**
     * @param name of an attribute of DataParallelWorker
     * @param value its value
     */
    void SetWorkerAttribute(const std::string& name, const AttributeValue& value)
    {
        m_worker.Set(name, value);
    }

    /**
     * @param name of an attribute of DataParallelReporter
     * @param value its value
     */
    void SetReporterAttribute(const std::string& name, const AttributeValue& value)
    {
        m_reporter.Set(name, value);
    }

    /**
     * @param name of an attribute of DataParallelFirstNode
     * @param value its value
     */
    void SetFirstNodeAttribute(const std::string& name, const AttributeValue& value)
    {
        m_decider.Set(name, value);
    }

    /**
     * @param nodes the workers
     * @return the workers' applications by rank, the reporters' by rank, the first node's
     * @throws InputError if a node is no edge device or has no transport, or if the training makes
     *         no sense
     */
    ApplicationContainer Install(const NodeContainer& nodes) const;

  private:
    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    /**
     * @param nodes of all workers
     * @return the same, the first node first
     */
    NodeContainer SortByRank(const NodeContainer& nodes) const;
    /**
     * @param rank of a worker
     * @return when it joins and leaves, see SetPresence
     */
    std::pair<Time, Time> GetPresence(uint32_t rank) const;
    /**
     * @param nodes of all workers, by rank
     * @return costs of training by rank
     */
    std::vector<DataParallelCost> FindCosts(const NodeContainer& nodes) const;

    std::shared_ptr<const DnnGraph> m_graph;              //!< the model; null: costs are given
    std::vector<DataParallelCost> m_costs;                //!< given, by node
    std::vector<std::string> m_layers;                    //!< names of the model's
    std::string m_exchange;                               //!< name of the GradientExchange
    uint64_t m_baseBatch;                                 //!< samples of all workers; 0: 32 each
    bool m_normalize;                                     //!< see BatchSharesProblem
    double m_replanThreshold;                             //!< see Replanner
    uint32_t m_firstNode{0};                              //!< index of a node
    std::map<uint32_t, std::pair<Time, Time>> m_presence; //!< joining and leaving, by node
    NodeContainer m_control;  //!< of metrics and shares; none: those of the workers
    ObjectFactory m_worker;   //!< makes workers
    ObjectFactory m_reporter; //!< makes reporters
    ObjectFactory m_decider;  //!< makes first nodes
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_DATA_PARALLEL_HELPER_H */
