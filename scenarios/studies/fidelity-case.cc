/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/fidelity-case.h"

#include "lib/actor-learner-inputs.h"
#include "lib/cooperative-inputs.h"
#include "lib/progress.h"
#include "lib/scenario-options.h"
#include "lib/training-inputs.h"
#include "lib/workload.h"
#include "runs/actor-learner-summary.h"
#include "runs/cooperative-summary.h"

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param text options of a case, such as "model=alexnet link=p2p"
 * @return names and values, in their order
 * @throws InputError if a word is neither
 */
std::vector<std::pair<std::string, std::string>>
SplitOptions(const std::string& text)
{
    std::vector<std::pair<std::string, std::string>> values;
    std::istringstream words(text);
    for (std::string word; words >> word;)
    {
        const auto equals = word.find('=');
        if (equals == std::string::npos)
        {
            throw InputError("found \"" + word + "\", expected NAME=VALUE");
        }
        const std::string name = word.substr(0, equals);
        if (std::any_of(values.begin(), values.end(), [&](auto& one) { return one.first == name; }))
        {
            throw InputError("found a second " + name + ", expected it once");
        }
        values.emplace_back(name, word.substr(equals + 1));
    }
    return values;
}

/**
 * @param text see FidelityCase::Make
 * @param traces the traces folder
 * @return options of the workload's scenario
 */
std::vector<std::pair<std::string, std::string>>
ListOptions(const std::string& text, const std::string& traces)
{
    std::vector<std::pair<std::string, std::string>> options{{"traces", traces}};
    for (const auto& option : SplitOptions(text))
    {
        if (option.first != "workload")
        {
            options.push_back(option);
        }
    }
    return options;
}

/**
 * A case whose scenario reads its options by some class.
 *
 * @tparam Inputs the class
 */
template <typename Inputs>
class ReadCase : public FidelityCase
{
  public:
    /**
     * @param workload name of the scenario
     * @param text see FidelityCase::Make
     * @param traces the traces folder
     */
    ReadCase(const std::string& workload, const std::string& text, const std::string& traces)
        : m_options("fidelity", ""),
          m_inputs(m_options)
    {
        m_workload = workload;
        m_text = text;
        for (const auto& [name, value] : ListOptions(text, traces))
        {
            if (!m_options.Has(name))
            {
                throw InputError("\"" + name + "\" is no option of " + workload);
            }
            m_options.Set(name, value);
        }
        m_options.Apply();
        m_inputs.Read();
    }

  protected:
    ScenarioOptions m_options; //!< of the scenario
    Inputs m_inputs;           //!< what they say
};

/** A case of pipeline-training. */
class PipelineTrainingCase : public ReadCase<TrainingInputs>
{
  public:
    /** @copydoc ReadCase::ReadCase */
    PipelineTrainingCase(const std::string& workload,
                         const std::string& text,
                         const std::string& traces)
        : ReadCase(workload, text, traces)
    {
        const auto names = GetDeviceNames(m_inputs.cluster.devices);
        m_inputs.CheckNetwork(names);
        double bandwidth = m_inputs.FindPlannerBandwidth(names);
        if (m_inputs.IsProbed())
        {
            // What is measured depends on the fidelity, and the plan should not.
            bandwidth = std::round(bandwidth);
            m_text += " planner-bandwidth=" + std::to_string(std::llround(bandwidth)) + "bps";
        }
        m_problem = m_inputs.BuildProblem(m_inputs.cluster, bandwidth);
        m_plan = FindByName<PipelinePlanner>("planner", m_inputs.planners.front())->Plan(m_problem);
    }

    const NetworkOptions& GetNetwork() const override
    {
        return m_inputs.training.network;
    }

    std::size_t GetDevices() const override
    {
        return m_problem.devices.size();
    }

    std::size_t GetStages() const override
    {
        return m_plan.stages.size();
    }

