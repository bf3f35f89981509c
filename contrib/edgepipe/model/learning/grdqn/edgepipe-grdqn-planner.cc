/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-grdqn-planner.h"

#include "ns3/double.h"
#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-partial-plan.h"
#include "ns3/edgepipe-problem-json.h"
#include "ns3/hash.h"
#include "ns3/log.h"
#include "ns3/rng-seed-manager.h"

#include <cstdio>
#include <filesystem>
#include <iomanip>

namespace ns3::edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeGrdqnPlanner");

NS_OBJECT_ENSURE_REGISTERED(GrdqnPlanner);
NS_OBJECT_ENSURE_REGISTERED(AsPrintedGrdqnPlanner);
NS_OBJECT_ENSURE_REGISTERED(StageAwareGrdqnPlanner);
NS_OBJECT_ENSURE_REGISTERED(ImprovedGrdqnPlanner);

namespace
{

/// Largest value of rewards and their weights.
constexpr double LARGE = 1e6;
/// Largest count that any attribute accepts.
constexpr uint32_t MANY = 10000000;

/// Attributes without influence on training.
const std::set<std::string> NOT_FOR_TRAINING{"Checkpoint",
                                             "Cache",
                                             "CacheFolder",
                                             "Retrain",
                                             "SearchEvaluations"};
/// Share of a limited number of evaluations reserved for the decision.
constexpr double DECIDING_SHARE = 0.3;

} // namespace

GrdqnPlanner::GrdqnPlanner()
    : GrdqnPlanner("faithful")
{
}

GrdqnPlanner::GrdqnPlanner(const std::string& variant)
    : m_variant(variant)
{
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
    ValidatePipelineProblem(problem);
    const PipelineCostModel costModel(problem);
    if (!UsesGroups())
    {
        costModel.CheckLayersFit();
    }
    if (!PartialPlanner(costModel, UsesGroups()).CanGrowPlans())
    {
        FindAnyPlan(costModel);
        throw InputError("planner " + GetName() +
                         ": there is nothing to learn, since the devices with the "
                         "most memory, given as many layers as fit, leave layers over");
    }
    const GrdqnOptions options = FindOptions(problem.devices.size());
    const auto start = std::chrono::steady_clock::now();
    const auto agent = MakeAgent(costModel, options);
    agent->Train(MakeRandomVariable<UniformRandomVariable>(m_firstStream + m_stream), progress);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    m_trainingSeconds = elapsed.count();
    m_trainingEvaluations = agent->GetEvaluations();
    m_weights = {m_variant, FindKey(problem), options.deviceSlots, agent->GetWeights()};
    NS_LOG_INFO("trained for " << m_trainingSeconds << " s");
    return m_weights;
}

GrdqnOptions
GrdqnPlanner::FindOptions(std::size_t devices) const
{
    GrdqnOptions options = *this;
    options.deviceSlots = devices;
    options.mostEvaluations = 0;
    options.seesStage = m_variant == "stage-aware";
    options.isJudged = m_variant != "as-printed";
    if (m_variant != "improved")
    {
        Require(!usesGroups, "Groups", "true", "false, since stages have one device each");
        options.hiddenUnits = ParseHiddenUnits("HiddenUnits", m_hiddenUnits);
        options.replayCapacity = m_faithfulReplay;
    }
    else
    {
        options.hiddenUnits = ParseHiddenUnits("ImprovedHiddenUnits", m_improvedHiddenUnits);
        options.replayCapacity = m_improvedReplay;
        options.cutEpisodes = m_improvedEpisodes;
        if (mostEvaluations > 0)
        {
            const auto most = static_cast<uint64_t>(DECIDING_SHARE * mostEvaluations);
            options.searchEvaluations = std::min<uint64_t>(options.searchEvaluations, most);
            options.mostEvaluations = mostEvaluations - most;
        }
    }
    return options;
}

