/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-grdqn-planner.h"

#include "ns3/edgepipe-any-plan.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-joint-grdqn.h"
#include "ns3/edgepipe-staged-grdqn.h"
#include "ns3/log.h"

#include <chrono>
#include <cstdio>
#include <filesystem>

namespace ns3
{
namespace edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeGrdqnPlanner");

NS_OBJECT_ENSURE_REGISTERED(GrdqnPlanner);

std::string
GrdqnPlanner::GetName() const
{
    return "grdqn";
}

GrdqnCheckpoint
GrdqnPlanner::Train(const PipelineProblem& problem, const GrdqnProgress& progress)
{
    ValidatePipelineProblem(problem);
    PipelineCostModel costModel(problem);
    costModel.CheckLayersFit();
    if (!CanGrowPlans(costModel))
    {
        FindAnyPlan(costModel);
        throw InputError(
            "planner grdqn: there is nothing to learn, since the devices with the most "
            "memory, given as many layers as fit, leave layers over");
    }
    TrainAgent(costModel, progress);
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
GrdqnPlanner::FindOptions() const
{
    GrdqnOptions options{};
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
    }
    else
    {
        throw InputError("Variant: found \"" + m_variant + "\", expected faithful or improved");
    }
    return options;
}

std::unique_ptr<GrdqnAgent>
GrdqnPlanner::MakeAgent(const PipelineCostModel& costModel) const
{
    const GrdqnOptions options = FindOptions();
    if (m_variant == "faithful")
    {
        return std::make_unique<StagedGrdqn>(costModel, options);
    }
    return std::make_unique<JointGrdqn>(costModel, options);
}

void
GrdqnPlanner::TrainAgent(const PipelineCostModel& costModel, const GrdqnProgress& progress)
{
    auto agent = MakeAgent(costModel);
    const auto start = std::chrono::steady_clock::now();
    auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(m_stream);
    agent->Train(random, progress);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    m_trainingSeconds = elapsed.count();
    m_trainingEvaluations = agent->GetEvaluations();
    m_weights.variant = m_variant;
    m_weights.key = HashGrdqnProblem(costModel.GetProblem(), m_variant, FindOptions(), m_stream);
    m_weights.weights = agent->GetWeights();
    m_hasWeights = true;
    NS_LOG_INFO("trained for " << m_trainingSeconds << " s");
}

bool
GrdqnPlanner::IsOf(const GrdqnCheckpoint& checkpoint, const GrdqnAgent& agent) const
{
    const auto counts = agent.CountWeights();
    bool isOf = checkpoint.variant == m_variant && checkpoint.weights.size() == counts.size();
    for (std::size_t i = 0; isOf && i < counts.size(); ++i)
    {
        isOf = checkpoint.weights[i].size() == counts[i];
    }
    return isOf;
}

void
GrdqnPlanner::DoPrepare(const PipelineProblem& problem, const PipelineCostModel& costModel)
{
    NS_LOG_FUNCTION(this);
    m_firstUseEvaluations = 0;
    m_decisionEvaluations = 0;
    const GrdqnOptions options = FindOptions();
    if (!CanGrowPlans(costModel))
    {
        return;
    }
    const auto agent = MakeAgent(costModel);
    if (!m_checkpointFile.empty())
    {
        if (!m_hasWeights || m_loadedFile != m_checkpointFile)
        {
            m_weights = ReadGrdqnCheckpoint(m_checkpointFile);
            m_loadedFile = m_checkpointFile;
            m_hasWeights = true;
        }
        if (!IsOf(m_weights, *agent))
        {
            throw InputError("checkpoint \"" + m_checkpointFile +
                             "\": its networks do not fit, expected those of Variant " + m_variant +
                             " for " + std::to_string(problem.devices.size()) +
                             " devices and the hidden units that are set");
        }
        return;
    }
    const uint64_t key = HashGrdqnProblem(problem, m_variant, options, m_stream);
    if (m_hasWeights && IsOf(m_weights, *agent) && (m_weights.key == key || !m_retrains))
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
            if (found.key == key && IsOf(found, *agent))
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
    TrainAgent(costModel, [this](const GrdqnEpisode& episode, double done) {
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
    auto agent = MakeAgent(costModel);
    agent->SetWeights(m_weights.weights);
    PipelinePlan plan = agent->Decide();
    m_decisionEvaluations = agent->GetEvaluations();
    return plan;
}

} // namespace edgepipe
} // namespace ns3