  private:
    FidelityFigure Simulate(const NetworkOptions& network,
                            const std::function<void(double)>& progress) override
    {
        PipelineTrainingOptions training = m_inputs.training;
        training.network = network;
        const auto result = RunPipelineTraining(m_problem, m_plan, training, progress);
        FidelityFigure figure;
        figure.seconds = result.GetMeanIterationSeconds();
        figure.bytesMoved = result.bytesMoved;
        figure.events = result.events;
        figure.isFinished = result.finished;
        figure.end = result.end;
        figure.diagnosis = result.diagnosis;
        return figure;
    }

    PipelineProblem m_problem; //!< what the plan is for
    PipelinePlan m_plan;       //!< by the first planner
};

/** A case of cooperative-inference. */
class CooperativeInferenceCase : public ReadCase<CooperativeInputs>
{
  public:
    using ReadCase::ReadCase;

    const NetworkOptions& GetNetwork() const override
    {
        return m_inputs.run.network;
    }

    std::size_t GetDevices() const override
    {
        return m_inputs.names.size();
    }

  private:
    FidelityFigure Simulate(const NetworkOptions& network,
                            const std::function<void(double)>& progress) override
    {
        CooperativeInferenceOptions run = m_inputs.run;
        run.network = network;
        run.planner = m_inputs.planners.front();
        const auto result = RunCooperativeInference(m_inputs.devices, run, progress);
        const auto summary = Summarise(m_inputs.devices, result);
        FidelityFigure figure;
        figure.seconds = summary.meanSeconds;
        figure.bytesMoved = result.bytesMoved;
        figure.events = result.events;
        figure.isFinished = result.isComplete;
        figure.end = result.end;
        figure.diagnosis = result.diagnosis;
        figure.requests = summary.finished;
        figure.perSecond = summary.framesPerSecond;
        figure.decisionSeconds = summary.decisionSeconds * result.plans.size();
        return figure;
    }
};

/** A case of actor-learner. */
class ActorLearningCase : public ReadCase<ActorLearnerInputs>
{
  public:
    using ReadCase::ReadCase;

    const NetworkOptions& GetNetwork() const override
    {
        return m_inputs.run.network;
    }

    std::size_t GetDevices() const override
    {
        return m_inputs.run.actors.size() + 1;
    }

  private:
    FidelityFigure Simulate(const NetworkOptions& network,
                            const std::function<void(double)>& progress) override
    {
        ActorLearnerOptions run = m_inputs.run;
        run.network = network;
        run.planner = m_inputs.planners.front();
        const auto result = RunActorLearner(run, progress);
        const auto summary = Summarise(run, result, m_inputs.warmUp);
        FidelityFigure figure;
        figure.seconds = summary.meanSeconds;
        figure.bytesMoved = result.bytesMoved;
        figure.events = result.events;
        figure.isFinished = result.isComplete;
        figure.end = result.end;
        figure.diagnosis = result.diagnosis;
        figure.responses = summary.requests;
        figure.requests = result.steps.size();
        figure.perSecond = summary.requestsPerSecond;
        figure.decisionSeconds = result.decisionSeconds;
        return figure;
    }
};

/** A case of a Workload. */
class WorkloadCase : public FidelityCase
{
  public:
    /** @copydoc ReadCase::ReadCase */
    WorkloadCase(const std::string& workload, const std::string& text, const std::string& traces)
        : m_run(workload, ListOptions(text, traces))
    {
        m_workload = workload;
        m_text = text;
    }

    const NetworkOptions& GetNetwork() const override
    {
        return m_run->GetNetwork();
    }

    std::size_t GetDevices() const override
    {
        return m_run->CountDevices();
    }

    std::size_t GetStages() const override
    {
        return m_run->CountStages();
    }

  private:
    FidelityFigure Simulate(const NetworkOptions& network,
                            const std::function<void(double)>& progress) override
    {
        return m_run->Simulate(0, network, progress);
    }

    ConfiguredWorkload m_run; //!< what runs
};

