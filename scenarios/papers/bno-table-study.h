/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_BNO_TABLE_STUDY_H
#define EDGEPIPE_BNO_TABLE_STUDY_H

#include "lib/scenario-options.h"
#include "runs/data-parallel-run.h"
#include "studies/data-parallel-study.h"

#include "ns3/edgepipe-cluster.h"
#include "ns3/edgepipe-table.h"

#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

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
class BnoTableStudy
{
  public:
    /**
     * Declare the options.
     *
     * @param options of the scenario
     */
    static void AddOptions(ScenarioOptions& options);

    /**
     * Check every option.
     *
     * @param options of the scenario, parsed
     * @throws InputError if something cannot be used
     */
    explicit BnoTableStudy(const ScenarioOptions& options);

    /** Simulate every case. */
    void Run();

    /** Write the results folder and say where it is. */
    void Write() const;

    /** @return exit status: 3 if a run stalled, else 0 */
    int GetStatus() const;

  private:
    /**
     * Simulate all conditions and strategies.
     *
     * @param model name of the model
     * @param cluster index of the cluster
     */
    void RunSetting(const std::string& model, std::size_t cluster);
    /**
     * @param condition which
     * @param strategy which
     * @param iterationSeconds of equal shares in the steady condition
     * @param nodes the workers; their loads are changed
     * @return how to run that
     */
    DataParallelOptions MakeOptions(const std::string& condition,
                                    const std::string& strategy,
                                    double iterationSeconds,
                                    std::vector<DataParallelNode>& nodes) const;

    /** Rows of the files. */
    struct Rows
    {
        std::vector<std::vector<std::string>> results;   //!< one per training
        std::vector<std::vector<std::string>> stretches; //!< one per UPDATES_PER_STRETCH updates
    };

    const ScenarioOptions& m_options;                             //!< of the scenario
    DataParallelOptions m_run;                                    //!< what is common to all
    std::string m_traces;                                         //!< traces folder
    std::vector<std::string> m_models;                            //!< their names
    std::vector<Cluster> m_clusters;                              //!< the clusters
    std::vector<std::string> m_conditions;                        //!< their names
    std::vector<std::string> m_strategies;                        //!< their names
    uint32_t m_updateEvery{10};                                   //!< iterations between reports
    std::string m_source;                                         //!< of the paper's figures
    std::map<std::string, std::map<std::string, double>> m_paper; //!< ms, by model and strategy
    std::map<std::pair<std::size_t, std::size_t>, Rows> m_rows;   //!< by cluster and condition
    std::size_t m_done{0};                                        //!< trainings so far
    bool m_isAnyStalled{false};                                   //!< whether one did not end
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_BNO_TABLE_STUDY_H */