std::unique_ptr<GrdqnAgent>
GrdqnPlanner::MakeAgent(const PipelineCostModel& costModel, const GrdqnOptions& options) const
{
    return m_variant == "improved" ? MakeJointGrdqn(costModel, options)
                                   : MakeStagedGrdqn(costModel, options);
}

std::unique_ptr<GrdqnAgent>
GrdqnPlanner::MakeAgent(const GrdqnCheckpoint& checkpoint, const PipelineCostModel& costModel) const
{
    const std::size_t devices = costModel.GetProblem().devices.size();
    const bool serves =
        m_variant == "improved" ? checkpoint.devices >= devices : checkpoint.devices == devices;
    if (checkpoint.variant != m_variant || !serves)
    {
        return nullptr;
    }
    auto agent = MakeAgent(costModel, FindOptions(checkpoint.devices));
    return agent->SetWeights(checkpoint.weights) ? std::move(agent) : nullptr;
}

uint64_t
GrdqnPlanner::FindKey(const PipelineProblem& problem) const
{
    PipelineProblem nameless = problem;
    nameless.model.clear();
    for (std::size_t i = 0; i < problem.layers.size(); ++i)
    {
        nameless.layers[i].name = std::to_string(i);
    }
    for (std::size_t d = 0; d < problem.devices.size(); ++d)
    {
        nameless.devices[d].name = std::to_string(d);
    }
    std::ostringstream text;
    text << std::setprecision(std::numeric_limits<double>::max_digits10) << FormatProblem(nameless)
         << RngSeedManager::GetSeed() << ' ' << RngSeedManager::GetRun() << ' ' << m_firstStream
         << ' ' << random_streams::PLAN_SEARCH.first << (UsesGroups() ? " groups " : " ")
         << m_variant;
    const TypeId tid = GetTypeId();
    for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
    {
        const auto attribute = tid.GetAttribute(i);
        if (NOT_FOR_TRAINING.count(attribute.name) == 0)
        {
            const Ptr<AttributeValue> value = attribute.checker->Create();
            attribute.accessor->Get(this, *value);
            const auto number = DynamicCast<DoubleValue>(value);
            text << ' ' << attribute.name << '=';
            number ? text << number->Get() : text << value->SerializeToString(attribute.checker);
        }
    }
    return Hash64(text.str());
}