/**
 * @tparam Case a case of that workload
 * @copydetails ReadCase::ReadCase
 */
template <typename Case>
std::unique_ptr<FidelityCase>
MakeCase(const std::string& workload, const std::string& text, const std::string& traces)
{
    return std::make_unique<Case>(workload, text, traces);
}

} // namespace

const std::vector<std::string>&
GetFidelityWorkloads()
{
    static const std::vector<std::string> workloads{"pipeline-training",
                                                    "cooperative-inference",
                                                    "actor-learner",
                                                    "data-parallel"};
    return workloads;
}

std::unique_ptr<FidelityCase>
FidelityCase::Make(const std::string& text, const std::string& traces)
{
    using Maker = std::unique_ptr<FidelityCase> (*)(const std::string&,
                                                    const std::string&,
                                                    const std::string&);
    static const std::map<std::string, Maker> makers{
        {"pipeline-training", MakeCase<PipelineTrainingCase>},
        {"cooperative-inference", MakeCase<CooperativeInferenceCase>},
        {"actor-learner", MakeCase<ActorLearningCase>},
        {"data-parallel", MakeCase<WorkloadCase>}};
    std::string workload = GetFidelityWorkloads().front();
    for (const auto& [name, value] : SplitOptions(text))
    {
        workload = name == "workload" ? value : workload;
    }
    const auto maker = makers.find(workload);
    if (maker == makers.end())
    {
        throw InputError("workload",
                         "\"" + workload + "\"",
                         JoinWords(GetFidelityWorkloads(), ", ", " or "));
    }
    return maker->second(workload, text, traces);
}

const std::string&
FidelityCase::GetText() const
{
    return m_text;
}

const std::string&
FidelityCase::GetWorkload() const
{
    return m_workload;
}

std::size_t
FidelityCase::GetStages() const
{
    return 0;
}

bool
FidelityCase::IsRandom() const
{
    const auto isRandom = [](const NetworkOptions& network) {
        return network.link == "wifi" || network.link == "lte" || !network.jitter.IsZero() ||
               network.lossRate > 0;
    };
    const auto& network = GetNetwork();
    return isRandom(network) ||
           std::any_of(network.groups.begin(), network.groups.end(), [&](const auto& group) {
               return isRandom(group.network);
           });
}

NetworkOptions
FidelityCase::GetNetwork(const std::string& fidelity) const
{
    NetworkOptions network = GetNetwork();
    network.fidelity = fidelity;
    return network;
}

FidelityRun
FidelityCase::Run(const NetworkOptions& network,
                  uint32_t runs,
                  const std::function<void(double)>& progress)
{
    FidelityRun all;
    all.runs = runs;
    all.isFinished = true;
    const uint64_t firstRun = RngSeedManager::GetRun();
    const Stopwatch watch;
    for (uint32_t run = 0; run < runs; ++run)
    {
        RngSeedManager::SetRun(firstRun + run);
        const auto figure = Simulate(network, progress);
        all.seconds += figure.seconds / runs;
        all.firstSeconds = run ? all.firstSeconds : figure.seconds;
        all.responses = run ? all.responses : figure.responses;
        all.lowestSeconds = run ? std::min(all.lowestSeconds, figure.seconds) : figure.seconds;
        all.highestSeconds = std::max(all.highestSeconds, figure.seconds);
        all.bytesMoved = figure.bytesMoved;
        all.events = figure.events;
        all.requests = figure.requests;
        all.perSecond = figure.perSecond;
        all.decisionSeconds = figure.decisionSeconds;
        if (all.isFinished || !figure.isFinished)
        {
            all.end = figure.end;
            all.diagnosis = figure.diagnosis;
        }
        all.isFinished &= figure.isFinished;
    }
    RngSeedManager::SetRun(firstRun);
    all.wallSeconds = watch.GetSeconds() / runs;
    return all;
}

} // namespace edgepipe
} // namespace ns3
