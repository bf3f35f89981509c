/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_WORKLOAD_H
#define EDGEPIPE_WORKLOAD_H

#include "lib/adaptive-inputs.h"
#include "lib/cost-draws.h"
#include "lib/experiment.h"
#include "lib/network-inputs.h"
#include "lib/traces-option.h"
#include "runs/case-plan.h"
#include "runs/rate-beliefs.h"

#include "ns3/double.h"
#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/edgepipe-connect.h"
#include "ns3/edgepipe-cost-provider.h"
#include "ns3/edgepipe-json-reader.h"
#include "ns3/edgepipe-network-options.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

namespace ns3::edgepipe
{

/** How studies of all workloads vary this one. */
struct WorkloadSweep
{
    std::string count;              //!< option with the number of devices
    std::string planner;            //!< default of a sweep over devices
    std::string perDevice;          //!< an option and how much each device adds to it there
    std::vector<std::string> units; //!< headings of the duration and of the throughput
    std::set<std::string> planners; //!< to draw from
    /// Options to draw, separated by spaces: NAME, a file of that kind; NAME=@, a device type;
    /// NAME=a|b; NAME=a..b, an integer; NAME=a~b, a log-uniform number, then its unit; one/other,
    /// either one. The prefix single: or mixed: limits an option to such networks; without any
    /// single: the workload is not drawn on mixed ones. Of several joined by &, the last is drawn
    /// first.
    std::string draws;
    /// Workloads are listed by ascending place, and the first is the default.
    uint32_t place{UINT32_MAX};
    std::string copies{}; //!< option with the number of copies side by side; empty: none
};

/**
 * @ingroup edgepipe
 *
 * A distributed task of edge devices as a scenario runs it: options, a deployment, and records.
 * Each kind is a subclass found by its name (FindByName), in this program or in a library given as
 * --library. Sweeps, comparisons and reports use only this interface.
 *
 * Calls come in this order: Declare, then ReadAll, then any number of Simulate, then Print and
 * Write.
 */
class Workload : public Typed<Workload, Object>
{
  public:
    /** @return the name of the scenario that runs it, such as data-parallel */
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

    /** @return how studies of all workloads vary this one; empty: they cannot */
    virtual WorkloadSweep GetSweep() const
    {
        return {};
    }

    /** @return options, by name, with values measured for planning; empty: none were measured */
    virtual std::vector<std::pair<std::string, std::string>> GetMeasured()
    {
        return {};
    }

    /** @return costs of layers by device type; empty where the workload has none */
    const std::map<std::string, LayerCost>& GetLayerCosts() const
    {
        return m_costs;
    }

    /** @return names of the cases to simulate, by default of planners in results */
    virtual std::vector<std::string> GetCases() const
    {
        return NamePlanners();
    }

    /**
     * Simulate a case; the workload keeps the details for Print and Write.
     *
     * @param index of the case
     * @param network joins the devices
     * @param progress called with the share of the run that is done, 0 to 1; may be empty
     * @return its outcome, valid until the next call
     * @throws InputError if the case is invalid
     */
    virtual const CaseOutcome& Simulate(std::size_t index,
                                        const NetworkOptions& network,
                                        const std::function<void(double)>& progress) = 0;

    /**
     * Set a scenario's usual link and recording, see SetUsualLink and SetUsualRecording.
     *
     * @param link name of the link
     * @param recording name of the recording; empty: none
     * @param scale default factor on the recording; empty: that of the options
     */
    void SetUsual(const std::string& link, const std::string& recording, const std::string& scale);

    /** @param tell called with each step before a case is simulated, such as planning */
    void Follow(const std::function<void(const std::string&)>& tell)
    {
        m_tell = tell;
    }

    /**
     * Reuse the network measurements of another workload of the same kind and options, whose costs
     * may differ.
     *
     * @param other workload that has read and simulated; null: none
     * @param keepsPlans whether planners also believe its costs
     */
    void SetOther(Ptr<const Workload> other, bool keepsPlans)
    {
        m_other = other;
        m_keepsPlans = keepsPlans;
    }

    /** @return figure that orders cases, lower is better: s, or s per piece of work */
    virtual double GetRank(const CaseOutcome& outcome) const
    {
        return outcome.seconds;
    }

    /** @return figures of all simulated cases, a row each; empty: the workload has none */
    virtual Figures GetFigures() const
    {
        return {};
    }

    /** @param draws of the costs, against which the order of the cases is tested */
    void SetDraws(const CostDraws& draws)
    {
        const std::string memory = DescribeOverflows(GetPlans(), draws.draws.size());
        m_survival = draws.DescribeOrder();
        m_survival += (m_survival.empty() || memory.empty() ? "" : " ") + memory;
    }

