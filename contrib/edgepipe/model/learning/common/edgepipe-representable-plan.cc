/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-representable-plan.h"

#include "edgepipe-staged-walk.h"

#include <limits>
#include <queue>

namespace ns3::edgepipe
{

namespace
{

/** Decision for the layers of a state. */
enum Decision
{
    OPEN,     //!< undecided
    SPLITS,   //!< a stage ends after them
    CONTINUES //!< the next layer joins the stage
};

/** By state of SDQN. */
using Decisions = std::vector<Decision>;

/** Some decisions and their bound. */
struct Node
{
    double bound;        //!< lower bound of plans that follow them, seconds
    uint64_t number;     //!< breaks ties
    Decisions decisions; //!< by state

    /**
     * @param other another node
     * @return whether this node is explored later
     */
    bool operator<(const Node& other) const
    {
        return bound != other.bound ? bound > other.bound : number > other.number;
    }
};

/** The branch and bound of FindRepresentablePlan. */
class RepresentableSearch
{
  public:
    /** @param costModel the cost model */
    explicit RepresentableSearch(const PipelineCostModel& costModel)
        : m_costModel(costModel),
          m_walk(costModel),
          m_states(m_walk.GetScales().NumberStates()),
          m_count(1 + *std::max_element(m_states.begin(), m_states.end()))
    {
    }

    /**
     * @param maxNodes most subproblems to solve
     * @return the best plan
     */
    RepresentablePlan Run(uint64_t maxNodes)
    {
        m_best.seconds = std::numeric_limits<double>::infinity();
        Try(Decisions(m_count, CONTINUES));
        Push(Decisions(m_count, OPEN), 0);
        while (!m_nodes.empty() && m_nodes.top().bound < m_best.seconds && m_best.nodes < maxNodes)
        {
            const Node node = m_nodes.top();
            m_nodes.pop();
            Explore(node);
        }
        m_best.lowerBoundSeconds =
            m_nodes.empty() ? m_best.seconds : std::min(m_best.seconds, m_nodes.top().bound);
        return m_best;
    }

  private:
    /**
     * @param decisions by state
     * @param bound lower bound of plans that follow them, seconds
     */
    void Push(Decisions decisions, double bound)
    {
        m_nodes.push({bound, m_pushed++, std::move(decisions)});
    }

    /** @param decisions by state, applied to obtain a plan */
    void Try(const Decisions& decisions)
    {
        const auto division = m_walk.Cut(
            [&](const CutState& state) { return decisions[m_states[state.layer]] == SPLITS; });
        if (m_tried.insert(division).second)
        {
            Keep(PlaceDivision(m_costModel, division));
        }
    }

    /** @param plan a plan that decides equally for equal inputs, or has no stages */
    void Keep(const PipelinePlan& plan)
    {
        const double seconds =
            plan.stages.empty() ? m_best.seconds : m_costModel.IterationSeconds(plan);
        if (seconds < m_best.seconds)
        {
            m_best.seconds = seconds;
            m_best.plan = plan;
        }
    }

    /** @param node a node that may lead to a better plan */
    void Explore(const Node& node)
    {
        PipelineSearchLimits limits;
        limits.belowSeconds = m_best.seconds;
        const auto found = SearchPipelines(m_costModel, MakeRule(node.decisions), limits);
        ++m_best.nodes;
        const PipelinePlan& plan = found.plan;
        if (plan.stages.empty())
        {
            return;
        }
        // Decisions of the plan where the masks left a choice.
        std::vector<std::size_t> splits(m_count, 0);
        std::vector<std::size_t> continues(m_count, 0);
        ForEachCut(GetDivision(plan), [&](const CutState& state, bool isSplit) {
            if (m_walk.HasChoice(state))
            {
                ++(isSplit ? splits : continues)[m_states[state.layer]];
            }
        });
        std::size_t branch = m_count;
        for (std::size_t state = 0; state < m_count; ++state)
        {
            const bool isTorn = splits[state] > 0 && continues[state] > 0;
            // Splitting the most layers raises the bound fastest.
            if (isTorn && (branch == m_count || continues[state] > continues[branch]))
            {
                branch = state;
            }
        }
        if (branch == m_count)
        {
            Keep(plan);
            return;
        }
        for (const Decision torn : {SPLITS, CONTINUES})
        {
            Decisions rounded(m_count, CONTINUES);
            for (std::size_t state = 0; state < m_count; ++state)
            {
                if (splits[state] > 0)
                {
                    rounded[state] = continues[state] > 0 ? torn : SPLITS;
                }
            }
            Try(rounded);
        }
        const double bound = std::max(node.bound, found.seconds);
        for (const Decision decision : {SPLITS, CONTINUES})
        {
            Decisions decisions = node.decisions;
            decisions[branch] = decision;
            Push(std::move(decisions), bound);
        }
    }

    /**
     * @param decisions by state; must outlive the result
     * @return restricts a search to plans that follow them within the masks of the walk
     */
    PipelineCutRule MakeRule(const Decisions& decisions) const
    {
        // Backwards from the model's end: one past the first layer at which a stage must end.
        const std::size_t layers = m_states.size();
        std::vector<std::vector<std::size_t>> ends; // by stage and first layer
        for (std::size_t stage = 0; stage < m_costModel.GetProblem().devices.size(); ++stage)
        {
            std::vector<std::size_t>& own = ends.emplace_back(layers, layers);
            for (std::size_t layer = layers - 1; layer-- > 0;)
            {
                const bool mustSplit =
                    decisions[m_states[layer]] == SPLITS && m_walk.MaySplit(stage, layer);
                own[layer] = mustSplit ? layer + 1 : own[layer + 1];
            }
        }
        return {[&](std::size_t stage, std::size_t layer) {
                    return decisions[m_states[layer]] != CONTINUES && m_walk.MaySplit(stage, layer);
                },
                [this, ends](std::size_t stage, std::size_t first) {
                    return std::min(ends[stage][first], m_walk.FindEnd(stage, first));
                },
                [this, layers](std::size_t stage, std::size_t first) {
                    const std::size_t end = m_walk.FindEnd(stage, first);
                    return end > first ? end - 1 : layers;
                }};
    }

    const PipelineCostModel& m_costModel; //!< the cost model
    StagedWalk m_walk;                    //!< over the layers
    std::vector<std::size_t> m_states;    //!< of the layers
    std::size_t m_count;                  //!< number of distinct states
    std::priority_queue<Node> m_nodes;    //!< open nodes
    std::set<PipelineDivision> m_tried;   //!< divisions tried by Try
    uint64_t m_pushed{0};                 //!< nodes pushed so far
    RepresentablePlan m_best;             //!< so far
};

} // namespace

RepresentablePlan
FindRepresentablePlan(const PipelineCostModel& costModel, uint64_t maxNodes)
{
    return RepresentableSearch(costModel).Run(maxNodes);
}

} // namespace ns3::edgepipe
