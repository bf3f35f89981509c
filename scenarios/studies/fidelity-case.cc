/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/fidelity-case.h"

#include "lib/run-report.h"
#include "lib/scenario-options.h"
#include "lib/training-inputs.h"
#include "lib/workload.h"

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/edgepipe-pipeline-schedule.h"
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

/// The workload whose cases may stand side by side.
const std::string PIPELINES = "pipeline-training";

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
    const char between = text.find('\t') == std::string::npos ? ' ' : '\t';
    for (std::string word; std::getline(words, word, between);)
    {
        if (word.empty())
        {
            continue;
        }
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
 * A case of pipeline-training, whose pipeline may stand side by side with others like it: each is
 * on a site of its own, devices of the cluster in turn, all on one network.
 */
class PipelineTrainingCase : public FidelityCase
{
  public:
    /**
     * @param text see FidelityCase::Make
     * @param traces the traces folder
     */
    PipelineTrainingCase(const std::string& text, const std::string& traces)
        : m_options("fidelity", ""),
          m_inputs(m_options)
    {
        m_options.Bind("devices=0", m_devices, 0, 1000000)
            .Help("of each site: the cluster's, repeated in turn; 0: as many as it has");
        m_options.Bind("pipelines=1", m_pipelines, 1, 1000000)
            .Help("sites side by side on one network, each training the model on its own devices");
        m_workload = PIPELINES;
        m_text = text;
        for (const auto& [name, value] : ListOptions(text, traces))
        {
            if (!m_options.Has(name))
            {
                throw InputError("\"" + name + "\" is no option of " + m_workload);
            }
            m_options.Set(name, value);
        }
        m_options.Apply();
        m_inputs.Read();
        const bool isSweep = m_devices > 0;
        const Cluster site = MakeSite(isSweep ? m_devices : m_inputs.cluster.devices.size());
        m_names = NameDevices(site);
        m_inputs.CheckNetwork(m_names);
        m_inputs.training.details = false;
        const auto probed = GetDeviceNames(site.devices);
        m_bandwidth = m_inputs.FindPlannerBandwidth(
            {probed.begin(), probed.begin() + (isSweep ? std::min(2U, m_devices) : probed.size())});
        if (!isSweep && m_inputs.IsProbed())
        {
            // What is measured depends on the fidelity, and the plan should not.
            m_bandwidth = std::round(m_bandwidth);
            m_text += " planner-bandwidth=" + std::to_string(std::llround(m_bandwidth)) + "bps";
        }
        m_problem = m_inputs.BuildProblem(site, m_bandwidth);
        PipelineProblem asked = m_problem;
        if (isSweep)
        {
            m_inputs.AddDelays(asked);
        }
        const auto planner = FindByName<PipelinePlanner>("planner", m_inputs.planners.front());
        m_plan = planner->Plan(asked);
        m_decisionSeconds = planner->GetDecisionSeconds();
        m_predictedSeconds = PipelineCostModel(asked).IterationSeconds(m_plan);
    }

    const NetworkOptions& GetNetwork() const override
    {
        return m_inputs.training.network;
    }

    std::size_t GetDevices() const override
    {
        return m_names.size();
    }

    std::size_t GetStages() const override
    {
        return m_plan.stages.size();
    }

    std::map<std::string, LayerCost> GetLayerCosts() const override
    {
        return m_inputs.costs;
    }

    CaseOutcome Simulate(const NetworkOptions& network,
                         const std::function<void(double)>& progress) override
    {
        PipelineTrainingOptions training = m_inputs.training;
        training.network = network;
        std::vector<PipelineOnNetwork> pipelines;
        for (uint32_t i = 0; i < m_pipelines; ++i)
        {
            pipelines.push_back(
                {&m_problem, &m_plan, i * static_cast<uint32_t>(m_problem.devices.size())});
        }
        const auto result = RunSideBySide(pipelines, m_names, training, progress);
        CaseOutcome outcome;
        outcome.isFinished = true;
        double bubbles = 0;
        double idle = 0;
        for (const auto& one : result.pipelines)
        {
            const double mean = one.GetMeanIterationSeconds();
            outcome.isFinished &= one.finished;
            outcome.seconds += mean / m_pipelines;
            bubbles += one.GetMeanBubbleRate() / m_pipelines;
            idle += one.GetMeanIdleRate() / m_pipelines;
            // Work that takes no time has no throughput to speak of.
            outcome.perSecond +=
                mean > 0 ? 1.0 * m_inputs.microBatches * m_inputs.microBatchSize / mean : 0;
        }
        outcome.bytesMoved = result.bytesMoved;
        outcome.events = result.events;
        outcome.end = result.end;
        outcome.diagnosis = result.diagnosis;
        outcome.decisionSeconds = m_decisionSeconds;
        const auto& in = m_inputs;
        outcome.columns = {{"model", in.graph.name},
                           {"cluster", in.cluster.name},
                           {"schedule", in.training.schedule},
                           {"microBatches", std::to_string(in.microBatches)},
                           {"microBatchSize", std::to_string(in.microBatchSize)},
                           {"iterations", std::to_string(in.training.iterations)},
                           {"predictedIterationSeconds", Table::Exact(m_predictedSeconds)},
                           {"idleRate", Table::Exact(idle)},
                           {"bubbleRate", Table::Exact(bubbles)},
                           {"transfers", std::to_string(result.transfers)},
                           {"plannerBandwidthBitsPerSecond", Table::Exact(m_bandwidth)},
                           {"layers", std::to_string(in.graph.layers.size())},
                           {"layerCostOrigins", JoinOrigins(in.costs)}};
        return outcome;
    }

  private:
    /**
     * @param count how many devices
     * @return the cluster's, again and again from the first: in turn k (from 1) `.k` follows names
     */
    Cluster MakeSite(std::size_t count) const
    {
        const auto& all = m_inputs.cluster.devices;
        Cluster site = m_inputs.cluster;
        site.devices.clear();
        for (std::size_t i = 0; i < count; ++i)
        {
            site.devices.push_back(all[i % all.size()]);
            site.devices.back().name += i < all.size() ? "" : "." + std::to_string(i / all.size());
        }
        return site;
    }

    /**
     * @param site the devices of a site
     * @return those of all sites: as there in the first, after `site-k/` in site k (from 1)
     */
    std::vector<std::string> NameDevices(const Cluster& site) const
    {
        std::vector<std::string> names;
        for (uint32_t i = 0; i < m_pipelines; ++i)
        {
            for (const auto& device : site.devices)
            {
                names.push_back((i ? "site-" + std::to_string(i) + "/" : "") + device.name);
            }
        }
        return names;
    }

    ScenarioOptions m_options;        //!< of the scenario
    TrainingInputs m_inputs;          //!< what they say
    uint32_t m_devices;               //!< of each site; 0: the cluster's
    uint32_t m_pipelines;             //!< sites
    std::vector<std::string> m_names; //!< of the devices of all sites
    PipelineProblem m_problem;        //!< what the plan is for
    PipelinePlan m_plan;              //!< by the first planner
    double m_bandwidth{0};            //!< that the planner was told, bit/s
    double m_decisionSeconds{0};      //!< wall-clock time of planning
    double m_predictedSeconds{0};     //!< iteration time by the cost model
};

/** A case of a Workload. */
class WorkloadCase : public FidelityCase
{
  public:
    /**
     * @param workload its name
     * @param text see FidelityCase::Make
     * @param traces the traces folder
     */
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

    CaseOutcome Simulate(const NetworkOptions& network,
                         const std::function<void(double)>& progress) override
    {
        return m_run->Simulate(0, network, progress);
    }

    ConfiguredWorkload m_run; //!< what runs
};

} // namespace

