/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_QDMP_TABLES_STUDY_H
#define EDGEPIPE_QDMP_TABLES_STUDY_H

#include "lib/experiment.h"
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
class QdmpTablesStudy : public Experiment
{
  public:
    /** @param options of the scenario, to declare */
    explicit QdmpTablesStudy(ScenarioOptions& options);

    /** @return figure 11, if its model was chosen */
    const std::optional<QdmpSweep>& GetSweep() const;

    /** @return the outcome under the assumptions of the options */
    const QdmpOutcome& GetOutcome() const;

  private:
    void Read() override;
    void Simulate() override;
    std::string Write(ResultsFolder& folder) const override;

    /**
     * Calibrate and plan, and see whether qdmp is the fastest.
     *
     * @param assumptions under which
     * @throws InputError if a model cannot be calibrated
     */
    void Add(const QdmpAssumptions& assumptions);
    /**
     * Calibrate and plan, unless it has been done.
     *
     * @param assumptions under which
     * @throws InputError as Add
     */
    void AddOther(const QdmpAssumptions& assumptions);
    /** Measure decision times. */
    void MeasureDecisions();
    /** @return models, plans and the paper's figures as JSON */
    std::string MakeJson() const;
    /** @return figure 11 for tools */
    Table MakeSweepRows() const;

    std::string m_traces;                //!< the traces folder
    std::vector<std::string> m_models;   //!< files of those to choose
    std::vector<std::string> m_networks; //!< chosen
    PublishedQdmp m_published;           //!< the paper's figures, of chosen models
    QdmpAssumptions m_assumptions;       //!< of the options
    bool m_isSimulating{true};           //!< whether plans are simulated
    uint32_t m_repeats{0};               //!< of a decision that is timed
    std::vector<std::pair<QdmpAssumptions, QdmpOutcome>> m_outcomes; //!< the options' ones first
    Table m_decisions;                //!< a row per model and planner
    std::optional<QdmpSweep> m_sweep; //!< figure 11
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_QDMP_TABLES_STUDY_H */
