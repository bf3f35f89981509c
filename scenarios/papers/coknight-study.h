/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_COKNIGHT_STUDY_H
#define EDGEPIPE_COKNIGHT_STUDY_H

#include "lib/actor-learner-helper.h"
#include "lib/actor-learner-inputs.h"
#include "lib/progress.h"
#include "lib/scenario-options.h"
#include "studies/actor-learner-summary.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** A figure's numbers: one row per point, the same columns in all. */
struct CoknightFigure
{
    std::string title;                          //!< what it shows
    std::vector<std::string> labels;            //!< names of the columns of text
    std::vector<std::string> columns;           //!< names of the columns of numbers, with the unit
    std::vector<std::vector<std::string>> keys; //!< by row: text
    std::vector<std::vector<double>> values;    //!< by row: numbers

    /**
     * @param key text of the row, one per label
     * @param row numbers, one per column
     */
    void Add(std::vector<std::string> key, std::vector<double> row);

    /**
     * @param column name of a column of numbers
     * @param key text that a row begins with
     * @return that number of every such row, in order
     */
    std::vector<double> Get(const std::string& column, const std::vector<std::string>& key) const;
};

/** A number that the paper's text states, beside ours. */
struct CoknightComparison
{
    uint32_t figure;    //!< of the paper
    std::string what;   //!< is compared
    std::string theirs; //!< as the text says
    std::string ours;   //!< measured
    std::string note;   //!< why they differ, or what was chosen
};

/**
 * @ingroup edgepipe
 *
 * The evaluation of the paper that MultiActorProblem names, beside ours: figures 2, 6 and 9 to 12.
 *
 * One thing is fitted: how long a step of the environment takes, such that 12 actors with all
 * layers on the server upload the 12 MB/s that the text states for Seed-RL. All else follows from
 * the model files, the device files and the budgets.
 */
class CoknightStudy
{
  public:
    /** @param options of the scenario, to declare */
    static void AddOptions(ScenarioOptions& options);

    /**
     * @param options of the scenario, parsed
     * @throws InputError if something cannot be used
     */
    explicit CoknightStudy(const ScenarioOptions& options);

    /**
     * Compute the figures asked for.
     *
     * @throws InputError if a planner finds no plan
     */
    void Run();

    /** Print theirs beside ours, and every figure, on standard output. */
    void Print() const;

    /**
     * Write the result files.
     *
     * @throws InputError if they cannot be written
     */
    void Write() const;

  private:
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
    /** The planners' three indicators over the actors, without simulation. */
    void RunFigure12();

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
    std::pair<ActorLearnerResult, ActorLearnerSummary> Simulate(const std::string& planner,
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
    /** @return coknight.json */
    std::string FormatJson() const;

    const ScenarioOptions& m_options;             //!< of the scenario
    ActorModelInputs m_files;                     //!< what actors infer and where
    std::set<uint32_t> m_wanted;                  //!< numbers of figures
    std::vector<uint32_t> m_actors;               //!< of figure 11
    std::vector<uint32_t> m_planned;              //!< actors of figure 12
    uint32_t m_problems;                          //!< of figure 12, per number of actors
    Time m_duration;                              //!< of a simulation
    double m_requestsPerSecond;                   //!< of an actor, as fitted
    double m_environmentSeconds;                  //!< as fitted
    std::map<uint32_t, CoknightFigure> m_figures; //!< by number
    std::vector<CoknightComparison> m_comparison; //!< theirs beside ours
    double m_done{0};                             //!< simulations and plans so far
    double m_all{1};                              //!< of them, about
    Progress m_progress;                          //!< says so
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_COKNIGHT_STUDY_H */
