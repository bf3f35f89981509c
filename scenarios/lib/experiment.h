/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_EXPERIMENT_H
#define EDGEPIPE_EXPERIMENT_H

#include "lib/run-page.h"
#include "lib/run-report.h"
#include "lib/scenario-options.h"

namespace ns3::edgepipe
{

class Progress;

/**
 * @ingroup edgepipe
 *
 * What a scenario does from its command line to its exit status: options are read, the results'
 * folder is checked, cases are simulated, figures printed and written, all files or none, and
 * cases that stalled say who waits for what.
 */
class Experiment
{
  public:
    virtual ~Experiment() = default;
    Experiment(const Experiment&) = delete;
    Experiment& operator=(const Experiment&) = delete;

    /**
     * Do all of it.
     *
     * @param argc number of arguments
     * @param argv the arguments
     * @param script that draws the results, to be named at the end; empty: none
     * @return the exit status: 0, or 3 if a case stalled or came out as it must not
     * @throws InputError if something cannot be used
     */
    int Run(int argc, char* argv[], const std::string& script = "");

    /**
     * Say something on standard output.
     * @param notes a paragraph each
     * @param said gets them
     */
    static void Say(const std::vector<std::string>& notes, std::vector<std::string>& said);

  protected:
    /** @param options of the scenario, to be parsed by Run; "out" has to be among them */
    explicit Experiment(ScenarioOptions& options)
        : m_options(options)
    {
    }

    /**
     * Tell what is being simulated.
     *
     * @param done cases before this one
     * @param all cases there are
     * @param what this one is
     * @return to be called with the share of this case that is done
     */
    std::function<void(double)> Follow(double done, double all, const std::string& what);

    /**
     * Say something on standard output and on the run's page.
     * @param notes a paragraph each
     */
    void Note(const std::vector<std::string>& notes) const
    {
        Say(notes, m_notes);
    }

    /**
     * Say on standard error who waits for what, and let the exit status be 3.
     *
     * @param what name of the case
     * @param end when it gave up
     * @param lines who waits for what; the first few are printed, run.json has to have all
     */
    void ReportStall(const std::string& what,
                     const Time& end,
                     const std::vector<std::string>& lines) const;

    ScenarioOptions& m_options;                     //!< of the scenario
    mutable bool m_isStalled{false};                //!< whether the exit status will be 3
    mutable std::vector<std::string> m_notes;       //!< for the run's page
    mutable std::map<std::string, double> m_stalls; //!< when cases stalled, s, likewise

  private:
    /** Read what the options name, and check what concerns several of them. */
    virtual void Read() = 0;
    /** Simulate, case by case. */
    virtual void Simulate() = 0;
    /** Print figures and what to know about them on standard output; report stalls. */
    virtual void Print() const = 0;
    /**
     * @param folder to write the result files to
     * @return their names, and what is in them, for people
     */
    virtual std::string Write(ResultsFolder& folder) const = 0;

    /** @return lines that the run's page draws of these files */
    virtual RunCurves GetCurves() const
    {
        return {};
    }

    Progress* m_progress{nullptr}; //!< while simulating
};

/** A case of which a figure was predicted and simulated. */
struct PredictedCase
{
    std::string name;  //!< what tells it from the others
    double predicted;  //!< figure, the lower the better
    double simulated;  //!< the same figure
    std::size_t group; //!< only cases of the same are compared
};

/**
 * Figures within a thousandth of each other are ties, and one case has no order.
 *
 * @param cases to compare
 * @param format of figures
 * @param unit of figures
 * @return for which pairs of cases prediction and simulation disagree, or that they agree
 */
std::vector<std::string> DescribeOrder(const std::vector<PredictedCase>& cases,
                                       NumberFormat format,
                                       const std::string& unit);

/**
 * @param cases to compare
 * @param unknown what predictions leave out of this run, such as "load that changes"
 * @param format of figures
 * @param unit of figures
 * @return which cases are predicted wrong by a factor of two or more, and what predictions leave
 *         out; empty if none is
 */
std::vector<std::string> DescribeDistance(const std::vector<PredictedCase>& cases,
                                          const std::vector<std::string>& unknown,
                                          NumberFormat format,
                                          const std::string& unit);

/**
 * @param cases to compare, by what was simulated
 * @param references names of those that decide nothing, such as all-local
 * @param format of figures
 * @param unit of figures
 * @return which references are faster than planners that decide something
 */
std::vector<std::string> DescribeReferences(const std::vector<PredictedCase>& cases,
                                            const std::vector<std::string>& references,
                                            NumberFormat format,
                                            const std::string& unit);

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
