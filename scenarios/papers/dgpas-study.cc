/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/dgpas-study.h"

#include "lib/count-list.h"
#include "lib/traces-option.h"

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/edgepipe-results-folder.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// The file with the paper's figures, in the traces folder.
const std::string PUBLISHED_FILE = "/published/dgpas.json";

/// The paper's micro-batches of a mini-batch, and their samples.
constexpr uint32_t MICRO_BATCHES = 8;
/// See MICRO_BATCHES.
constexpr uint32_t MICRO_BATCH_SIZE = 32;

/// Share of the work, for the progress, that is planning and simulating case by case.
constexpr double CASES_SHARE = 0.9;

/**
 * @param options of the scenario
 * @param option name of one
 * @param quick its value if --quick is on and none was typed; empty: its default
 * @param known what to choose from
 * @param name of these, their names
 * @return those chosen, in the order of known
 */
template <typename T>
std::vector<T>
Choose(const ScenarioOptions& options,
       const std::string& option,
       const std::string& quick,
       const std::vector<T>& known,
       std::string T::*name)
{
    const bool isQuick = options.GetBool("quick") && !quick.empty() && !options.IsChanged(option);
    const std::vector<std::string> asked =
        isQuick ? std::vector<std::string>{quick} : options.GetList(option);
    std::vector<T> chosen;
    std::string list;
    for (const T& one : known)
    {
        list += (list.empty() ? "" : ", ") + one.*name;
        if (std::find(asked.begin(), asked.end(), one.*name) != asked.end())
        {
            chosen.push_back(one);
        }
    }
    if (chosen.size() != asked.size())
    {
        options.Refuse(option, "some of " + list);
    }
    return chosen;
}

/**
 * @param published what the paper says
 * @param models some of its models
 * @return what it says of those
 */
PublishedDgpas
KeepModels(PublishedDgpas published, const std::vector<PublishedDgpasModel>& models)
{
    for (PublishedDgpasMethod& method : published.methods)
    {
        std::vector<double> seconds;
        for (std::size_t i = 0; i < published.models.size(); ++i)
        {
            if (std::any_of(models.begin(), models.end(), [&](const auto& model) {
                    return model.file == published.models[i].file;
                }))
            {
                seconds.push_back(method.seconds[i]);
            }
        }
        method.seconds = seconds;
    }
    published.models = models;
    return published;
}

} // namespace

void
DgpasStudy::AddOptions(ScenarioOptions& options)
{
    options.Add("quick",
                "little: one model, one network, one seed, unless told otherwise",
                "false");
    options.Add("model",
                "models, of those the paper measured",
                "alexnet,resnext101_32x8d,vgg19,inception_v3,regnet_x_200mf");
    options.Add(
        "networks",
        "lan-1g, lan-100m, wifi-ac, memory (51.2 GB/s, at which the paper's simulation moves "
        "tensors); the first is the one of table 3 and of figures 11 and 12",
        "lan-1g,lan-100m,wifi-ac,memory");
    options.Add("planner",
                "of " + JoinNames<PipelinePlanner>() + ", or all; grdqn is in two variants",
                "all");
    options.Add("seeds", "runs of each random planner over the first network", "10");
    options.Add("other-seeds", "the same over the other networks", "3");
    options.Add("bubbles-of",
                "whose plans figure 11 averages: rows of table 3",
                DGPAS_IMPROVED + ",dp,ga");
    options.Add("mini-batches", "of figure 11, rising", "1,2,4,8,16,32");
    DgpasSetting::AddOptions(options);
}