    /** Apply the usual recording, if any, then Read. */
    void ReadAll();

    /** @return paragraphs printed by Print, for the run's page */
    const std::vector<std::string>& GetNotes() const
    {
        return m_notes;
    }

    /** Describe the recordings to be replayed, see PrintRecordings. */
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
     * @return their names and contents, for people
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
     * Read the files that options name, and check combinations of options.
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
        m_ours = GetNames<Planner>();
        DeclarePlans();
    }

    /**
     * A program has the name of its file, without folder and interpreter, followed by its own
     * words: exec:python3 a/mine.py fast is `mine fast`, or `mine.py fast` where mine is a planner
     * of ours. It keeps its command where that names another planner of the run.
     *
     * @return names of m_planners in results, in order, no two alike
     */
    std::vector<std::string> NamePlanners() const;

    /**
     * Refuse a --replan-threshold that is too low, and a --replan-period that is too short.
     * @param leastThreshold lowest threshold allowed; at 0, decisions follow reports, and a period
     *        is refused
     */
    void CheckReplanning(double leastThreshold = 1e-6) const;

    /**
     * Print notes on standard output and on the run's page.
     * @param notes a paragraph each
     */
    void Note(const std::vector<std::string>& notes) const
    {
        Experiment::Say(notes, m_notes);
    }

    /**
     * Note whether predictions and simulations order cases alike, and whether the order survives
     * draws of the costs.
     *
     * @param cases to compare; none: predictions are of another figure
     */
    void NoteOrder(const Comparison& cases = {}) const;

    /**
     * Note how much of a recording each case met, where that differs by a tenth or more.
     *
     * @param ends names of cases, and when each ended
     * @param remedy how they meet the same; may be empty
     */
    void NoteStretches(std::vector<std::pair<std::string, Time>> ends,
                       const std::string& remedy) const;

    /**
     * @tparam Kind this kind of workload
     * @return the workload that measured the network; null: none
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
     * @param run further members of run.json
     */
    void WriteRun(ResultsFolder& folder, Table results, nlohmann::ordered_json run) const;

    /**
     * @param loads of devices
     * @param more further effects, each with whether predictions leave it out
     * @return the effects of network and loads, and further ones, that predictions leave out
     */
    std::vector<std::string> ListUnknown(
        const std::vector<DeviceLoad>& loads,
        const std::vector<std::pair<bool, const char*>>& more) const;

    /** @param what is being done before a case is simulated */
    void ReportProgress(const std::string& what) const
    {
        if (m_tell)
        {
            m_tell(what);
        }
    }

    /** @return whether the scenario has a usual recording */
    bool IsReplay() const
    {
        return !m_recording.empty();
    }

    ScenarioOptions* m_options{nullptr};      //!< declared
    NetworkOptions m_network;                 //!< how the devices are joined
    std::vector<std::string> m_planners;      //!< names of the planners to compare
    std::vector<JsonField> m_plans;           //!< given by --plan, the last of m_planners
    std::map<std::string, LayerCost> m_costs; //!< of layers, by type of device

  private:
    /** Declare --plan, which adds the plans of files to m_planners. */
    void DeclarePlans();

    std::function<void(const std::string&)> m_tell; //!< may be empty
    std::set<std::string> m_ours;                   //!< names of planners that need no argument
    std::string m_recording;                        //!< usual recording; empty: none
    std::string m_scale;                      //!< of the recording; empty: that of the options
    mutable std::vector<std::string> m_notes; //!< for the run's page
    Ptr<const Workload> m_other;              //!< see SetOther; null: none
    bool m_keepsPlans{false};                 //!< see SetOther
    std::string m_survival; //!< of the order under draws; empty: costs are not drawn
};

/**
 * @param planner name of a planner
 * @return whether it needs an argument, so that its plans come from outside
 */
bool IsOutsidePlanner(const std::string& planner);

/**
 * A workload with a row of results.csv for each of its cases.
 *
 * @tparam Self the workload; has NAME, USAGE and SCRIPT
 * @tparam Case a CaseOutcome, and the planner's name
 * @tparam Setting a RunSetting: how to run
 */
