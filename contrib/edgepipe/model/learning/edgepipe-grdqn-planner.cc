/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-grdqn-planner.h"

#include "ns3/edgepipe-bounded-pipeline-search.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-joint-grdqn.h"
#include "ns3/edgepipe-stage-fit.h"
#include "ns3/edgepipe-staged-grdqn.h"
#include "ns3/log.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <sstream>

namespace ns3
{
namespace edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeGrdqnPlanner");

NS_OBJECT_ENSURE_REGISTERED(GrdqnPlanner);

namespace
{

/// Most steps of dynamic programming to find a plan that fits where no simple rule finds one.
constexpr double MOST_STEPS = 2e9;

/**
 * @param costModel the cost model of a problem
 * @return whether agents can make plans for it
 */
bool
CanLearn(const PipelineCostModel& costModel)
{
    const std::vector<bool> isTaken(costModel.GetProblem().devices.size(), false);
    return StageFit(costModel).CanComplete(0, isTaken);
}

/**
 * @param costModel the cost model of a problem that agents cannot make plans for
 * @return a plan that fits
 * @throws InputError when there is none, or finding one takes too long
 */
PipelinePlan
FindAnyPlan(const PipelineCostModel& costModel)
{
    BoundedPipelineSearch search(costModel);
    if (search.GetStepsPerSearch() > MOST_STEPS)
    {
        throw InputError("no plan found: giving the devices with the most memory as many layers as "
                         "fit leaves layers over, and the problem is too large for a search");
    }
    auto found = search.Search({});
    if (!found)
    {
        throw InputError("no plan fits: no cut of the layers fits the memory of the devices");
    }
    return found->plan;
}

/**
 * @param name of the attribute
 * @param text such as 160,128,64
 * @return the numbers
 * @throws InputError when it is none
 */
std::vector<std::size_t>
ParseUnits(const std::string& name, const std::string& text)
{
    std::vector<std::size_t> units;
    std::istringstream stream(text);
    std::string word;
    bool isGood = !text.empty() && text.back() != ',';
    while (isGood && std::getline(stream, word, ','))
    {
        isGood = !word.empty() && word.size() <= 5 &&
                 word.find_first_not_of("0123456789") == std::string::npos &&
                 std::stoul(word) >= 1 && std::stoul(word) <= 10000;
        units.push_back(isGood ? std::stoul(word) : 0);
    }
    if (!isGood)
    {
        throw InputError(name + ": found \"" + text +
                         "\", expected units of the hidden layers, 1 to 10000, such as 160,128,64");
    }
    return units;
}

} // namespace

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
    if (!CanLearn(costModel))
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
        options.hiddenUnits = ParseUnits("HiddenUnits", m_hiddenUnits);
        options.replayCapacity = m_faithfulReplay;
    }
    else if (m_variant == "improved")
    {
        options.hiddenUnits = ParseUnits("ImprovedHiddenUnits", m_improvedHiddenUnits);
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
    if (!CanLearn(costModel))
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
    TrainAgent(costModel, {});
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
    if (!CanLearn(costModel))
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
