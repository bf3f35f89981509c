/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/workload.h"

#include "lib/flow-errors.h"

#include "ns3/edgepipe-outside-planner.h"
#include "ns3/global-value.h"

#include <filesystem>
#include <regex>

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(Workload);

void
Workload::SetUsual(const std::string& link, const std::string& recording, const std::string& scale)
{
    SetUsualLink(*m_options, m_network, link);
    m_recording = recording;
    m_scale = scale;
}

void
Workload::ReadAll()
{
    if (IsReplay() && SetUsualRecording(*m_options, m_recording) && !m_scale.empty() &&
        !m_options->IsChanged("trace-scale"))
    {
        m_options->Set("trace-scale", m_scale);
        m_options->Apply();
    }
    Read();
}

void
Workload::DeclarePlans()
{
    const auto read = [this] {
        m_plans.clear();
        if (m_options->GetString("plan").empty())
        {
            return;
        }
        for (const auto& path : m_options->GetList("plan"))
        {
            try
            {
                for (const auto& [name, plan] : ReadPlans(path))
                {
                    m_planners.push_back(name);
                    m_plans.push_back(plan);
                }
            }
            catch (const InputError& error)
            {
                throw InputError(std::string("--plan: ") + error.what());
            }
        }
    };
    m_options->Bind("plan=", std::function<void()>(read))
        .Help("files with plans that `plan` printed, to be run as further cases; several "
              "separated by commas");
}

void
Workload::CheckReplanning(double leastThreshold) const
{
    double threshold = 0;
    m_options->Read("replan-threshold", threshold, leastThreshold, 1e6);
    const Time period = m_options->Get<Time>("replan-period");
    m_options->Expect("replan-period",
                      period.IsZero() || period >= MilliSeconds(1),
                      "0, or 1ms or more");
    m_options->Expect("replan-period",
                      period.IsZero() || threshold > 0,
                      "0, since with --replan-threshold=0 shares are decided whenever all have "
                      "reported");
}

void
Workload::PrintNetwork() const
{
    PrintRecordings(*m_options, "", GetNetwork());
}

void
Workload::NoteOrder(const Comparison& cases) const
{
    auto notes = cases.DescribeOrder();
    if (!m_survival.empty() && notes.empty())
    {
        notes.emplace_back();
    }
    if (!m_survival.empty())
    {
        notes.back() += (notes.back().empty() ? "" : " ") + m_survival;
    }
    Note(notes);
}

void
Workload::NoteStretches(std::vector<std::pair<std::string, Time>> ends,
                        const std::string& remedy) const
{
    using End = std::pair<std::string, Time>;
    const auto [first, last] =
        std::minmax_element(ends.begin(), ends.end(), [](const End& a, const End& b) {
            return a.second < b.second;
        });
    if (!ends.empty() && last->second.GetSeconds() > 1.1 * first->second.GetSeconds() &&
        m_network.IsRecorded())
    {
        const auto format = [](const End& end) {
            return FormatRounded(end.second.GetSeconds()) + " s by " + end.first;
        };
        Note({"Planners met different stretches of the recording, from " + format(*first) + " to " +
              format(*last) + remedy});
    }
}

std::vector<std::string>
Workload::ListUnknown(const std::vector<DeviceLoad>& loads,
                      const std::vector<std::pair<bool, const char*>>& more) const
{
    const bool startsUp = m_options->Has("start-up") && m_options->Get<bool>("start-up");
    const auto links = m_network.GetLinks();
    std::vector<std::pair<bool, const char*>> all{
        {m_network.IsMobile() ||
             AnyOf(links,
                   [](const auto& one) { return AnyOf(one->GetRates(), &LinkRate::IsChanging); }),
         "bandwidth that changes"},
        {AnyOf(links, [](const auto& one) { return one->GetTraits().isShared; }),
         "transfers that share a link"},
        {m_network.CountCompetitors() > 0, "stations that compete"},
        {m_network.lossRate > 0, "packets that are lost"},
        {AnyOf(loads, &DeviceLoad::IsChanging), "load that changes"}};
    all.insert(all.end(), more.begin(), more.end());
    all.emplace_back(startsUp, "the start-up of transfers");
    using Effect = std::pair<bool, const char*>;
    return Map(Filter(all, &Effect::first),
               [](const Effect& one) -> std::string { return one.second; });
}