const std::vector<std::string>&
GetFidelityWorkloads()
{
    // In the order that draws are made in, those from outside last.
    static const std::vector<std::string> workloads = [] {
        std::vector<std::string> names{PIPELINES, "cooperative-inference", "actor-learner"};
        for (const auto& name : GetNames<Workload>())
        {
            if (!std::count(names.begin(), names.end(), name))
            {
                names.push_back(name);
            }
        }
        return names;
    }();
    return workloads;
}

std::unique_ptr<FidelityCase>
FidelityCase::Make(const std::string& text, const std::string& traces)
{
    std::string workload = PIPELINES;
    for (const auto& [name, value] : SplitOptions(text))
    {
        workload = name == "workload" ? value : workload;
    }
    const auto& known = GetFidelityWorkloads();
    if (!std::count(known.begin(), known.end(), workload))
    {
        throw InputError("workload", "\"" + workload + "\"", JoinWords(known, ", ", " or "));
    }
    if (workload == PIPELINES)
    {
        return std::make_unique<PipelineTrainingCase>(text, traces);
    }
    return std::make_unique<WorkloadCase>(workload, text, traces);
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

std::map<std::string, LayerCost>
FidelityCase::GetLayerCosts() const
{
    return {};
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

WorkloadSweep
FidelityCase::GetSweep(const std::string& workload)
{
    if (workload == PIPELINES)
    {
        // Planners that decide at once; the others learn for a while first.
        return {"",
                "",
                "",
                {},
                {"dp", "even", "exact", "ga", "pso"},
                "model&single:cluster schedule=" + JoinWords(GetNames<PipelineSchedule>(), "|") +
                    " micro-batch-size=1|2|4|8|16|32 micro-batches=2..16&iterations=1..3 "
                    "mixed:planner-bandwidth=1~100Mbps"};
    }
    return FindByName<Workload>("workload", workload)->GetSweep();
}

} // namespace edgepipe
} // namespace ns3
