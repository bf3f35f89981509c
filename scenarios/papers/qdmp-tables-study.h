/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_QDMP_TABLES_STUDY_H
#define EDGEPIPE_QDMP_TABLES_STUDY_H

#include "lib/scenario-options.h"
#include "papers/qdmp-outcome.h"
#include "papers/qdmp-sweep.h"

#include "ns3/edgepipe-table.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * The evaluation of the QDMP paper: the scenario qdmp-tables. What comes of it is put beside the
 * paper's figures by analysis/papers/qdmp_tables.py.
 */
class QdmpTablesStudy
{
  public:
    /**
     * Declare the options.
     *
     * @param options of the scenario
     */
    static void AddOptions(ScenarioOptions& options);

    /**
     * Read the paper's figures and choose models and networks.
     *
     * @param options of the scenario, parsed
     * @throws InputError if something cannot be used
     */
    explicit QdmpTablesStudy(const ScenarioOptions& options);

    /**
     * Calibrate and plan under the assumptions of the options and under others, and measure
     * decision times.
     *
     * @throws InputError if a model cannot be calibrated
     */
    void Run();

    /**
     * Write the result files and say where they are.
     *
     * @throws InputError if they cannot be written
     */
    void Write() const;

    /** @return the scenario's exit status: 0, or 3 if some planner is faster than qdmp */
    int GetStatus() const;

    /** @return figure 11, if its model was chosen */
    const std::optional<QdmpSweep>& GetSweep() const;

    /** @return the outcome under the assumptions of the options */
    const QdmpOutcome& GetOutcome() const;

  private:
    /**
     * Add an outcome to the tables, and see whether qdmp is the fastest.
     *
     * @param assumptions of it
     * @param outcome what came of them
     */
    void Add(const QdmpAssumptions& assumptions, const QdmpOutcome& outcome);
    /** Measure decision times. */
    void MeasureDecisions();
    /** @return models, plans and the paper's figures as JSON */
    std::string MakeJson() const;
    /** @return figure 11 for tools */
    Table MakeSweepRows() const;

    const ScenarioOptions& m_options;       //!< of the scenario
    std::string m_traces;                   //!< the traces folder
    PublishedQdmp m_published;              //!< the paper's figures, of chosen models
    std::vector<std::string> m_networks;    //!< chosen
    QdmpAssumptions m_assumptions;          //!< of the options
    uint32_t m_repeats;                     //!< of a decision that is timed
    std::unique_ptr<QdmpOutcome> m_outcome; //!< under m_assumptions
    Table m_cells;                          //!< a row per assumptions, model, network and planner
    Table m_calibrations;                   //!< a row per assumptions and model
    Table m_decisions;                      //!< a row per model and planner
    bool m_isBest{true};                    //!< whether no planner is faster than qdmp
    std::optional<QdmpSweep> m_sweep;       //!< figure 11
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_QDMP_TABLES_STUDY_H */