void
Workload::WriteRun(ResultsFolder& folder, Table results, nlohmann::ordered_json run) const
{
    const auto plans = GetPlans();
    if (!plans.empty())
    {
        results.AddColumn("plan", Map(plans, FormatCasePlan));
    }
    folder.Write("results.csv", AddRunColumns(std::move(results), &m_network));
    run["plans"] = FormatCasePlans(plans);
    run["network"] = DescribeLink(m_network);
    folder.Write("run.json", FormatRunFile(*m_options, m_costs, run));
}

namespace
{

/**
 * @param planner name of a planner
 * @param ours names of planners that need no argument
 * @return the name of its program in results; the planner's if it is none
 */
std::string
NameProgram(const std::string& planner, const std::set<std::string>& ours)
{
    const std::string exec = "exec:";
    if (planner.rfind(exec, 0) != 0)
    {
        return planner;
    }
    std::istringstream stream(planner.substr(exec.size()));
    std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
    // An interpreter and its options, such as /usr/bin/python3 -S.
    static const std::regex interpreters(
        "(.*/)?(env|python[0-9.]*|pypy[0-9.]*|sh|bash|dash|perl|ruby|node|julia|Rscript|java|lua)");
    auto word = words.begin();
    while (word + 1 < words.end() && std::regex_match(*word, interpreters))
    {
        word = std::find_if(word + 1, words.end() - 1, [](const std::string& one) {
            return one.front() != '-';
        });
    }
    if (word == words.end())
    {
        return planner;
    }
    std::filesystem::path path(*word);
    std::string name = ours.count(path.stem()) ? path.filename() : path.stem();
    for (++word; word < words.end(); ++word)
    {
        name += " " + *word;
    }
    return name;
}

} // namespace

std::vector<std::string>
Workload::NamePlanners() const
{
    const auto names =
        Map(m_planners, [this](const auto& one) { return NameProgram(one, m_ours); });
    const std::multiset<std::string> all(names.begin(), names.end());
    return Map(CountUp(names.size()), [&](std::size_t i) {
        const bool isUnclear =
            names[i].empty() || all.count(names[i]) > 1 || m_ours.count(names[i]);
        return isUnclear ? m_planners[i] : names[i];
    });
}

bool
IsOutsidePlanner(const std::string& planner)
{
    return planner.find(':') != std::string::npos;
}

namespace
{

/**
 * @param workload to declare options of
 * @param options of its scenario, to declare
 * @param scenario defaults
 */
void
Declare(const Ptr<Workload>& workload, ScenarioOptions& options, const WorkloadScenario& scenario)
{
    workload->Declare(options);
    if (!scenario.link.empty())
    {
        workload->SetUsual(scenario.link, scenario.recording, scenario.scale);
    }
    for (const auto& [option, value] : scenario.defaults)
    {
        options.SetDefault(option, value);
    }
}

/** Runs all cases of a workload, one after the other. */
class WorkloadExperiment : public Experiment
{
  public:
    /**
     * @param options of the scenario, to declare
     * @param workload what to run
     * @param scenario defaults
     */
    WorkloadExperiment(ScenarioOptions& options,
                       Ptr<Workload> workload,
                       const WorkloadScenario& scenario)
        : Experiment(options),
          m_workload(workload),
          m_scenario(scenario)
    {
        Declare(workload, options, scenario);
        m_drawing.Declare(options);
        options.AddOut();
    }

  private:
    void Read() override
    {
        m_workload->ReadAll();
        m_options.Expect("cost-draws",
                         m_drawing.draws == 0 || !m_workload->GetLayerCosts().empty(),
                         "0, since " + m_workload->GetName() + " has no layer costs");
        m_workload->PrintNetwork();
    }

