/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_QDMP_TABLES_STUDY_H
#define EDGEPIPE_QDMP_TABLES_STUDY_H

#include "lib/scenario-options.h"
#include "papers/qdmp-comparison.h"
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

/** How much of tables 2 and 3 agrees under one set of assumptions. */
struct QdmpAgreement
{
    /** Of one table under one reading. */
    struct Counts
    {
        std::size_t cells;   //!< of a model and a network
        std::size_t ordered; //!< of these, without a reversed pair
        std::size_t same;    //!< of these, without a pair of other order or tie
        std::size_t figures; //!< of planners in those cells
        std::size_t near;    //!< of these, within QDMP_TOLERANCE
    };

    QdmpAssumptions assumptions; //!< of the run
    double deviceSpread;         //!< see QdmpOutcome
    double serverSpread;         //!< see QdmpOutcome
    std::size_t betterLatencies; //!< cells where a planner is faster than qdmp
    std::vector<Counts> counts;  //!< table 2 by reading, then table 3 by reading
};

/** Wall-clock decision times on this machine, medians, s. */
struct QdmpDecision
{
    double dadsSeconds;            //!< a cut of the whole graph by Boykov-Kolmogorov
    double dadsEdmondsKarpSeconds; //!< the same by Edmonds-Karp
    double qdmpSeconds;            //!< planned cold
};

/**
 * @ingroup edgepipe
 *
 * The evaluation of the QDMP paper beside ours: the scenario qdmp-tables.
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
     * Calibrate, plan, compare and measure decision times.
     *
     * @throws InputError if a model cannot be calibrated
     */
    void Run();

    /** Print the tables on standard output. */
    void Print() const;

    /**
     * Write the result files and say where they are.
     *
     * @throws InputError if they cannot be written
     */
    void Write() const;

    /** @return the scenario's exit status: 0, or 3 if some planner is faster than qdmp */
    int GetStatus() const;

    /** @return every figure of the paper beside ours */
    const std::vector<QdmpComparison>& GetComparisons() const;

    /** @return the order of planners by table, model, network and reading */
    const std::vector<QdmpOrder>& GetOrders() const;

    /** @return figure 11, if its model was chosen */
    const std::optional<QdmpSweep>& GetSweep() const;

    /** @return the outcome under the assumptions of the options */
    const QdmpOutcome& GetOutcome() const;

  private:
    /** A table with its heading. */
    struct Section
    {
        std::string title; //!< what it shows
        std::string note;  //!< how to read it; may be empty
        Table table;       //!< the figures
        bool isShort;      //!< whether it is printed too
    };

    /**
     * @param assumptions of a run
     * @param outcome of it
     * @return how much agrees
     */
    QdmpAgreement Count(const QdmpAssumptions& assumptions, const QdmpOutcome& outcome) const;
    /** Measure decision times. */
    void MeasureDecisions();
    /** @return everything to be read */
    std::vector<Section> MakeSections() const;
    /** @return a table of this figure, a row per model and network, a column per planner */
    Table MakeGrid(const std::string& figure, const std::vector<std::string>& planners) const;
    /** @return rows of calibration */
    Table MakeCalibrationTable() const;
    /** @return rows of tables 1 and 4 */
    Table MakeDecisionTable() const;
    /** @return rows of orders */
    Table MakeOrderTable() const;
    /** @return rows of agreement by assumptions */
    Table MakeAgreementTable() const;
    /** @return figure 11 for tools */
    Table MakeSweepRows() const;
    /** @return orders for tools */
    Table MakeOrderRows() const;
    /** @return agreement by assumptions for tools */
    Table MakeAgreementRows() const;
    /** @return decision times for tools */
    Table MakeDecisionRows() const;
    /** @return models, plans and totals as JSON */
    std::string MakeJson() const;
    /** @return name of a chosen model */
    const std::string& GetName(std::size_t model) const;

    const ScenarioOptions& m_options;          //!< of the scenario
    std::string m_traces;                      //!< the traces folder
    PublishedQdmp m_published;                 //!< the paper's figures, of chosen models
    std::vector<std::string> m_networks;       //!< chosen
    QdmpAssumptions m_assumptions;             //!< of the options
    uint32_t m_repeats;                        //!< of a decision that is timed
    std::unique_ptr<QdmpOutcome> m_outcome;    //!< under m_assumptions
    std::vector<QdmpComparison> m_comparisons; //!< of m_outcome
    std::vector<QdmpOrder> m_orders;           //!< of m_outcome
    std::vector<QdmpAgreement> m_agreements;   //!< m_outcome's, then those of other assumptions
    std::vector<QdmpDecision> m_decisions;     //!< by chosen model
    std::optional<QdmpSweep> m_sweep;          //!< figure 11
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_QDMP_TABLES_STUDY_H */