DgpasStudy::DgpasStudy(const ScenarioOptions& options)
    : m_options(options),
      m_published(ReadPublishedDgpas(FindTracesFolder(options) + PUBLISHED_FILE)),
      m_isQuick(options.GetBool("quick")),
      m_seeds(options.GetUint("seeds", 1, 10000)),
      m_otherSeeds(options.GetUint("other-seeds", 1, 10000)),
      m_miniBatches(GetCounts(options, "mini-batches", 100000)),
      m_firstRun(RngSeedManager::GetRun())
{
    m_published = KeepModels(
        m_published,
        Choose(options, "model", "alexnet", m_published.models, &PublishedDgpasModel::file));
    m_networks = Choose(options, "networks", "lan-1g", GetDgpasNetworks(), &DgpasNetwork::name);
    m_methods = GetDgpasMethods();
    const auto bubbles = Choose(options, "bubbles-of", "", m_methods, &DgpasMethod::name);
    if (options.GetString("planner") != "all")
    {
        const auto planners = options.GetList("planner");
        for (const std::string& planner : planners)
        {
            FindByName<PipelinePlanner>("--planner", planner);
        }
        const auto isLeftOut = [&planners](const DgpasMethod& method) {
            return std::find(planners.begin(), planners.end(), method.planner) == planners.end();
        };
        m_methods.erase(std::remove_if(m_methods.begin(), m_methods.end(), isLeftOut),
                        m_methods.end());
    }
    for (const DgpasMethod& method : bubbles)
    {
        if (FindMethod(method.name) < m_methods.size())
        {
            m_bubbleNames.push_back(method.name);
        }
    }
    if (m_bubbleNames.empty() && options.IsChanged("bubbles-of"))
    {
        options.Refuse("bubbles-of", "one at least whose planner is among --planner");
    }
    if (m_isQuick)
    {
        m_seeds = options.IsChanged("seeds") ? m_seeds : 1;
        m_otherSeeds = options.IsChanged("other-seeds") ? m_otherSeeds : 1;
    }
    ResultsFolder(options.GetString("out")).Check();
}

std::size_t
DgpasStudy::FindMethod(const std::string& name) const
{
    return std::find_if(m_methods.begin(),
                        m_methods.end(),
                        [&name](const DgpasMethod& method) { return method.name == name; }) -
           m_methods.begin();
}

const std::string&
DgpasStudy::GetName(std::size_t model) const
{
    return m_published.models[model].name;
}

DgpasSetting&
DgpasStudy::GetSetting(std::size_t model, std::size_t network)
{
    auto& setting = m_settings[{model, network}];
    if (!setting)
    {
        setting = std::make_unique<DgpasSetting>(m_options,
                                                 DgpasSite{m_published.models[model].file,
                                                           m_networks[network].link,
                                                           m_networks[network].bandwidth,
                                                           MICRO_BATCHES,
                                                           MICRO_BATCH_SIZE});
    }
    return *setting;
}

void
DgpasStudy::Run()
{
    const std::size_t models = m_published.models.size();
    const double total = models * (m_seeds + (m_networks.size() - 1.0) * m_otherSeeds);
    std::size_t done = 0;
    for (std::size_t network = 0; network < m_networks.size(); ++network)
    {
        for (std::size_t model = 0; model < models; ++model)
        {
            for (uint32_t i = 0; i < (network == 0 ? m_seeds : m_otherSeeds); ++i)
            {
                const double share = CASES_SHARE / total;
                RunSeed(model, network, m_firstRun + i, share * done, share);
                ++done;
            }
        }
    }
    m_progress.Update(CASES_SHARE, "figure 11");
    SweepBubbles();
    m_progress.Update((1 + CASES_SHARE) / 2, "help over bandwidth");
    SweepBandwidth();
    RngSeedManager::SetRun(m_firstRun);
    m_table3 = CompareDgpas(m_published, m_methods, m_cases, 0);
    m_orders = CompareDgpasOrders(m_published, m_methods, m_table3);
}

