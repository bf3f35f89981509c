/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/workload.h"

#include "lib/flow-errors.h"
#include "lib/network-inputs.h"

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(Workload);

TypeId
Workload::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::edgepipe::Workload").SetParent<Object>().SetGroupName("Edgepipe");
    return tid;
}

void
Workload::SetUsual(const std::string& link, const std::string& recording, const std::string& scale)
{
    SetUsualLink(*m_options, m_network, link);
    m_recording = recording;
    m_scale = scale;
}

void
Workload::Tell(const std::string& what) const
{
    if (m_tell)
    {
        m_tell(what);
    }
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
Workload::CheckReplanning() const
{
    double threshold = 0;
    m_options->Read("replan-threshold", threshold, 1e-6, 1e6);
    Time period;
    m_options->Read("replan-period", period);
    if (period.IsStrictlyPositive() && period < MilliSeconds(1))
    {
        m_options->Refuse("replan-period", "0, or 1ms or more");
    }
}

void
Workload::PrintNetwork() const
{
    PrintRecordings(*m_options, "", GetNetwork());
}

void
Workload::Note(const std::vector<std::string>& notes) const
{
    for (const auto& note : notes)
    {
        std::cout << "\n" << note << "\n";
        m_notes.push_back(note);
    }
}

void
Workload::WriteRun(ResultsFolder& folder, Table results, nlohmann::ordered_json run) const
{
    const auto plans = GetPlans();
    std::vector<std::string> cells;
    std::transform(plans.begin(), plans.end(), std::back_inserter(cells), FormatCasePlan);
    results.AddColumn("plan", cells);
    folder.Write("results.csv", AddRunColumns(std::move(results), &m_network));
    run["plans"] = FormatCasePlans(plans);
    folder.Write("run.json", FormatRunFile(*m_options, m_costs, run));
}

void
Workload::DoDispose()
{
    m_options = nullptr;
    Object::DoDispose();
}

namespace
{

/** All cases of a workload, one after the other. */
class WorkloadExperiment : public Experiment
{
  public:
    /**
     * @param options of the scenario, to declare
     * @param workload what to run
     */
    WorkloadExperiment(ScenarioOptions& options, Ptr<Workload> workload)
        : Experiment(options),
          m_workload(workload)
    {
    }

  private:
    /** What came of a case. */
    struct Outcome
    {
        std::string name;                   //!< of the case
        bool isFinished;                    //!< whether it came to its end
        Time end;                           //!< simulated
        std::vector<std::string> diagnosis; //!< who waits for what
        PlannerFailures failures;           //!< plans that did not come
        bool isRefused;                     //!< whether it did not begin
    };

    void Read() override
    {
        m_workload->ReadAll();
        m_workload->PrintNetwork();
    }

    void Simulate() override
    {
        const auto names = m_workload->GetCases();
        for (std::size_t i = 0; i < names.size(); ++i)
        {
            m_workload->Follow([&](const std::string& what) {
                Experiment::Follow(i, names.size(), names[i] + ": " + what);
            });
            const auto& one = m_workload->Simulate(
                i,
                m_workload->GetNetwork(),
                Experiment::Follow(i, names.size(), names[i] + ": simulating"));
            m_outcomes.push_back({names[i],
                                  one.isFinished,
                                  one.end,
                                  one.diagnosis,
                                  one.failures,
                                  !one.refusal.empty()});
        }
    }

    void Print() const override
    {
        PrintFlowErrors(m_options, m_workload->GetName(), m_workload->GetNetwork());
        m_workload->Print();
        PrintCasePlans(m_workload->GetPlans());
        m_notes = m_workload->GetNotes();
        for (const auto& one : m_outcomes)
        {
            PrintFailures(one.name, one.failures);
            if (!one.isFinished && !one.isRefused)
            {
                ReportStall(one.name, one.end, one.diagnosis);
            }
        }
    }

    std::string Write(ResultsFolder& folder) const override
    {
        return m_workload->Write(folder);
    }

    Ptr<Workload> m_workload;        //!< what to run
    std::vector<Outcome> m_outcomes; //!< by case
};

/**
 * @param workload that has been found
 * @param options of its scenario, to declare
 * @param scenario defaults
 * @param argc number of arguments
 * @param argv the arguments
 * @return the exit status
 */
int
RunFound(const Ptr<Workload>& workload,
         ScenarioOptions& options,
         const WorkloadScenario& scenario,
         int argc,
         char* argv[])
{
    workload->Declare(options);
    options.AddOut();
    if (!scenario.link.empty())
    {
        workload->SetUsual(scenario.link, scenario.recording, scenario.scale);
    }
    for (const auto& [option, value] : scenario.defaults)
    {
        options.SetDefault(option, value);
    }
    const int status = WorkloadExperiment(options, workload)
                           .Run(argc, argv, scenario.script.value_or(workload->GetScript()));
    if (scenario.end)
    {
        scenario.end(options);
    }
    return status;
}

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
        if (!m_options.Has(option))
        {
            throw InputError("\"" + option + "\" is no option of " + name);
        }
        m_options.Set(option, value);
    }
    m_options.Apply();
    m_workload->ReadAll();
}

Workload*
ConfiguredWorkload::operator->() const
{
    return PeekPointer(m_workload);
}

std::vector<std::string>
ListWorkloads()
{
    std::vector<std::pair<uint32_t, std::string>> places;
    for (const auto& name : GetNames<Workload>())
    {
        places.emplace_back(FindByName<Workload>("workload", name)->GetSweep().place, name);
    }
    std::sort(places.begin(), places.end());
    std::vector<std::string> names;
    for (const auto& [place, name] : places)
    {
        names.push_back(name);
    }
    return names;
}

int
RunWorkload(const std::string& name, int argc, char* argv[])
{
    return RunWorkload({name, name, ""}, argc, argv);
}

int
RunWorkload(const WorkloadScenario& scenario, int argc, char* argv[])
{
    return RunScenario(scenario.name, argc, argv, [&](int argc, char* argv[]) {
        const auto workload = FindByName<Workload>("workload", scenario.workload);
        ScenarioOptions options(scenario.name,
                                scenario.usage.empty() ? workload->GetUsage() : scenario.usage);
        return RunFound(workload, options, scenario, argc, argv);
    });
}

int
RunAnyWorkload(int argc, char* argv[])
{
    const std::string scenario = "workload";
    return RunScenario(scenario, argc, argv, [&](int argc, char* argv[]) {
        const std::string usual = ListWorkloads().front();
        std::string name;
        const auto declare = [&](ScenarioOptions& options) {
            options.BindName<Workload>("workload=" + usual, name)
                .Help("which one, with its options: ");
        };
        // What it is says which options there are, and it may be that of a library.
        std::vector<char*> words{argv[0]};
        std::copy_if(argv + 1, argv + argc, std::back_inserter(words), [](const std::string& word) {
            return word.rfind("--workload=", 0) == 0 || word.rfind("--library=", 0) == 0;
        });
        ScenarioOptions first(scenario, "");
        declare(first);
        first.Parse(words.size(), words.data());
        const auto workload = FindByName<Workload>("--workload", name);
        ScenarioOptions options(scenario,
                                "Run any workload by its name, here: " + workload->GetUsage());
        declare(options);
        return RunFound(workload, options, {}, argc, argv);
    });
}

} // namespace ns3::edgepipe