template <typename Self, typename Case, typename Setting>
class CasesWorkload : public Named<Self, Workload>
{
  public:
    const CaseOutcome& Simulate(std::size_t index,
                                const NetworkOptions& network,
                                const std::function<void(double)>& progress) override
    {
        AttributeDefaults defaults;
        this->m_options->SetAttributes(defaults);
        Setting setting = m_setting;
        setting.network = network;
        setting.planner = this->m_planners[index];
        Case& one = Begin(index);
        Run(setting, one, progress);
        return one;
    }

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
        return Map(m_cases, [this](const Case& one) { return PlanOf(one); });
    }

  protected:
    /**
     * Simulate a case; not called where Simulate is overridden.
     *
     * @param setting how to run, with the network and the planner
     * @param one the case, to be filled
     * @param progress called with the elapsed share; may be empty
     */
    virtual void Run([[maybe_unused]] Setting& setting,
                     [[maybe_unused]] Case& one,
                     [[maybe_unused]] const std::function<void(double)>& progress)
    {
    }

    /**
     * @param one a case
     * @param row of the results, to be filled with its figures
     */
    virtual void Fill(const Case& one, CellTable& row) const = 0;

    /** @return the figures of every case */
    CellTable MakeResults() const
    {
        CellTable results;
        for (const auto& one : m_cases)
        {
            results.Begin();
            Fill(one, results);
        }
        return results;
    }

    /**
     * @param one a case
     * @return its plans, see GetPlans
     */
    virtual CasePlan PlanOf(const Case& one) const = 0;

    /**
     * @param index of a case
     * @return the case, empty but for its planner
     */
    Case& Begin(std::size_t index)
    {
        m_cases.resize(std::max(m_cases.size(), index + 1));
        m_cases[index] = {};
        m_cases[index].planner = this->NamePlanners()[index];
        return m_cases[index];
    }

    /**
     * Add the number of failed decisions if any planner is an outside planner.
     *
     * @param one a case
     * @param row of the results
     */
    void AddFailures(const Case& one, CellTable& row) const
    {
        if (AnyOf(this->m_planners, IsOutsidePlanner))
        {
            row.Add("failedDecisions", one.failures.count, "failed decisions");
        }
    }

    /** @return columns that tell a case from the others */
    virtual std::vector<Column<Case>> ListKeys() const
    {
        return {{"planner", &Case::planner}};
    }

    /**
     * Write a table with several rows for each case.
     *
     * @tparam Part object that a row is made from, beside its case
     * @param folder to write to
     * @param file name of the table
     * @param parts function of a case, or a member of it: the objects of its rows
     * @param columns after those of keys
     * @param keys columns of the case; empty: ListKeys
     */
    template <typename Part, typename Parts>
    void WriteParts(ResultsFolder& folder,
                    const std::string& file,
                    Parts parts,
                    const std::vector<Column<Case, Part>>& columns,
                    const std::vector<Column<Case>>& keys = {}) const
    {
        auto all = Map(keys.empty() ? ListKeys() : keys,
                       [](const auto& key) { return Column<Case, Part>(key.name, key.get); });
        all.insert(all.end(), columns.begin(), columns.end());
        Sheet<Case, Part> sheet(std::move(all));
        for (const auto& one : m_cases)
        {
            sheet.AddEach(one, std::invoke(parts, one));
        }
        folder.Write(file, sheet.GetFile());
    }

    /**
     * Write the bytes that every transmitter sent, case by case.
     *
     * @param folder to write to
     * @param keys columns of the case; empty: ListKeys
     */
    void WriteLinks(ResultsFolder& folder, const std::vector<Column<Case>>& keys = {}) const
    {
        WriteParts<LinkCounter>(folder,
                                "links.csv",
                                &Case::links,
                                {{"link", &LinkCounter::name}, {"sentBytes", &LinkCounter::bytes}},
                                keys);
    }

    Setting m_setting;         //!< how to run, except network and planner
    std::vector<Case> m_cases; //!< that were simulated
};

/** A scenario that runs a workload with defaults of its own. */
struct WorkloadScenario
{
    std::string workload; //!< its name; empty: that of --workload
    std::string name;     //!< of the scenario
    std::string usage{};  //!< for the help; empty: the workload's
    std::vector<std::pair<std::string, std::string>> defaults{}; //!< of options, by name
    std::string link{};                                          //!< see Workload::SetUsual
    std::string recording{};                                     //!< see Workload::SetUsual
    std::string scale{};                                         //!< see Workload::SetUsual
    std::optional<std::string> script{};                         //!< none: the workload's
    std::function<void(const ScenarioOptions&)> end{};           //!< called at the end
};

/** A workload that has read its options, for programs that run many. */
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
    Ptr<Workload> m_workload;  //!< that has read the options
};

/** @return names of the workloads, by WorkloadSweep::place */
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

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_WORKLOAD_H */
