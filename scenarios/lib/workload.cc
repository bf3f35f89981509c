/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/workload.h"

#include "lib/flow-errors.h"
#include "lib/outside-planners.h"

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(Workload);

TypeId
Workload::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::edgepipe::Workload").SetParent<Object>().SetGroupName("Edgepipe");
    return tid;
}

std::string
Workload::GetScript() const
{
    return "";
}

std::size_t
Workload::CountStages() const
{
    return 0;
}

WorkloadSweep
Workload::GetSweep() const
{
    return {};
}

void
Workload::PrintNetwork() const
{
    PrintNetworkNotes(*m_options, GetName(), GetNetwork());
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
        m_workload->Declare(options);
        options.AddOut();
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
    };

    void Read() override
    {
        m_workload->Read();
        m_workload->PrintNetwork();
    }

    void Simulate() override
    {
        const auto names = m_workload->GetCases();
        for (std::size_t i = 0; i < names.size(); ++i)
        {
            const auto& one =
                m_workload->Simulate(i,
                                     m_workload->GetNetwork(),
                                     Follow(i, names.size(), names[i] + ": simulating"));
            m_outcomes.push_back({names[i], one.isFinished, one.end, one.diagnosis, one.failures});
        }
    }

    void Print() const override
    {
        m_workload->Print();
        for (const auto& one : m_outcomes)
        {
            PrintFailures(one.name, one.failures);
            if (!one.isFinished)
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
    m_workload->Read();
}

Ptr<Workload>
ConfiguredWorkload::Get() const
{
    return m_workload;
}

Workload*
ConfiguredWorkload::operator->() const
{
    return PeekPointer(m_workload);
}

int
RunWorkload(const std::string& name, int argc, char* argv[])
{
    return RunScenario(name, argc, argv, [&name](int argc, char* argv[]) {
        const auto workload = FindByName<Workload>("workload", name);
        ScenarioOptions options(name, workload->GetUsage());
        return WorkloadExperiment(options, workload).Run(argc, argv, workload->GetScript());
    });
}

} // namespace edgepipe
} // namespace ns3
