/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_BNO_TABLE_STUDY_H
#define EDGEPIPE_BNO_TABLE_STUDY_H

#include "lib/experiment.h"
#include "workloads/data-parallel-workload.h"

#include "ns3/edgepipe-cluster.h"

#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** A training of bno-table. */
struct BnoCase
{
    std::size_t cluster;                  //!< index in the clusters
    std::size_t condition;                //!< index in the conditions
    std::string model;                    //!< its name
    std::string strategy;                 //!< which
    bool isComplete;                      //!< whether it ended
    std::string paperMilliseconds;        //!< the paper's weight update; may be empty
    UpdateStretch mean;                   //!< over all updates
    std::vector<UpdateStretch> stretches; //!< of UPDATES_PER_STRETCH updates
    double samplesPerUpdate;              //!< mean
    double samplesPerSecond;              //!< mean
    std::string whyUnchanged;             //!< see ExplainUnchangedShares
};

/**
 * @ingroup edgepipe
 *
 * The evaluation of the BNO paper, section 4.4, and its extension to mixed devices, loads and
 * bandwidths: what the scenario bno-table does. analysis/papers/bno_table.py makes its tables.
 *
 * The condition load takes half of worker 1 for every second stretch of 100 iterations (as long as
 * those of equal shares in the steady condition), the condition bandwidth leaves a quarter of every
 * wire's bandwidth for every second such stretch, half a stretch later.
 */
class BnoTableStudy : public Experiment
{
  public:
    /** @param options of the scenario, to declare */
    explicit BnoTableStudy(ScenarioOptions& options);

  private:
    void Read() override;
    void Simulate() override;
    std::string Write(ResultsFolder& folder) const override;

    /**
     * Simulate all conditions and strategies.
     *
     * @param model path of the model
     * @param cluster index of the cluster
     */
    void RunSetting(const std::string& model, std::size_t cluster);
    /**
     * @param condition which
     * @param strategy which
     * @param cluster index of the cluster
     * @param model path of the model
     * @param iterationSeconds of equal shares in the steady condition
     * @return all options of a training
     */
    std::vector<std::pair<std::string, std::string>> MakeOptions(const std::string& condition,
                                                                 const std::string& strategy,
                                                                 std::size_t cluster,
                                                                 const std::string& model,
                                                                 double iterationSeconds) const;

    std::string m_traces;                                         //!< traces folder
    std::vector<std::string> m_models;                            //!< names, then paths
    std::vector<std::string> m_clusterFiles;                      //!< names or paths
    std::vector<Cluster> m_clusters;                              //!< the clusters
    std::vector<std::string> m_conditions;                        //!< their names
    std::vector<std::string> m_strategies;                        //!< their names
    uint32_t m_updates{0};                                        //!< weight updates of a training
    uint64_t m_baseBatch{0};                                      //!< samples of all workers
    uint32_t m_updateEvery{10};                                   //!< iterations between reports
    std::string m_source;                                         //!< of the paper's figures
    std::map<std::string, std::map<std::string, double>> m_paper; //!< ms, by model and strategy
    std::vector<BnoCase> m_cases;                                 //!< trainings so far
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_BNO_TABLE_STUDY_H */
