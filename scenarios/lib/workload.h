/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_WORKLOAD_H
#define EDGEPIPE_WORKLOAD_H

#include "lib/case-plan.h"
#include "lib/cost-draws.h"
#include "lib/experiment.h"
#include "runs/deployment.h"

#include "ns3/edgepipe-layer-cost.h"
#include "ns3/edgepipe-network-options.h"
#include "ns3/object.h"

#include <algorithm>

namespace ns3::edgepipe
{

/** How studies that vary any workload vary one. */
struct WorkloadSweep
{
    std::string count;              //!< option that says how many devices there are
    std::string planner;            //!< of a sweep over devices
    std::string perDevice;          //!< an option and how much of it each device adds there
    std::vector<std::string> units; //!< of what takes seconds, and of throughput
    std::set<std::string> planners; //!< to draw from
    /// Options to draw, separated by blanks: NAME, of files of that kind; NAME=@ for a device's
    /// type; NAME=a|b, a..b (whole) or a~b (a number whose logarithm is uniform, then its unit);
    /// one/other for either. After single: or mixed:, only for networks that are. Of several joined
    /// by & the last is drawn first.
    std::string draws;
    /// Among all workloads, that with the lowest first, which is meant where none is named.
    uint32_t place{UINT32_MAX};
    std::string copies{}; //!< option that says how many of it are side by side; empty: none
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
    virtual std::string GetScript() const
    {
        return "";
    }

    /**
     * Declare options, most of them by ScenarioOptions::BindAttribute.
     * @param options of the scenario; must outlive this object
     */
    virtual void Declare(ScenarioOptions& options) = 0;

    /** @return how the devices are joined */
    const NetworkOptions& GetNetwork() const
    {
        return m_network;
    }

    /** @return how many devices there are */
    virtual std::size_t CountDevices() const = 0;

    /** @return stages of the first case's plan, which is made now; 0 where the workload has none */
    virtual std::size_t CountStages()
    {
        return 0;
    }

    /** @return how studies that vary any workload vary this one; empty: they cannot */
    virtual WorkloadSweep GetSweep() const
    {
        return {};
    }

    /** @return options, by name, that say what was measured to plan by; empty: nothing was */
    virtual std::vector<std::pair<std::string, std::string>> GetMeasured() const
    {
        return {};
    }

    /** @return costs of layers by device type; empty where the workload has none */
    const std::map<std::string, LayerCost>& GetLayerCosts() const
    {
        return m_costs;
    }

    /** @return names of the cases to simulate; unless a workload says otherwise, planners */
    virtual std::vector<std::string> GetCases() const
    {
        return m_planners;
    }

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

    /**
     * Have links replay a recording unless the options or the cluster say what they carry.
     *
     * @param link that the scenario usually has, see SetUsualLink
     * @param recording its name; empty: none
     * @param scale that the recording is multiplied by unless told otherwise; empty: none
     */
    void SetUsual(const std::string& link, const std::string& recording, const std::string& scale);

    /** @param tell told what is done before a case is simulated, such as planning */
    void Follow(const std::function<void(const std::string&)>& tell)
    {
        m_tell = tell;
    }

    /**
     * Take what was measured of the network from another workload of the same kind and options,
     * whose costs may be others.
     *
     * @param other that has read and simulated; null: none
     * @param keepsPlans whether planners believe its costs, too
     */
    void SetOther(Ptr<const Workload> other, bool keepsPlans)
    {
        m_other = other;
        m_keepsPlans = keepsPlans;
    }

    /** @return what a case is put in order by: s, or s of a piece of work; the lower the better */
    virtual double GetRank(const CaseOutcome& outcome) const
    {
        return outcome.seconds;
    }

    /** @return figures of all simulated cases, a row each; empty: the workload has none */
    virtual Figures GetFigures() const
    {
        return {};
    }

    /** @param draws of the costs, which the order of the cases is held against */
    void SetDraws(const CostDraws& draws)
    {
        m_survival = draws.DescribeOrder();
    }

    /** Take the usual recording, and then Read. */
    void ReadAll();

    /** @return paragraphs that Print has said, for the run's page */
    const std::vector<std::string>& GetNotes() const
    {
        return m_notes;
    }