void
GrdqnPlanner::DoPrepare(const PipelineProblem& problem, const PipelineCostModel& costModel)
{
    NS_LOG_FUNCTION(this);
    m_firstUseEvaluations = 0;
    m_decisionEvaluations = 0;
    FindOptions(problem.devices.size()); // refuses unusable attributes
    if (!PartialPlanner(costModel, UsesGroups()).CanGrowPlans())
    {
        return;
    }
    if (!m_checkpointFile.empty())
    {
        if (m_loadedFile != m_checkpointFile)
        {
            m_weights = ReadGrdqnCheckpoint(m_checkpointFile);
            m_loadedFile = m_checkpointFile;
        }
        Require(MakeAgent(m_weights, costModel) != nullptr,
                "checkpoint \"" + m_checkpointFile +
                    "\": its networks do not fit, expected those of " + GetName() + " for " +
                    std::to_string(problem.devices.size()) +
                    " devices and the hidden units that are set");
        return;
    }
    const uint64_t key = FindKey(problem);
    if ((m_weights.key == key || !m_retrains) && MakeAgent(m_weights, costModel))
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
                return;
            }
        }
        catch (const InputError& error)
        {
            NS_LOG_INFO("not in the cache: " << error.what());
        }
    }
    Train(problem, [this](const GrdqnEpisode& episode, double done) {
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
    if (!PartialPlanner(costModel, UsesGroups()).CanGrowPlans())
    {
        return FindAnyPlan(costModel);
    }
    const auto agent = MakeAgent(m_weights, costModel);
    PipelinePlan plan = agent->Decide();
    m_decisionEvaluations = agent->GetEvaluations();
    return plan;
}

TypeId
GrdqnPlanner::AddAttributes(TypeId tid)
{
    using P = GrdqnPlanner;
    // "DGPAS" marks values that the paper gives; all others are ours.
    return Attributes(tid)
        .Add("Checkpoint",
             "File of weights that train-planner wrote; empty: none.",
             {&P::m_checkpointFile, ""})
        .Add("Cache",
             "Whether weights trained on first use are kept on disk.",
             {&P::m_usesCache, true})
        .Add("CacheFolder",
             "Folder of weights trained on first use; empty: edgepipe/grdqn in "
             "$XDG_CACHE_HOME, else in $HOME/.cache.",
             {&P::m_cacheFolder, ""})
        .Add("Evaluations",
             "grdqn-improved: most plans evaluated by training and the decision after it, give or "
             "take "
             "those of one episode; 0: no limit.",
             {Own(&P::mostEvaluations), 0})
        .Add("Retrain",
             "Whether to retrain for a problem other than the last; if not, the weights are kept "
             "while they fit the number of devices.",
             {&P::m_retrains, true})
        .Add("Stream",
             "Random variable stream of all draws, counted from the planner's first stream.",
             {&P::m_stream, 0, 0})
        .Add("HiddenUnits",
             "All but grdqn-improved: units of the hidden layers of both networks (DGPAS, of SDQN: "
             "160, 128, 64).",
             {&P::m_hiddenUnits, "160,128,64"})
        .Add("ImprovedHiddenUnits",
             "grdqn-improved: units of the hidden layers of both networks.",
             {&P::m_improvedHiddenUnits, "64,64"})
        .Add("RecurrentUnits", "Units of the GRU.", {Own(&P::recurrentUnits), 64, 1, 10000})
        .Add("CutEpisodes",
             "All but grdqn-improved: episodes that train SDQN, Round_1; 0 leaves random weights.",
             {Own(&P::cutEpisodes), 300, 0, MANY})
        .Add("PlaceEpisodes",
             "All but grdqn-improved: episodes that train GRDQN, Round_2; 0 leaves random weights.",
             {Own(&P::placeEpisodes), 200, 0, MANY})
        .Add("ImprovedEpisodes",
             "grdqn-improved: episodes that train both networks; 0 leaves random weights.",
             {&P::m_improvedEpisodes, 250, 0, MANY})
        .Add("LearningRate", "Step size of Adam.", {Own(&P::learningRate), 2e-3, 1e-9, 1})
        .Add("CutDiscount",
             "All but grdqn-improved: gamma of eq. 6. SDQN's next state is the next layer whatever "
             "it does, so "
             "gamma hardly matters.",
             {Own(&P::cutDiscount), 0.5, 0, 1})
        .Add("PlaceDiscount",
             "All but grdqn-improved: gamma of eq. 9. An assignment's cost appears only in later "
             "stages, all of "
             "which count equally at 1.",
             {Own(&P::placeDiscount), 0.99, 0, 1})
        .Add("FirstEpsilon",
             "Share of random actions in the first episode (DGPAS: 1.0).",
             {Own(&P::firstEpsilon), 1.0, 0, 1})
        .Add("LastEpsilon",
             "Share of random actions once exploring has ended (DGPAS: 0.1).",
             {Own(&P::lastEpsilon), 0.1, 0, 1})
        .Add("ExploringShare",
             "Share of the episodes over which epsilon falls, linearly.",
             {Own(&P::exploringShare), 0.4, 0, 1})
        .Add("BatchSize", "Transitions per gradient step.", {Own(&P::batchSize), 32, 1, 100000})
        .Add("ReplayCapacity",
             "All but grdqn-improved: transitions kept.",
             {&P::m_faithfulReplay, 2000, 1, MANY})
        .Add("ImprovedReplayCapacity",
             "grdqn-improved: decisions kept per network.",
             {&P::m_improvedReplay, 2000, 1, MANY})
        .Add("TargetInterval",
             "Gradient steps between copies to the target networks.",
             {Own(&P::targetInterval), 100, 1, MANY})
        .Add("FitsPerEpisode",
             "All but grdqn-improved: gradient steps after an episode; grdqn-improved takes one "
             "per stage.",
             {Own(&P::fitsPerEpisode), 12, 1, 100000})
        .Add("Kappa",
             "All but grdqn-improved: kappa of eq. 2, as a multiple of the work a device would "
             "have if all "
             "worked in proportion to their speed; 0: chosen for the problem, as-printed: 0.5.",
             {Own(&P::kappa), 0, 0, LARGE})
        .Add("Varsigma",
             "All but grdqn-improved: varsigma of eq. 3, as a multiple of a micro-batch's time if "
             "all devices "
             "work in proportion to their speed; 0: chosen for the problem, as-printed: 0.5.",
             {Own(&P::varsigma), 0, 0, LARGE})
        .Add("CutReward",
             "All but grdqn-improved: r_c of eq. 2.",
             {Own(&P::cutReward), 1, 0, LARGE})
        .Add("CutPenalty",
             "All but grdqn-improved: r'_c of eq. 2.",
             {Own(&P::cutPenalty), 0.25, 0, LARGE})
        .Add(
            "ContinueReward",
            "All but grdqn-improved: r_f of eq. 3; above r_c, so that an expensive cut never pays.",
            {Own(&P::continueReward), 1.2, 0, LARGE})
        .Add("ContinuePenalty",
             "All but grdqn-improved: r'_f of eq. 3.",
             {Own(&P::continuePenalty), 0.02, 0, LARGE})
        .Add("BalanceThreshold",
             "All but grdqn-improved: T_balance of eq. 5, for the variance of stage times over the "
             "square of "
             "their mean; up to 0.1, eq. 5's first case falls from 6 to 5.",
             {Own(&P::balanceThreshold), 0.1, 0, LARGE})
        .Add("FitThreshold",
             "All but grdqn-improved: longest time of computing a stage and of sending its output "
             "for eq. 8 to "
             "count the device's compute and bandwidth as sufficient, in the unit of Varsigma.",
             {Own(&P::fitThreshold), 1.12, 0, LARGE})
        .Add("FitReward", "All but grdqn-improved: v of eq. 8.", {Own(&P::fitReward), 1, 0, LARGE})
        .Add("DelayWeight",
             "All but grdqn-improved: alpha of eq. 8.",
             {Own(&P::delayWeight), 10, 0, LARGE})
        .Add("LoadWeight",
             "All but grdqn-improved: beta of eq. 8.",
             {Own(&P::loadWeight), 1, 0, LARGE})
        .Add(
            "DoubleDqn",
            "grdqn-improved: whether the online network chooses the action that the target network "
            "evaluates.",
            {Own(&P::doubleDqn), true})
        .Add("PriorityExponent",
             "grdqn-improved: how much replay prefers large errors; 0: not at all.",
             {Own(&P::priorityExponent), 0.6, 0, 2})
        .Add("ReturnBound",
             "grdqn-improved: whether targets are no less than the observed return.",
             {Own(&P::returnBound), true})
        .Add("BeamWidth",
             "grdqn-improved: partial plans kept while deciding.",
             {Own(&P::beamWidth), 2, 1, 1000})
        .Add("ImitatedEvaluations",
             "grdqn-improved: plans tried to improve an episode's plan; 0: no imitation.",
             {Own(&P::imitatedEvaluations), 3000, 0, MANY})
        .Add("SearchEvaluations",
             "grdqn-improved: plans tried to improve a decision, per 1,000 layer-device pairs and "
             "at "
             "least this many; 0: the networks' plan.",
             {Own(&P::searchEvaluations), 300, 0, MANY})
        .Add(
            "Groups",
            "grdqn-improved: whether stages may be put on groups of devices: beside a stage's last "
            "layer, the devices that share it are chosen.",
            {Own(&P::usesGroups), false});
}

} // namespace ns3::edgepipe
