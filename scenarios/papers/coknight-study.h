/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_COKNIGHT_STUDY_H
#define EDGEPIPE_COKNIGHT_STUDY_H

#include "lib/actor-learner-inputs.h"
#include "lib/experiment.h"
#include "runs/actor-learner-run.h"
#include "runs/actor-learner-summary.h"

#include "ns3/edgepipe-table.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * The evaluation of the paper that MultiActorProblem names: figures 2, 6 and 9 to 12, which
 * analysis/papers/coknight_figures.py puts beside what the paper says.
 *
 * One thing is fitted: how long a step of the environment takes, such that 12 actors with all
 * layers on the server upload the 12 MB/s that the text states for Seed-RL. All else follows from
 * the model files, the device files and the budgets.
 */
class CoknightStudy : public Experiment
{
  public:
    /** @param options of the scenario, to declare */
    explicit CoknightStudy(ScenarioOptions& options);

  private:
    void Read() override;
    void Simulate() override;
    void Print() const override;
    std::string Write(ResultsFolder& folder) const override;

    /** Inference times of models on devices. */
    void RunFigure2();
    /** Parts of a response by cut, at ample and at scarce bandwidth. */
    void RunFigure6();
    /** Use of the server. */
    void RunFigure9();
    /** Requests/s over the wires' bandwidth. */
    void RunFigure10();
    /** Requests/s over the actors. */
    void RunFigure11();
    /** The planners' three indicators over the actors, problem by problem, without simulation. */
    void RunFigure12();

    /**
     * @param file its name in the results
     * @param columns of it
     * @return an empty table
     */
    Table& AddFigure(const std::string& file, std::vector<std::string> columns);

    /**
     * Add a row to a figure.
     *
     * @param figure its table
     * @param labels of the row
     * @param values after them
     */
    static void AddRow(Table& figure,
                       std::vector<std::string> labels,
                       const std::vector<double>& values);

    /**
     * Simulate.
     *
     * @param planner its name
     * @param actors how many
     * @param bitsPerSecond of every wire
     * @param budgets what they share
     * @param warmUp what is simulated before, and does not count
     * @return what came of it
     */
    std::pair<ActorLearnerResult, ActorLearnerSummary> SimulateCase(const std::string& planner,
                                                                    uint32_t actors,
                                                                    double bitsPerSecond,
                                                                    const ActorBudgets& budgets,
                                                                    const Time& warmUp);
    /**
     * @param actors how many
     * @param bitsPerSecond of every wire
     * @return how they run
     */
    ActorLearnerOptions MakeOptions(uint32_t actors, double bitsPerSecond) const;
    /**
     * Tell how far the work is.
     * @param what is being done
     */
    void Advance(const std::string& what);

    ActorLearnerOptions m_run;              //!< what is common to all
    ActorModelInputs m_files;               //!< what actors infer and where
    std::vector<std::string> m_wanted;      //!< numbers of figures
    std::vector<uint32_t> m_actors;         //!< of figure 11
    std::vector<uint32_t> m_planned;        //!< actors of figure 12
    uint32_t m_problems{0};                 //!< of figure 12, per number of actors
    double m_budgetMBps{0};                 //!< of figures 10 and 11; 0: it follows the wires
    Time m_duration;                        //!< of a simulation
    double m_requestsPerSecond{0};          //!< of an actor, as fitted
    std::map<std::string, Table> m_figures; //!< by file name
    double m_done{0};                       //!< simulations and plans so far
    double m_all{1};                        //!< of them, about
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_COKNIGHT_STUDY_H */