    /** Print what the recordings hold that are to be replayed, see PrintRecordings. */
    virtual void PrintNetwork() const;

    /** Print figures of all simulated cases on standard output. */
    virtual void Print() const = 0;

    /** @return plans of the simulated cases, one for each row of results.csv; empty: not known */
    virtual std::vector<CasePlan> GetPlans() const
    {
        return {};
    }

    /**
     * @param folder to write the result files to
     * @return their names, and what is in them, for people
     */
    virtual std::string Write(ResultsFolder& folder) const = 0;

  protected:
    void DoDispose() override
    {
        m_options = nullptr;
        m_other = nullptr;
        Object::DoDispose();
    }

    /**
     * Read what the options name, and check what concerns several of them.
     * @throws InputError if something cannot be used
     */
    virtual void Read() = 0;

    /**
     * Declare --planner and --plan, which set m_planners.
     *
     * @tparam Planner kind of planners
     * @param planners by default
     */
    template <typename Planner>
    void DeclarePlanners(const std::string& planners)
    {
        m_options->BindNames<Planner>("planner=" + planners, m_planners);
        DeclarePlans();
    }

    /**
     * Refuse a --replan-threshold that is too low, and a --replan-period that is too short.
     * @param leastThreshold 0: decide whenever something is reported, which needs no period
     */
    void CheckReplanning(double leastThreshold = 1e-6) const;

    /**
     * Say something on standard output and on the run's page.
     * @param notes a paragraph each
     */
    void Note(const std::vector<std::string>& notes) const
    {
        Experiment::Say(notes, m_notes);
    }

    /**
     * Say how predictions and simulations put cases in order, and whether that is sure.
     *
     * @param cases to compare; none: predictions are of something else
     * @param format of figures
     * @param unit of figures
     */
    void NoteOrder(const std::vector<PredictedCase>& cases,
                   NumberFormat format,
                   const std::string& unit) const;

    /**
     * @tparam Kind this kind of workload
     * @return the workload that has measured the network; null: none
     */
    template <typename Kind>
    const Kind* GetOther() const
    {
        return static_cast<const Kind*>(PeekPointer(m_other));
    }

    /**
     * @tparam Kind this kind of workload
     * @return the workload whose costs planners believe; null: they know the true ones
     */
    template <typename Kind>
    const Kind* GetBelieved() const
    {
        return m_keepsPlans ? GetOther<Kind>() : nullptr;
    }

    /**
     * Write results.csv, with a column for plans and those of ListRunColumns, and run.json.
     *
     * @param folder to write to
     * @param results a row per case
     * @param run what run.json has of its own
     */
    void WriteRun(ResultsFolder& folder, Table results, nlohmann::ordered_json run) const;

    /**
     * @param loads of devices
     * @param more whether predictions leave out something else, and what
     * @return what they leave out of the network, of the loads, and of that
     */
    std::vector<std::string> ListUnknown(
        const std::vector<DeviceLoad>& loads,
        const std::vector<std::pair<bool, const char*>>& more) const;

    /** @param what is done before a case is simulated */
    void Tell(const std::string& what) const
    {
        if (m_tell)
        {
            m_tell(what);
        }
    }

    /** @return whether the scenario is there to replay a recording */
    bool IsReplay() const
    {
        return !m_recording.empty();
    }

    ScenarioOptions* m_options{nullptr};      //!< declared
    NetworkOptions m_network;                 //!< how the devices are joined
    std::vector<std::string> m_planners;      //!< names of those that are compared
    std::map<std::string, LayerCost> m_costs; //!< of layers, by type of device

  private:
    /** Declare --plan, whose files hold plans of further m_planners. */
    void DeclarePlans();

    std::function<void(const std::string&)> m_tell; //!< may be empty
    std::string m_recording;                        //!< that is usually replayed; empty: none
    std::string m_scale;                            //!< of it; empty: that of the options
    mutable std::vector<std::string> m_notes;       //!< for the run's page
    Ptr<const Workload> m_other;                    //!< see SetOther; null: none
    bool m_keepsPlans{false};                       //!< see SetOther
    std::string m_survival;                         //!< of the order; empty: costs are not drawn
};

/**
 * @param planner name of a planner
 * @return whether it needs an argument, so that its plans come from outside
 */
bool IsOutsidePlanner(const std::string& planner);

/**
 * A workload with a row of results.csv for each of its cases.
 *
 * @tparam Self the workload; has NAME, TYPE, USAGE and SCRIPT
 * @tparam Case a CaseOutcome, and the planner's name
 */
template <typename Self, typename Case>
class CasesWorkload : public Named<Self, Workload>
{
  public:
    std::string GetUsage() const override
    {
        return Self::USAGE;
    }