    void Simulate() override
    {
        const auto names = m_workload->GetCases();
        std::vector<double> ranks;
        for (std::size_t i = 0; i < names.size(); ++i)
        {
            m_workload->Follow([&](const std::string& what) {
                Experiment::Follow(i, names.size(), names[i] + ": " + what);
            });
            const auto& one = m_workload->Simulate(
                i,
                m_workload->GetNetwork(),
                Experiment::Follow(i, names.size(), names[i] + ": simulating"));
            m_outcomes.push_back(one);
            ranks.push_back(FindRank(*m_workload, one));
        }
        if (m_drawing.draws == 0)
        {
            return;
        }
        const auto tell = Experiment::Follow(0, 1, "draws of costs");
        auto draws = CostDraws::Simulate(
            m_drawing.draws,
            [this](uint32_t draw) { return SimulateDraw(draw); },
            tell);
        m_drawn = {names,
                   ranks,
                   std::move(draws),
                   m_drawing.plans == "anew" ? "plans made anew" : "plans kept"};
        m_workload->SetDraws(*m_drawn);
    }

    /**
     * @param workload that has simulated a case
     * @param outcome of the case
     * @return its rank; infinity: it did not finish
     */
    static double FindRank(const Workload& workload, const CaseOutcome& outcome)
    {
        return outcome.isFinished && outcome.refusal.empty()
                   ? workload.GetRank(outcome)
                   : std::numeric_limits<double>::infinity();
    }

    /**
     * Simulate all cases with drawn costs; to be called in a child process.
     * @param draw its number
     * @return the outcome
     */
    CostDraw SimulateDraw(uint32_t draw) const
    {
        GlobalValue::Bind("EdgepipeCostDraw", UintegerValue(draw));
        CostDraw found = SimulateDrawn(m_drawing.plans != "anew");
        if (m_drawing.FindsRegrets())
        {
            found.regrets = CostDraws::FindRegrets(found.ranks, SimulateDrawn(false).ranks);
        }
        return found;
    }

    /**
     * @param keepsPlans whether planners believe the nominal costs
     * @return outcome of all cases with the costs of EdgepipeCostDraw
     */
    CostDraw SimulateDrawn(bool keepsPlans) const
    {
        const auto workload = FindByName<Workload>("workload", m_workload->GetName());
        ScenarioOptions options(m_options.GetName(), "");
        Declare(workload, options, m_scenario);
        for (const auto& [name, value] : m_options.GetAll())
        {
            if (options.Has(name) && m_options.IsChanged(name))
            {
                options.Set(name, value);
            }
        }
        options.Apply();
        workload->SetOther(m_workload, keepsPlans);
        workload->ReadAll();
        auto ranks = Map(CountUp(m_outcomes.size()), [&](std::size_t i) {
            return FindRank(*workload, workload->Simulate(i, workload->GetNetwork(), {}));
        });
        return {std::move(ranks), workload->GetFigures().numbers};
    }

    /** @return names of the rows of figures */
    std::vector<std::string> ListRows() const
    {
        auto rows = Map(m_workload->GetPlans(), &CasePlan::name);
        rows.resize(m_workload->GetFigures().numbers.size());
        return rows;
    }

