/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DATA_PARALLEL_INPUTS_H
#define EDGEPIPE_DATA_PARALLEL_INPUTS_H

#include "lib/adaptive-inputs.h"
#include "lib/scenario-options.h"
#include "runs/data-parallel-run.h"

#include "ns3/edgepipe-cluster.h"
#include "ns3/edgepipe-dnn-graph.h"
#include "ns3/edgepipe-layer-cost.h"

#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * What a model costs each worker to train, see FindDataParallelCosts.
 *
 * @param traces the traces folder
 * @param graph the model
 * @param cluster the devices
 * @param workers how many; beyond the cluster's devices, these are repeated
 * @param costs set to the costs of the batch of 32, by device type
 * @return the workers
 * @throws InputError if a profile cannot be used
 */
std::vector<DataParallelNode> MakeDataParallelNodes(const std::string& traces,
                                                    const DnnGraph& graph,
                                                    const Cluster& cluster,
                                                    uint32_t workers,
                                                    std::map<std::string, LayerCost>& costs);

/**
 * @ingroup edgepipe
 *
 * What the scenario data-parallel is asked to do: its options and the files they name, read and
 * checked.
 */
class DataParallelInputs
{
  public:
    /** @param options of the scenario, to declare; their values are handed to this object */
    explicit DataParallelInputs(ScenarioOptions& options);

    /**
     * Read the model, the devices and the layer costs, and check what concerns several options.
     *
     * @throws InputError if something cannot be used
     */
    void Read();

    DataParallelOptions run;                //!< how to run, but for the planner
    std::vector<std::string> planners;      //!< their names
    DnnGraph graph;                         //!< the model
    Cluster cluster;                        //!< the devices
    std::vector<DataParallelNode> nodes;    //!< the workers
    std::map<std::string, LayerCost> costs; //!< by device type

  private:
    /** Refuse what makes no sense of when shares are decided anew. */
    void CheckReplanning() const;
    /** Read --control. */
    void ReadControl();
    /**
     * @param option that has the text
     * @param text a worker's name and a time, such as NAME@20s
     * @return both
     */
    std::pair<std::string, Time> ReadMoment(const std::string& option,
                                            const std::string& text) const;
    /**
     * @param option join or leave
     * @param moment of a worker, set to when it does
     */
    void ReadPresence(const std::string& option, Time DataParallelNode::*moment);

    ScenarioOptions& m_options; //!< of the scenario
    uint32_t m_workers{0};      //!< how many; 0: one for each device
    uint32_t m_inputSize{0};    //!< pixels of a side; 0: as in the model file
    std::string m_control;      //!< what moves metrics and shares: shared or own
};

/**
 * Declare the options of data-parallel training that all its scenarios have.
 *
 * @param options of the scenario
 * @param run set to what they say
 * @param inputSize set to pixels of a side of the model's input; 0: as in its file
 */
void AddDataParallelOptions(ScenarioOptions& options,
                            DataParallelOptions& run,
                            uint32_t& inputSize);

/**
 * @param path a model file
 * @param inputSize pixels of a side of its input; 0: as in the file
 * @return the model
 * @throws InputError as ReadDnnGraph and ReadInputSide
 */
DnnGraph ReadDataParallelModel(const std::string& path, uint32_t inputSize);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_DATA_PARALLEL_INPUTS_H */
