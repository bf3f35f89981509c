/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_WORKLOAD_H
#define EDGEPIPE_WORKLOAD_H

#include "lib/experiment.h"

#include "ns3/edgepipe-link-counter.h"
#include "ns3/edgepipe-network-options.h"
#include "ns3/edgepipe-planner.h"
#include "ns3/object.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** What one simulation of a workload came to: the figures that all workloads have. */
struct CaseOutcome
{
    bool isFinished{false};             //!< whether it came to its end
    std::vector<std::string> diagnosis; //!< if not: who waits for what, one line each
    Time end;                           //!< simulated time at the end
    double seconds{0};                  //!< mean iteration, frame's latency, or response, s
    double perSecond{0};                //!< throughput: samples/s, frames/s or requests/s
    uint64_t requests{0};               //!< iterations of every worker, frames or requests
    /// What `seconds` is the mean of, where a span of time decides how many there are.
    uint64_t responses{UINT64_MAX};
    uint64_t bytesMoved{0};         //!< payload between devices, bytes
    uint64_t events{0};             //!< simulator events executed
    double decisionSeconds{0};      //!< wall-clock time of planning during the run, s
    double simulationSeconds{0};    //!< wall-clock time of the simulation, s
    PlannerFailures failures;       //!< plans that did not come during the run
    std::vector<LinkCounter> links; //!< by transmitter
    /// What else there is of this workload: names of columns, and cells.
    std::vector<std::pair<std::string, std::string>> columns;
};

/** How studies that vary any workload vary one. */
struct WorkloadSweep
{
    std::string count;                 //!< option that says how many devices there are
    std::string planner;               //!< of a sweep over devices
    std::string perDevice;             //!< an option and how much of it each device adds there
    std::vector<std::string> units;    //!< of what takes seconds, and of throughput
    std::set<std::string> planners;    //!< to draw from
    /// Options to draw, separated by blanks: NAME, of files of that kind; NAME=@ for a device's
    /// type; NAME=a|b, a..b (whole) or a~b (a number whose logarithm is uniform, then its unit);
    /// one/other for either. After single: or mixed:, only for networks that are. Of several joined
    /// by & the last is drawn first.
    std::string draws;
};

/**
 * @ingroup edgepipe
 *
 * Something that edge devices do together, as a scenario runs it: options, a deployment, and
 * records. Each kind is a subclass that goes by its name (FindByName), in this program or in a
 * library given as --library; whatever sweeps, compares or reports asks this interface alone.
 *
 * Calls come in this order: Declare, then Read, then any number of Simulate, then Print and Write.
 */
class Workload : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    /** @return such as data-parallel: the name of the scenario that runs it */
    virtual std::string GetName() const = 0;

    /** @return one or two sentences for the help */
    virtual std::string GetUsage() const = 0;

    /** @return a script that draws the results; empty: none */
    virtual std::string GetScript() const;

    /**
     * Declare options, most of them by ScenarioOptions::BindAttribute.
     * @param options of the scenario; must outlive this object
     */
    virtual void Declare(ScenarioOptions& options) = 0;

    /**
     * Read what the options name, and check what concerns several of them.
     * @throws InputError if something cannot be used
     */
    virtual void Read() = 0;

    /** @return how the devices are joined */
    virtual const NetworkOptions& GetNetwork() const = 0;

    /** @return how many devices there are */
    virtual std::size_t CountDevices() const = 0;

    /** @return stages of the plan; 0 where the workload has none */
    virtual std::size_t CountStages() const;

    /** @return how studies that vary any workload vary this one; empty: they cannot */
    virtual WorkloadSweep GetSweep() const;

    /** @return names of the cases to simulate, such as planners */
    virtual std::vector<std::string> GetCases() const = 0;

    /**
     * Simulate a case; the workload keeps the details for Print and Write.
     *
     * @param index of the case
     * @param network joins the devices
     * @param progress told the share of the run that is done, 0 to 1; may be empty
     * @return what came of it, until the next call
     * @throws InputError if something makes no sense
     */
    virtual const CaseOutcome& Simulate(std::size_t index,
                                        const NetworkOptions& network,
                                        const std::function<void(double)>& progress) = 0;

    /** Print what to know of the network before it is simulated, see PrintNetworkNotes. */
    virtual void PrintNetwork() const;

    /** Print figures of all simulated cases on standard output. */
    virtual void Print() const = 0;

    /**
     * @param folder to write the result files to
     * @return their names, and what is in them, for people
     */
    virtual std::string Write(ResultsFolder& folder) const = 0;

  protected:
    void DoDispose() override;

    ScenarioOptions* m_options{nullptr}; //!< declared
};

/** A workload that has read options, for whatever runs many of them. */
class ConfiguredWorkload
{
  public:
    /**
     * @param name of the workload
     * @param values of options, by name
     * @throws InputError if it has no such option, or cannot use a value
     */
    ConfiguredWorkload(const std::string& name,
                       const std::vector<std::pair<std::string, std::string>>& values);

    /** @return the workload */
    Ptr<Workload> Get() const;

    /** @copydoc Get */
    Workload* operator->() const;

  private:
    ScenarioOptions m_options; //!< of the scenario
    Ptr<Workload> m_workload;  //!< that has read them
};

/**
 * Run a scenario's main for a workload.
 *
 * @param name of the workload
 * @param argc number of arguments
 * @param argv the arguments
 * @return the exit status, see RunScenario
 */
int RunWorkload(const std::string& name, int argc, char* argv[]);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_WORKLOAD_H */