void
DgpasStudy::RunSeed(std::size_t model,
                    std::size_t network,
                    uint64_t seed,
                    double done,
                    double share)
{
    DgpasSetting& setting = GetSetting(model, network);
    std::map<std::string, DgpasPlan> plans; // schedules share them
    for (std::size_t method = 0; method < m_methods.size(); ++method)
    {
        const DgpasMethod& one = m_methods[method];
        if (!one.isRandom && seed != m_firstRun)
        {
            continue;
        }
        m_progress.Update(done + share * method / m_methods.size(),
                          GetName(model) + ", " + m_networks[network].label + ", " + one.name +
                              ", seed " + std::to_string(seed));
        const auto [made, isNew] = plans.try_emplace(one.planner + one.variant);
        if (isNew)
        {
            made->second = MakeDgpasPlan(one, setting.GetProblem(), seed);
            m_trainings += made->second.isTrained;
            m_preparationSeconds += made->second.preparationSeconds;
            m_decisionSeconds += made->second.decisionSeconds;
        }
        DgpasOutcomes outcomes;
        if (made->second.problemWithPlan.empty())
        {
            outcomes = setting.Simulate(made->second.plan, one.schedule, 1);
        }
        m_cases.Add({model, network, method, seed, made->second, outcomes});
    }
}

void
DgpasStudy::SweepBubbles()
{
    for (std::size_t model = 0; model < m_published.models.size(); ++model)
    {
        std::map<uint32_t, std::unique_ptr<DgpasSetting>> cuts;
        for (const uint32_t count : {2, 4, 8, 16, 32})
        {
            const auto& network = m_networks.front();
            cuts[count] =
                std::make_unique<DgpasSetting>(m_options,
                                               DgpasSite{m_published.models[model].file,
                                                         network.link,
                                                         network.bandwidth,
                                                         count,
                                                         MICRO_BATCHES * MICRO_BATCH_SIZE / count});
        }
        for (const DgpasCase& one : m_cases.GetAll())
        {
            const DgpasMethod& method = m_methods[one.method];
            if (one.model != model || one.network != 0 || !one.outcomes.IsFinished() ||
                std::find(m_bubbleNames.begin(), m_bubbleNames.end(), method.name) ==
                    m_bubbleNames.end())
            {
                continue;
            }
            const auto& plan = one.made.plan;
            for (const uint32_t count : m_miniBatches)
            {
                m_miniPoints.push_back(
                    {model,
                     method.name,
                     one.seed,
                     static_cast<double>(count),
                     GetSetting(model, 0).Simulate(plan, method.schedule, count)});
            }
            for (const auto& [count, setting] : cuts)
            {
                m_microPoints.push_back({model,
                                         method.name,
                                         one.seed,
                                         static_cast<double>(count),
                                         setting->Simulate(plan, method.schedule, 1)});
            }
        }
    }
}

void
DgpasStudy::SweepBandwidth()
{
    const std::size_t exact = FindMethod("exact");
    for (std::size_t model = 0; model < m_published.models.size(); ++model)
    {
        const DgpasCase* fixed = m_cases.FindFirst(model, 0, FindMethod(DGPAS_IMPROVED));
        for (const std::string& text : GetDgpasBandwidths(m_isQuick))
        {
            double bandwidth;
            ParseBitsPerSecond(text, bandwidth);
            DgpasSetting setting(
                m_options,
                {m_published.models[model].file, "lan", text, MICRO_BATCHES, MICRO_BATCH_SIZE});
            const auto add = [&](const std::string& method, const PipelinePlan& plan) {
                m_bandwidths.push_back(
                    {model, method, m_firstRun, bandwidth, setting.Simulate(plan, "gpipe", 1)});
            };
            if (fixed && fixed->outcomes.IsFinished())
            {
                add(DGPAS_IMPROVED, fixed->made.plan);
            }
            if (exact < m_methods.size())
            {
                const auto made = MakeDgpasPlan(m_methods[exact], setting.GetProblem(), m_firstRun);
                if (made.problemWithPlan.empty())
                {
                    add("exact", made.plan);
                }
            }
        }
    }
}

int
DgpasStudy::GetStatus() const
{
    const auto& all = m_cases.GetAll();
    return std::any_of(all.begin(),
                       all.end(),
                       [](const DgpasCase& one) {
                           return one.made.problemWithPlan.empty() && !one.outcomes.IsFinished();
                       })
               ? 3
               : 0;
}

} // namespace edgepipe
} // namespace ns3
