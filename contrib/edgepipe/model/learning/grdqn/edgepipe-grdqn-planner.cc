/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-grdqn-planner.h"

#include "ns3/edgepipe-any-plan.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-joint-grdqn.h"
#include "ns3/edgepipe-staged-grdqn.h"
#include "ns3/log.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <list>

namespace ns3
{
namespace edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeGrdqnPlanner");

NS_OBJECT_ENSURE_REGISTERED(GrdqnPlanner);

namespace
{

/// Share of a limited number of evaluations that is left to the decision.
constexpr double DECIDING_SHARE = 0.3;

} // namespace

std::string
GrdqnPlanner::GetName() const
{
    return "grdqn";
}

int64_t
GrdqnPlanner::AssignStreams(int64_t stream)
{
    m_firstStream = stream;
    return m_stream + 1;
}

GrdqnCheckpoint
GrdqnPlanner::Train(const PipelineProblem& problem, const GrdqnProgress& progress)
{
    return Train(std::vector<PipelineProblem>{problem}, progress);
}

GrdqnCheckpoint
GrdqnPlanner::Train(const std::vector<PipelineProblem>& problems, const GrdqnProgress& progress)
{
    std::list<PipelineCostModel> costModels;
    std::vector<const PipelineCostModel*> pointers;
    for (const PipelineProblem& problem : problems)
    {
        ValidatePipelineProblem(problem);
        costModels.emplace_back(problem);
        pointers.push_back(&costModels.back());
        costModels.back().CheckLayersFit();
        if (!CanGrowPlans(costModels.back()))
        {
            FindAnyPlan(costModels.back());
            throw InputError(
                "planner grdqn: there is nothing to learn, since the devices with the most "
                "memory, given as many layers as fit, leave layers over");
        }
    }
    TrainAgent(pointers, progress);
    return m_weights;
}

uint64_t
GrdqnPlanner::GetEvaluations() const
{
    return m_firstUseEvaluations + m_decisionEvaluations;
}

uint64_t
GrdqnPlanner::GetTrainingEvaluations() const
{
    return m_trainingEvaluations;
}

uint64_t
GrdqnPlanner::GetDecisionEvaluations() const
{
    return m_decisionEvaluations;
}

double
GrdqnPlanner::GetTrainingSeconds() const
{
    return m_trainingSeconds;
}

GrdqnOptions
GrdqnPlanner::FindOptions(std::size_t devices) const
{
    GrdqnOptions options{};
    options.deviceSlots = devices;
    options.recurrentUnits = m_recurrentUnits;
    options.cutEpisodes = m_cutEpisodes;
    options.placeEpisodes = m_placeEpisodes;
    options.learningRate = m_learningRate;
    options.discount = m_discount;
    options.firstEpsilon = m_firstEpsilon;
    options.lastEpsilon = m_lastEpsilon;
    options.exploringShare = m_exploringShare;
    options.batchSize = m_batchSize;
    options.targetInterval = m_targetInterval;
    options.fitsPerEpisode = m_fitsPerEpisode;
    options.kappa = m_kappa;
    options.varsigma = m_varsigma;
    options.cutReward = m_cutReward;
    options.cutPenalty = m_cutPenalty;
    options.continueReward = m_continueReward;
    options.continuePenalty = m_continuePenalty;
    options.balanceThreshold = m_balanceThreshold;
    options.fitReward = m_fitReward;
    options.delayWeight = m_delayWeight;
    options.loadWeight = m_loadWeight;
    options.doubleDqn = m_doubleDqn;
    options.priorityExponent = m_priorityExponent;
    options.returnBound = m_returnBound;
    options.beamWidth = m_beamWidth;
    options.imitatedEvaluations = m_imitatedEvaluations;
    options.searchEvaluations = m_searchEvaluations;
    if (m_variant == "faithful")
    {
        options.hiddenUnits = ParseHiddenUnits("HiddenUnits", m_hiddenUnits);
        options.replayCapacity = m_faithfulReplay;
    }
    else if (m_variant == "improved")
    {
        options.hiddenUnits = ParseHiddenUnits("ImprovedHiddenUnits", m_improvedHiddenUnits);
        options.replayCapacity = m_improvedReplay;
        options.cutEpisodes = m_improvedEpisodes;
        options.deviceSlots = std::max<std::size_t>(devices, m_deviceSlots);
        if (m_mostEvaluations > 0)
        {
            const auto most = static_cast<uint64_t>(DECIDING_SHARE * m_mostEvaluations);
            options.searchEvaluations = std::min<uint64_t>(options.searchEvaluations, most);
            options.mostEvaluations = m_mostEvaluations - most;
        }
    }
    else
    {
        throw InputError("Variant: found \"" + m_variant + "\", expected faithful or improved");
    }
    return options;
}

std::unique_ptr<GrdqnAgent>
GrdqnPlanner::MakeAgent(const PipelineCostModel& costModel, const GrdqnOptions& options) const
{
    if (m_variant == "faithful")
    {
        return std::make_unique<StagedGrdqn>(costModel, options);
    }
    return std::make_unique<JointGrdqn>(costModel, options);
}

std::unique_ptr<GrdqnAgent>
GrdqnPlanner::MakeAgent(const GrdqnCheckpoint& checkpoint, const PipelineCostModel& costModel) const
{
    GrdqnOptions options = FindOptions(costModel.GetProblem().devices.size());
    if (m_variant == "improved")
    {
        options.deviceSlots = JointGrdqn::FindSlots(options,
                                                    checkpoint.weights,
                                                    costModel.GetProblem().devices.size());
    }
    if (checkpoint.variant != m_variant || options.deviceSlots == 0)
    {
        return nullptr;
    }
    auto agent = MakeAgent(costModel, options);
    const auto counts = agent->CountWeights();
    bool fits = checkpoint.weights.size() == counts.size();
    for (std::size_t i = 0; fits && i < counts.size(); ++i)
    {
        fits = checkpoint.weights[i].size() == counts[i];
    }
    if (!fits)
    {
        return nullptr;
    }
    agent->SetWeights(checkpoint.weights);
    return agent;
}

void
GrdqnPlanner::TrainAgent(const std::vector<const PipelineCostModel*>& costModels,
                         const GrdqnProgress& progress)
{
    std::size_t devices = 0;
    for (const PipelineCostModel* costModel : costModels)
    {
        devices = std::max(devices, costModel->GetProblem().devices.size());
    }
    const GrdqnOptions options = FindOptions(devices);
    if (costModels.size() > 1 && m_variant != "improved")
    {
        throw InputError("planner grdqn: Variant " + m_variant +
                         " trains for one problem, expected improved for several");
    }
    const auto start = std::chrono::steady_clock::now();
    const int64_t stream = m_firstStream + m_stream;
    const auto random = MakeRandomVariable<UniformRandomVariable>(stream);
    std::vector<std::unique_ptr<GrdqnAgent>> agents;
    agents.push_back(MakeAgent(*costModels.front(), options));
    if (costModels.size() == 1)
    {
        agents.front()->Train(random, progress);
    }
    else
    {
        std::vector<JointGrdqn*> together{dynamic_cast<JointGrdqn*>(agents.front().get())};
        for (std::size_t i = 1; i < costModels.size(); ++i)
        {
            agents.push_back(std::make_unique<JointGrdqn>(*costModels[i], *together.front()));
            together.push_back(static_cast<JointGrdqn*>(agents.back().get()));
        }
        JointGrdqn::TrainTogether(together, random, progress);
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    m_trainingSeconds = elapsed.count();
    m_trainingEvaluations = 0;
    m_weights.variant = m_variant;
    m_weights.key = 0;
    for (std::size_t i = 0; i < agents.size(); ++i)
    {
        m_trainingEvaluations += agents[i]->GetEvaluations();
        m_weights.key ^= HashGrdqnProblem(costModels[i]->GetProblem(), m_variant, options, stream);
    }
    m_weights.weights = agents.front()->GetWeights();
    m_hasWeights = true;
    NS_LOG_INFO("trained for " << m_trainingSeconds << " s");
}

void
GrdqnPlanner::DoPrepare(const PipelineProblem& problem, const PipelineCostModel& costModel)
{
    NS_LOG_FUNCTION(this);
    m_firstUseEvaluations = 0;
    m_decisionEvaluations = 0;
    const GrdqnOptions options = FindOptions(problem.devices.size());
    if (!CanGrowPlans(costModel))
    {
        return;
    }
    if (!m_checkpointFile.empty())
    {
        if (!m_hasWeights || m_loadedFile != m_checkpointFile)
        {
            m_weights = ReadGrdqnCheckpoint(m_checkpointFile);
            m_loadedFile = m_checkpointFile;
            m_hasWeights = true;
        }
        if (!MakeAgent(m_weights, costModel))
        {
            throw InputError("checkpoint \"" + m_checkpointFile +
                             "\": its networks do not fit, expected those of Variant " + m_variant +
                             " for " + std::to_string(problem.devices.size()) +
                             " devices and the hidden units that are set");
        }
        return;
    }
    const uint64_t key = HashGrdqnProblem(problem, m_variant, options, m_firstStream + m_stream);
    if (m_hasWeights && (m_weights.key == key || !m_retrains) && MakeAgent(m_weights, costModel))
    {
        return;
    }
    const std::string folder = m_usesCache ? FindGrdqnCache(m_cacheFolder) : "";
    char name[32];
    std::snprintf(name, sizeof(name), "/%016llx", static_cast<unsigned long long>(key));
    if (!folder.empty())
    {
        try
        {
            GrdqnCheckpoint found = ReadGrdqnCheckpoint(folder + name);
            if (found.key == key && MakeAgent(found, costModel))
            {
                m_weights = std::move(found);
                m_hasWeights = true;
                return;
            }
        }
        catch (const InputError& error)
        {
            NS_LOG_INFO("not in the cache: " << error.what());
        }
    }
    TrainAgent({&costModel}, [this](const GrdqnEpisode& episode, double done) {
        ReportProgress(done, episode.network + " episode " + std::to_string(episode.episode));
    });
    m_firstUseEvaluations = m_trainingEvaluations;
    if (!folder.empty())
    {
        try
        {
            std::error_code ignored;
            std::filesystem::create_directories(folder, ignored);
            WriteGrdqnCheckpoint(folder + name, m_weights);
        }
        catch (const InputError& error)
        {
            NS_LOG_WARN("not cached: " << error.what());
        }
    }
}

PipelinePlan
GrdqnPlanner::DoPlan(const PipelineProblem&, const PipelineCostModel& costModel)
{
    NS_LOG_FUNCTION(this);
    if (!CanGrowPlans(costModel))
    {
        return FindAnyPlan(costModel);
    }
    const auto agent = MakeAgent(m_weights, costModel);
    PipelinePlan plan = agent->Decide();
    m_decisionEvaluations = agent->GetEvaluations();
    return plan;
}

} // namespace edgepipe
} // namespace ns3
