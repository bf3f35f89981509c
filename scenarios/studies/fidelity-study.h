/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FIDELITY_STUDY_H
#define EDGEPIPE_FIDELITY_STUDY_H

#include "lib/experiment.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** @return every link, in the order of tables, and the largest difference allowed, a share */
const std::vector<std::pair<std::string, double>>& GetFidelityLimits();

/** A training in one fidelity, run once or with several run numbers. */
struct FidelityRun
{
    uint32_t runs{0};                   //!< how often it was run
    double iterationSeconds{0};         //!< mean duration of the iterations, s; 0 if none finished
    double lowestSeconds{0};            //!< that of the fastest run
    double highestSeconds{0};           //!< that of the slowest run
    double wallSeconds{0};              //!< what a simulation took, s of wall clock
    uint64_t events{0};                 //!< simulator events executed in the last
    bool isFinished{false};             //!< whether every iteration ended
    Time end;                           //!< of the last that did not
    std::vector<std::string> diagnosis; //!< who waits for what there
};

/** The same plan run in both fidelities. */
struct FidelityComparison
{
    std::string options;            //!< of pipeline-training, separated by blanks
    std::string link;               //!< lan, p2p or wifi
    std::size_t devices{0};         //!< how many there are
    std::size_t stages{0};          //!< how many the plan uses
    uint64_t bytesMoved{0};         //!< payload of the run, bytes
    FidelityRun packet;             //!< packet level
    FidelityRun flow;               //!< flow level
    double idealSeconds{0};         //!< iteration over wires of 1 Tbit/s, s
    double GetLimit() const;        //!< largest difference allowed, a share
    double GetDifference() const;   //!< flow over packet iteration time, less 1
    double GetNetworkShare() const; //!< share of the packet iteration owed to the network
    bool IsFinished() const;        //!< whether both runs finished
};

/**
 * @ingroup edgepipe
 *
 * How close flow level comes to packet level, over a grid of training runs
 * (traces/fidelity-cases.txt), and at what cost: the scenario fidelity.
 */
class FidelityStudy : public Experiment
{
  public:
    /** @param options of the scenario, to declare */
    explicit FidelityStudy(ScenarioOptions& options);

  private:
    void Read() override;
    /**
     * Plan each case once and run the plan in both fidelities: on Wi-Fi, where packet level is
     * random, several times, for which the mean counts.
     */
    void Simulate() override;
    void Print() const override;
    std::string Write(ResultsFolder& folder) const override;

    /**
     * @param text options of a case, such as "model=alexnet link=p2p"
     * @return what came of it
     */
    FidelityComparison Compare(const std::string& text) const;
    /** Print a line for each link. */
    void PrintSummary() const;
    /** Print the cases with the largest difference. */
    void PrintWorst() const;

    std::vector<std::string> m_links;              //!< to compare on
    uint32_t m_runs{0};                            //!< of a case on Wi-Fi at packet level
    bool m_isQuick{false};                         //!< whether to run a few small cases only
    std::vector<std::string> m_cases;              //!< chosen, by their options
    std::vector<FidelityComparison> m_comparisons; //!< by case
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_FIDELITY_STUDY_H */
