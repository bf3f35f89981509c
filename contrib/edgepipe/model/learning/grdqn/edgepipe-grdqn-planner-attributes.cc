/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-grdqn-planner.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/integer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param least lowest value
 * @param most largest value
 * @return a checker
 */
Ptr<const AttributeChecker>
Within(double least, double most)
{
    return MakeDoubleChecker<double>(least, most);
}

/// Largest value of rewards and their weights.
constexpr double LARGE = 1e6;
/// Largest count that makes sense for anything counted here.
constexpr uint32_t MANY = 10000000;

} // namespace

TypeId
GrdqnPlanner::GetTypeId()
{
    using P = GrdqnPlanner;
    // "DGPAS" marks what the paper gives; all else it leaves open, and the value is ours.
    static TypeId tid =
        TypeId("ns3::edgepipe::GrdqnPlanner")
            .SetParent<PipelinePlanner>()
            .SetGroupName("Edgepipe")
            .AddConstructor<GrdqnPlanner>()
            .AddAttribute("Variant",
                          "faithful: as the paper, DGPAS; improved: beyond it.",
                          StringValue("improved"),
                          MakeStringAccessor(&P::m_variant),
                          MakeStringChecker())
            .AddAttribute("Checkpoint",
                          "File of weights that train-planner wrote; empty: none.",
                          StringValue(""),
                          MakeStringAccessor(&P::m_checkpointFile),
                          MakeStringChecker())
            .AddAttribute("Cache",
                          "Whether weights trained on first use are kept on disk.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&P::m_usesCache),
                          MakeBooleanChecker())
            .AddAttribute("CacheFolder",
                          "Folder of weights trained on first use; empty: edgepipe/grdqn in "
                          "$XDG_CACHE_HOME, else in $HOME/.cache.",
                          StringValue(""),
                          MakeStringAccessor(&P::m_cacheFolder),
                          MakeStringChecker())
            .AddAttribute("Evaluations",
                          "Improved: plans that training and the decision after it may look at, "
                          "give or take those of one episode; 0: any number.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&P::m_mostEvaluations),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("DeviceSlots",
                          "Improved: least number of devices that the networks tell apart; the "
                          "weights then serve clusters of up to as many devices.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&P::m_deviceSlots),
                          MakeUintegerChecker<uint32_t>(0, 10000))
            .AddAttribute("Retrain",
                          "Whether a problem other than the last is trained for anew; if not, the "
                          "weights stay as long as the number of devices does.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&P::m_retrains),
                          MakeBooleanChecker())
            .AddAttribute("Stream",
                          "Number of the random variable stream that draws come from, "
                          "counted from the first that the planner is assigned.",
                          IntegerValue(0),
                          MakeIntegerAccessor(&P::m_stream),
                          MakeIntegerChecker<int64_t>(0))
            .AddAttribute("HiddenUnits",
                          "Faithful: units of the hidden layers of both networks (DGPAS, of SDQN: "
                          "160, 128, 64).",
                          StringValue("160,128,64"),
                          MakeStringAccessor(&P::m_hiddenUnits),
                          MakeStringChecker())
            .AddAttribute("ImprovedHiddenUnits",
                          "Improved: units of the hidden layers of both networks.",
                          StringValue("64,64"),
                          MakeStringAccessor(&P::m_improvedHiddenUnits),
                          MakeStringChecker())
            .AddAttribute("RecurrentUnits",
                          "Units of the GRU.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&P::m_recurrentUnits),
                          MakeUintegerChecker<uint32_t>(1, 10000))
            .AddAttribute("CutEpisodes",
                          "Faithful: episodes that train SDQN, Round_1; 0 leaves random weights.",
                          UintegerValue(300),
                          MakeUintegerAccessor(&P::m_cutEpisodes),
                          MakeUintegerChecker<uint32_t>(0, MANY))
            .AddAttribute("PlaceEpisodes",
                          "Faithful: episodes that train GRDQN, Round_2; 0 leaves random weights.",
                          UintegerValue(200),
                          MakeUintegerAccessor(&P::m_placeEpisodes),
                          MakeUintegerChecker<uint32_t>(0, MANY))
            .AddAttribute("ImprovedEpisodes",
                          "Improved: episodes that train both networks; 0 leaves random weights.",
                          UintegerValue(250),
                          MakeUintegerAccessor(&P::m_improvedEpisodes),
                          MakeUintegerChecker<uint32_t>(0, MANY))
            .AddAttribute("LearningRate",
                          "Step size of Adam.",
                          DoubleValue(2e-3),
                          MakeDoubleAccessor(&P::m_learningRate),
                          Within(1e-9, 1))
            .AddAttribute("Discount",
                          "Faithful: gamma. SDQN's next state is the next layer whatever it does, "
                          "so gamma hardly matters to what it prefers.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&P::m_discount),
                          Within(0, 1))
            .AddAttribute("FirstEpsilon",
                          "Share of random actions in the first episode (DGPAS: 1.0).",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&P::m_firstEpsilon),
                          Within(0, 1))
            .AddAttribute("LastEpsilon",
                          "Share of random actions once exploring has ended (DGPAS: 0.1).",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&P::m_lastEpsilon),
                          Within(0, 1))
            .AddAttribute("ExploringShare",
                          "Share of the episodes over which epsilon falls, linearly.",
                          DoubleValue(0.4),
                          MakeDoubleAccessor(&P::m_exploringShare),
                          Within(0, 1))
            .AddAttribute("BatchSize",
                          "Transitions per gradient step.",
                          UintegerValue(32),
                          MakeUintegerAccessor(&P::m_batchSize),
                          MakeUintegerChecker<uint32_t>(1, 100000))
            .AddAttribute("ReplayCapacity",
                          "Faithful: transitions kept.",
                          UintegerValue(2000),
                          MakeUintegerAccessor(&P::m_faithfulReplay),
                          MakeUintegerChecker<uint32_t>(1, MANY))
            .AddAttribute("ImprovedReplayCapacity",
                          "Improved: decisions kept, of each network.",
                          UintegerValue(2000),
                          MakeUintegerAccessor(&P::m_improvedReplay),
                          MakeUintegerChecker<uint32_t>(1, MANY))
            .AddAttribute("TargetInterval",
                          "Gradient steps between copies to the target networks.",
                          UintegerValue(100),
                          MakeUintegerAccessor(&P::m_targetInterval),
                          MakeUintegerChecker<uint32_t>(1, MANY))
            .AddAttribute("FitsPerEpisode",
                          "Faithful: gradient steps after an episode; improved takes one for each "
                          "stage.",
                          UintegerValue(12),
                          MakeUintegerAccessor(&P::m_fitsPerEpisode),
                          MakeUintegerChecker<uint32_t>(1, 100000))
            .AddAttribute("Kappa",
                          "Faithful: kappa of eq. 2, in times what a device would have if all "
                          "worked in proportion to their speed.",
                          DoubleValue(1.12),
                          MakeDoubleAccessor(&P::m_kappa),
                          Within(0, LARGE))
            .AddAttribute("Varsigma",
                          "Faithful: varsigma of eq. 3, in times what a micro-batch takes if all "
                          "devices work in proportion to their speed.",
                          DoubleValue(0.75),
                          MakeDoubleAccessor(&P::m_varsigma),
                          Within(0, LARGE))
            .AddAttribute("CutReward",
                          "Faithful: r_c of eq. 2.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&P::m_cutReward),
                          Within(0, LARGE))
            .AddAttribute("CutPenalty",
                          "Faithful: r'_c of eq. 2.",
                          DoubleValue(0.25),
                          MakeDoubleAccessor(&P::m_cutPenalty),
                          Within(0, LARGE))
            .AddAttribute(
                "ContinueReward",
                "Faithful: r_f of eq. 3; above r_c, so that a dear cut is never worth it.",
                DoubleValue(1.2),
                MakeDoubleAccessor(&P::m_continueReward),
                Within(0, LARGE))
            .AddAttribute("ContinuePenalty",
                          "Faithful: r'_f of eq. 3.",
                          DoubleValue(0.02),
                          MakeDoubleAccessor(&P::m_continuePenalty),
                          Within(0, LARGE))
            .AddAttribute("BalanceThreshold",
                          "Faithful: T_balance of eq. 5, of the variance of stage times over the "
                          "square of their mean; at 0.1 eq. 5's first case falls from 6 to 5.",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&P::m_balanceThreshold),
                          Within(0, LARGE))
            .AddAttribute("FitReward",
                          "Faithful: v of eq. 8.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&P::m_fitReward),
                          Within(0, LARGE))
            .AddAttribute("DelayWeight",
                          "Faithful: alpha of eq. 8.",
                          DoubleValue(10),
                          MakeDoubleAccessor(&P::m_delayWeight),
                          Within(0, LARGE))
            .AddAttribute("LoadWeight",
                          "Faithful: beta of eq. 8.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&P::m_loadWeight),
                          Within(0, LARGE))
            .AddAttribute("DoubleDqn",
                          "Improved: whether the network that learns chooses the action whose "
                          "value the target network gives.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&P::m_doubleDqn),
                          MakeBooleanChecker())
            .AddAttribute("PriorityExponent",
                          "Improved: how much replay prefers large errors; 0: not at all.",
                          DoubleValue(0.6),
                          MakeDoubleAccessor(&P::m_priorityExponent),
                          Within(0, 2))
            .AddAttribute("ReturnBound",
                          "Improved: whether a target is no less than the return observed.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&P::m_returnBound),
                          MakeBooleanChecker())
            .AddAttribute("BeamWidth",
                          "Improved: plans in the making that are kept while deciding.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&P::m_beamWidth),
                          MakeUintegerChecker<uint32_t>(1, 1000))
            .AddAttribute("ImitatedEvaluations",
                          "Improved: plans tried to improve that of an episode; 0: no imitation.",
                          UintegerValue(3000),
                          MakeUintegerAccessor(&P::m_imitatedEvaluations),
                          MakeUintegerChecker<uint32_t>(0, MANY))
            .AddAttribute("SearchEvaluations",
                          "Improved: plans tried to improve a decision, for every 1,000 pairs of a "
                          "layer and a device, at least once; 0: the networks' plan.",
                          UintegerValue(300),
                          MakeUintegerAccessor(&P::m_searchEvaluations),
                          MakeUintegerChecker<uint32_t>(0, MANY));
    return tid;
}

} // namespace edgepipe
} // namespace ns3
