/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-milp-solver.h"
#include "edgepipe-multi-actor-cut.h"
#include "edgepipe-multi-actor-planner.h"

#include "ns3/edgepipe-attributes.h"

namespace ns3::edgepipe
{

/**
 * The optimal plan: the multiple-choice knapsack problem with two resources (eq. 17 to 21 of the
 * paper cited at MultiActorProblem), solved by branch and cut.
 *
 * An actor chooses at most one of the cuts that save it something (ListUsefulMultiActorCuts), so
 * there are as many 0/1 variables as such cuts. Time grows exponentially in the worst case. In a
 * build without COIN-OR CBC this planner refuses every problem.
 */
class MilpPlanner : public Named<MilpPlanner, MultiActorPlanner>
{
  public:
    static constexpr const char* NAME = "milp"; //!< for users

    /// @copydoc Named::AddAttributes
    static TypeId AddAttributes(TypeId tid)
    {
        return Attributes(tid)
            .Add("RelativeGap",
                 "Share of the best total reduction that the plan may miss.",
                 {&MilpPlanner::m_relativeGap, 0.0, 0, 1})
            .Add("TimeLimit",
                 "Time limit of the search, CPU seconds; without a proven optimum by then the "
                 "problem is refused.",
                 {&MilpPlanner::m_mostSeconds, 600.0, 0});
    }

  private:
    MultiActorPlan DoPlan(const MultiActorProblem& problem) override
    {
        const MultiActorLimits limits = GetMultiActorLimits(problem.budgets);
        MultiActorPlan plan{
            std::vector<std::size_t>(problem.actors.size(), problem.model.layerFlop.size())};
        BinaryProgram program;
        std::vector<MultiActorCut> cuts;
        std::vector<std::size_t> actors;
        BinaryProgramRow compute{{}, 1};
        BinaryProgramRow bandwidth{{}, 1};
        for (std::size_t i = 0; i < problem.actors.size(); ++i)
        {
            BinaryProgramRow one{{}, 1};
            for (const MultiActorCut& cut :
                 ListUsefulMultiActorCuts(problem.model, problem.actors[i]))
            {
                if (cut.reductionSeconds <= 0 || cut.flop > limits.flop || cut.bytes > limits.bytes)
                {
                    continue;
                }
                const std::size_t variable = cuts.size();
                cuts.push_back(cut);
                actors.push_back(i);
                program.objective.push_back(cut.reductionSeconds);
                one.entries.push_back({variable, 1});
                if (cut.flop > 0)
                {
                    compute.entries.push_back(
                        {variable, static_cast<double>(cut.flop) / limits.flop});
                }
                if (cut.bytes > 0)
                {
                    bandwidth.entries.push_back(
                        {variable, static_cast<double>(cut.bytes) / limits.bytes});
                }
            }
            program.rows.push_back(std::move(one));
        }
        program.rows.push_back(std::move(compute));
        program.rows.push_back(std::move(bandwidth));
        if (cuts.empty())
        {
            return plan;
        }
        while (true)
        {
            const std::vector<bool> chosen =
                MaximizeBinaryProgram(program, m_relativeGap, m_mostSeconds);
            MultiActorLimits used{0, 0};
            BinaryProgramRow cover;
            for (std::size_t k = 0; k < cuts.size(); ++k)
            {
                if (chosen[k])
                {
                    used.flop += cuts[k].flop;
                    used.bytes += cuts[k].bytes;
                    cover.entries.push_back({k, 1});
                    plan.cuts[actors[k]] = cuts[k].cut;
                }
            }
            if (used.flop <= limits.flop && used.bytes <= limits.bytes)
            {
                return plan;
            }
            // The solver's tolerance let a budget be exceeded: forbid this combination.
            cover.most = static_cast<double>(cover.entries.size()) - 1;
            program.rows.push_back(std::move(cover));
            plan.cuts.assign(problem.actors.size(), problem.model.layerFlop.size());
        }
    }

    double m_relativeGap; //!< share of the best total that may be missed
    double m_mostSeconds; //!< limit of the search
};

NS_OBJECT_ENSURE_REGISTERED(MilpPlanner);

} // namespace ns3::edgepipe