    std::string GetScript() const override
    {
        return Self::SCRIPT;
    }

    Figures GetFigures() const override
    {
        return MakeResults().GetFigures();
    }

    std::vector<CasePlan> GetPlans() const override
    {
        std::vector<CasePlan> all;
        for (const auto& one : m_cases)
        {
            all.push_back(PlanOf(one));
        }
        return all;
    }

  protected:
    /** @return the figures of every case */
    virtual Sheet<Case> MakeResults() const = 0;

    /**
     * @param one a case
     * @return its plans, see GetPlans
     */
    virtual CasePlan PlanOf(const Case& one) const = 0;

    /**
     * @param index of a case
     * @return the case, of which nothing is known but its planner
     */
    Case& Begin(std::size_t index)
    {
        m_cases.resize(std::max(m_cases.size(), index + 1));
        m_cases[index] = {};
        m_cases[index].planner = this->m_planners[index];
        return m_cases[index];
    }

    /**
     * @param decides whether planners decide during a run
     * @return if they do, and plans of any come from outside: how many decisions came to nothing
     */
    std::vector<Column<Case>> MakeFailureColumns(bool decides = true) const
    {
        const auto& planners = this->m_planners;
        if (!decides || std::none_of(planners.begin(), planners.end(), IsOutsidePlanner))
        {
            return {};
        }
        return {{"failedDecisions", "failed decisions", [](const Case& one) {
                     return one.failures.count;
                 }}};
    }

    /**
     * Write what every transmitter sent, case by case.
     *
     * @param folder to write to
     * @param heading of the cases' names
     * @param name of a case
     */
    void WriteLinks(ResultsFolder& folder,
                    const std::string& heading,
                    std::string Case::*name) const
    {
        Sheet<Case, LinkCounter> links(
            {{heading, name}, {"link", &LinkCounter::name}, {"sentBytes", &LinkCounter::bytes}});
        for (const auto& one : m_cases)
        {
            links.AddEach(one, one.links);
        }
        folder.Write("links.csv", links.GetFile());
    }

    std::vector<Case> m_cases; //!< that were simulated
};

/** A scenario that runs a workload with defaults of its own. */
struct WorkloadScenario
{
    std::string workload; //!< its name
    std::string name;     //!< of the scenario
    std::string usage{};  //!< for the help; empty: the workload's
    std::vector<std::pair<std::string, std::string>> defaults{}; //!< of options, by name
    std::string link{};                                          //!< see Workload::SetUsual
    std::string recording{};                                     //!< see Workload::SetUsual
    std::string scale{};                                         //!< see Workload::SetUsual
    std::optional<std::string> script{};                         //!< none: the workload's
    std::function<void(const ScenarioOptions&)> end{};           //!< called at the end
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
    Ptr<Workload> Get() const
    {
        return m_workload;
    }

    /** @copydoc Get */
    Workload* operator->() const
    {
        return PeekPointer(m_workload);
    }

  private:
    ScenarioOptions m_options; //!< of the scenario
    Ptr<Workload> m_workload;  //!< that has read them
};

/** @return names of the workloads, see WorkloadSweep::place */
std::vector<std::string> ListWorkloads();

/**
 * Run the main of a scenario that has defaults of its own.
 *
 * @param scenario its workload, name and defaults
 * @param argc number of arguments
 * @param argv the arguments
 * @return the exit status, see RunScenario
 */
int RunWorkload(const WorkloadScenario& scenario, int argc, char* argv[]);

/**
 * Run the main of the scenario `workload`, which runs the one that --workload names.
 *
 * @param argc number of arguments
 * @param argv the arguments
 * @return the exit status, see RunScenario
 */
int RunAnyWorkload(int argc, char* argv[]);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_WORKLOAD_H */