    void Print() const override
    {
        const std::string errors =
            DescribeFlowErrors(m_options, m_workload->GetName(), m_workload->GetNetwork());
        std::cout << errors << (errors.empty() ? "" : "\n");
        m_workload->Print();
        if (m_drawn)
        {
            m_drawn->Print(m_workload->GetFigures(), ListRows());
        }
        PrintCasePlans(m_workload->GetPlans());
        const NetworkOptions& network = m_workload->GetNetwork();
        if (!network.cutDevice.empty() &&
            !AnyOf(m_outcomes, [&](const auto& one) { return one.end > network.cutTime; }))
        {
            std::cout << "\n--cut: every run had ended when the links of " << network.cutDevice
                      << " went dead, after " << network.cutTime.GetSeconds() << " s\n";
        }
        m_notes = m_workload->GetNotes();
        if (!errors.empty())
        {
            m_notes.insert(m_notes.begin(), errors);
        }
        const auto names = m_workload->GetCases();
        for (std::size_t i = 0; i < names.size(); ++i)
        {
            const CaseOutcome& one = m_outcomes[i];
            if (const auto count = one.failures.count; count > 0)
            {
                std::cout << "\n"
                          << names[i] << ": "
                          << (count > 1 ? std::to_string(count) + " decisions" : "a decision")
                          << " came to nothing, and the plan stayed; the last: "
                          << one.failures.reason << "\n";
            }
            if (!one.isFinished && one.refusal.empty())
            {
                ReportStall(names[i], one.end, one.diagnosis);
            }
        }
    }

    std::string Write(ResultsFolder& folder) const override
    {
        if (m_drawn)
        {
            m_drawn->Write(folder, m_workload->GetFigures(), ListRows());
        }
        const std::string files = m_workload->Write(folder);
        return m_drawn ? "intervals.csv, orders.csv (draws of costs),\n  " + files : files;
    }

    Ptr<Workload> m_workload;            //!< what to run
    const WorkloadScenario& m_scenario;  //!< its defaults
    CostDrawOptions m_drawing;           //!< how costs are drawn
    std::vector<CaseOutcome> m_outcomes; //!< by case
    std::optional<CostDraws> m_drawn;    //!< outcomes of draws; none: no draws
};

} // namespace

ConfiguredWorkload::ConfiguredWorkload(
    const std::string& name,
    const std::vector<std::pair<std::string, std::string>>& values)
    : m_options(name, ""),
      m_workload(FindByName<Workload>("workload", name))
{
    m_workload->Declare(m_options);
    for (const auto& [option, value] : values)
    {
        Require(m_options.Has(option), "\"" + option + "\" is no option of " + name);
        m_options.Set(option, value);
    }
    m_options.Apply();
    m_workload->ReadAll();
}

std::vector<std::string>
ListWorkloads()
{
    auto places = Map(GetNames<Workload>(), [](const std::string& name) {
        return std::pair(FindByName<Workload>("workload", name)->GetSweep().place, name);
    });
    std::sort(places.begin(), places.end());
    return Map(places, &decltype(places)::value_type::second);
}

int
RunWorkload(const WorkloadScenario& scenario, int argc, char* argv[])
{
    return RunScenario(scenario.name, argc, argv, [&](int argc, char* argv[]) {
        std::string name = scenario.workload;
        std::string usage = scenario.usage;
        const auto declare = [&](ScenarioOptions& options) {
            if (scenario.workload.empty())
            {
                options.BindName<Workload>("workload=" + ListWorkloads().front(), name)
                    .Help("workload to run, on which the other options depend: ");
            }
        };
        if (name.empty())
        {
            // Read these two first: the workload determines the options, and may be in a library.
            std::vector<char*> words{argv[0]};
            std::copy_if(argv + 1,
                         argv + argc,
                         std::back_inserter(words),
                         [](const std::string& word) {
                             return word.rfind("--workload=", 0) == 0 ||
                                    word.rfind("--library=", 0) == 0;
                         });
            ScenarioOptions first(scenario.name, "");
            declare(first);
            first.Parse(words.size(), words.data());
            usage = "Run any workload by its name, here: ";
        }
        const auto workload = FindByName<Workload>("--workload", name);
        ScenarioOptions options(scenario.name,
                                scenario.usage.empty() ? usage + workload->GetUsage() : usage);
        declare(options);
        const int status = WorkloadExperiment(options, workload, scenario)
                               .Run(argc, argv, scenario.script.value_or(workload->GetScript()));
        if (scenario.end)
        {
            scenario.end(options);
        }
        return status;
    });
}

} // namespace ns3::edgepipe
