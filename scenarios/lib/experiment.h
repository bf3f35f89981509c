/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_EXPERIMENT_H
#define EDGEPIPE_EXPERIMENT_H

#include "lib/run-page.h"
#include "lib/run-report.h"

namespace ns3::edgepipe
{

class Progress;

/**
 * @ingroup edgepipe
 *
 * Runs a scenario from its command line to its exit status: reads options, checks the results'
 * folder, simulates cases, prints figures, writes all files or none, and reports what stalled
 * cases wait for.
 */
class Experiment
{
  public:
    virtual ~Experiment() = default;
    Experiment(const Experiment&) = delete;
    Experiment& operator=(const Experiment&) = delete;

    /**
     * Run the scenario.
     *
     * @param argc number of arguments
     * @param argv the arguments
     * @param script that draws the results, suggested at the end; empty: none
     * @return the exit status: 0, or 3 if a case stalled
     * @throws InputError if something cannot be used
     */
    int Run(int argc, char* argv[], const std::string& script = "");

    /**
     * Print notes on standard output.
     * @param notes a paragraph each
     * @param said the notes are appended to it
     */
    static void Say(const std::vector<std::string>& notes, std::vector<std::string>& said);

  protected:
    /** @param options of the scenario, to be parsed by Run; must include "out" */
    explicit Experiment(ScenarioOptions& options)
        : m_options(options)
    {
    }

    /**
     * Show progress.
     *
     * @param done cases before this one
     * @param all number of cases
     * @param what description of this case
     * @return to be called with the share of this case that is done
     */
    std::function<void(double)> Follow(double done, double all, const std::string& what);

    /**
     * Print notes on standard output and on the run's page.
     * @param notes a paragraph each
     */
    void Note(const std::vector<std::string>& notes) const
    {
        Say(notes, m_notes);
    }

    /**
     * Report a stalled case on standard error, and set the exit status to 3.
     *
     * @param what name of the case
     * @param end simulated time at which it stopped
     * @param lines who waits for what; the first few are printed, run.json must have all
     */
    void ReportStall(const std::string& what,
                     const Time& end,
                     const std::vector<std::string>& lines) const;

    ScenarioOptions& m_options;                     //!< of the scenario
    mutable bool m_isStalled{false};                //!< whether the exit status will be 3
    mutable std::vector<std::string> m_notes;       //!< for the run's page
    mutable std::map<std::string, double> m_stalls; //!< when cases stalled, s, by name

  private:
    /** Read the files that options name, and check combinations of options. */
    virtual void Read() = 0;
    /** Simulate, case by case. */
    virtual void Simulate() = 0;
    /** Print figures and notes on standard output; report stalls. */
    virtual void Print() const = 0;
    /**
     * @param folder to write the result files to
     * @return their names and contents, for people
     */
    virtual std::string Write(ResultsFolder& folder) const = 0;

    /** @return curves that the run's page draws from these files */
    virtual RunCurves GetCurves() const
    {
        return {};
    }

    Progress* m_progress{nullptr}; //!< while simulating
};

/** A case with a figure that was predicted and simulated. */
struct PredictedCase
{
    std::string name;  //!< unique name
    double predicted;  //!< figure, the lower the better
    double simulated;  //!< the same figure
    std::size_t group; //!< only cases of one group are compared
};

/** Cases to compare, and how their figure is shown. */
struct Comparison
{
    /**
     * Pairs of cases that are a tie in either, see IsLess, have no order.
     *
     * @return sentences on the pairs that prediction and simulation order differently, one for all
     *         that lose to the same cases, or on agreement; empty if no pair has an order
     */
    std::vector<std::string> DescribeOrder() const;

    /**
     * @param unknown what predictions leave out of this run, such as "load that changes"
     * @return a sentence on the cases whose predictions are off by a factor of two or more, and on
     *         what predictions leave out; empty if there are no such cases
     */
    std::vector<std::string> DescribeDistance(const std::vector<std::string>& unknown) const;

    /**
     * @param references names of cases that decide nothing, such as all-local
     * @return sentences on references whose simulation is faster than planners that decide
     */
    std::vector<std::string> DescribeReferences(const std::vector<std::string>& references) const;

    /**
     * @param figure of a case
     * @return it with its unit
     */
    std::string Show(double figure) const
    {
        return format(figure) + unit;
    }

    /// Some of the cases.
    using Cases = std::vector<const PredictedCase*>;

    /**
     * @param some of the cases
     * @return their names and figures in a line
     */
    std::string Show(const Cases& some) const;

    NumberFormat format;                //!< of figures
    std::string unit;                   //!< of figures
    std::vector<PredictedCase> cases{}; //!< to compare
};

/**
 * Run the main of a scenario that is an experiment.
 *
 * @tparam Kind the Experiment
 * @param name of the scenario
 * @param usage what it does, for the help
 * @param argc number of arguments
 * @param argv the arguments
 * @param script see Experiment::Run
 * @return the exit status, see RunScenario
 */
template <typename Kind>
int
RunExperiment(const std::string& name,
              const std::string& usage,
              int argc,
              char* argv[],
              const std::string& script = "")
{
    return RunScenario(name, argc, argv, [&](int count, char* words[]) {
        ScenarioOptions options(name, usage);
        return Kind(options).Run(count, words, script);
    });
}

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_EXPERIMENT_H */
