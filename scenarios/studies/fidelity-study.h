/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FIDELITY_STUDY_H
#define EDGEPIPE_FIDELITY_STUDY_H

#include "lib/experiment.h"
#include "runs/fidelity-draw.h"
#include "studies/fidelity-errors.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** @return links of the grid, in the order of tables, and the largest difference allowed, a share
 */
const std::vector<std::pair<std::string, double>>& GetFidelityLimits();

/**
 * @ingroup edgepipe
 *
 * How close flow level comes to packet level, and at what cost: the scenario fidelity. Over a grid
 * of training runs (traces/fidelity-cases.txt), or over combinations of all workloads that nobody
 * chose (FidelityDraw).
 */
class FidelityStudy : public Experiment
{
  public:
    /** @param options of the scenario, to declare */
    explicit FidelityStudy(ScenarioOptions& options);

  private:
    void Read() override;
    void Simulate() override;
    void Print() const override;
    std::string Write(ResultsFolder& folder) const override;

    /** Read the grid. */
    void ReadGrid();
    /** Compare cases of the grid, or the one given. */
    void SimulateGrid();
    /** Draw settings and compare their cases. */
    void SimulateDrawn();

    /**
     * Run a case in both fidelities: at packet level, where that is random, several times, for
     * which the mean counts.
     *
     * @param text see FidelityCase::Make
     * @return what came of it
     */
    FidelityComparison Compare(const std::string& text) const;
    /**
     * Run a case in both fidelities, with the same run numbers, unless flow level says that it
     * cannot be compared.
     *
     * @param text see FidelityCase::Make
     * @param comparison set to what came of it
     * @return why it was not compared; empty if it was
     */
    std::string CompareDrawn(const std::string& text, FidelityComparison& comparison) const;
    /** Print a line for each case of the grid. */
    void PrintGrid() const;
    /** Print what drawn cases came to. */
    void PrintDrawn() const;
    /** Print a line for each link. */
    void PrintSummary() const;
    /** Print the cases with the largest difference. */
    void PrintWorst() const;

    std::vector<std::string> m_links;              //!< of the grid, to compare on
    uint32_t m_runs{0};                            //!< of a case whose packets are random
    bool m_isQuick{false};                         //!< whether to run a few small cases only
    uint32_t m_random{0};                          //!< settings to draw; 0: the grid
    uint32_t m_seed{0};                            //!< of the draw
    uint32_t m_plannersPerSetting{0};              //!< that meet each setting
    std::vector<std::string> m_drawnLinks;         //!< to draw for
    std::vector<std::string> m_workloads;          //!< to draw for
    double m_mostBytes{0};                         //!< a drawn case moves; 0: by link
    Time m_longest;                                //!< a drawn case takes, simulated
    std::vector<std::string> m_cases;              //!< chosen, by their options
    std::vector<FidelityComparison> m_comparisons; //!< by case
    std::map<std::string, uint64_t> m_redrawn;     //!< by reason, how often
    double m_wallSeconds{0};                       //!< what all of it took
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_FIDELITY_STUDY_H */
