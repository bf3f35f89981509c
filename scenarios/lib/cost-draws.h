/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_COST_DRAWS_H
#define EDGEPIPE_COST_DRAWS_H

#include "lib/scenario-options.h"
#include "runs/case-plan.h"

#include "ns3/edgepipe-results-folder.h"
#include "ns3/edgepipe-sheet.h"

#include <array>
#include <cstddef>

namespace ns3::edgepipe
{

/** Outcome of all cases with one draw of the costs. */
struct CostDraw
{
    std::vector<double> ranks; //!< by case, lower is better; infinity: it did not finish
    std::vector<std::vector<double>> numbers{}; //!< see Figures
    /// By case: how much longer its plan takes than the one that its planner makes with these
    /// costs, as a share; NaN: one does not finish. Empty: not asked for.
    std::vector<double> regrets{};
};

/** Options that say how costs are drawn. */
struct CostDrawOptions
{
    /** @param options to declare them in */
    void Declare(ScenarioOptions& options);

    /** @return whether a draw also has the plans that planners make when they know its costs */
    bool FindsRegrets() const
    {
        return plans == "both";
    }

    uint32_t draws{0};         //!< number of draws; 0, or enough for a 90 % interval
    std::string plans{"kept"}; //!< kept, anew: planners know the drawn costs, or both
};

/** Comparison of cases over draws of the costs, and intervals of their figures. */
struct CostDraws
{
    /**
     * Simulate draws in child processes, copies of this one, on all cores.
     *
     * @param count number of draws, numbered from 1
     * @param simulate simulates a draw by its number
     * @param told called with the share that is done, 0 to 1
     * @return outcomes, in order
     * @throws InputError of the first draw that threw one, or if a process ended early
     */
    static std::vector<CostDraw> Simulate(uint32_t count,
                                          const std::function<CostDraw(uint32_t)>& simulate,
                                          const std::function<void(double)>& told);

    /**
     * @param a index of a case
     * @param b index of another
     * @return draws in which a is better, and no tie (see IsLess)
     */
    std::size_t CountWins(std::size_t a, std::size_t b) const;

    /**
     * Whether the order under the nominal costs is certain: a case that is better than another must
     * not be worse in more than a twentieth of the draws.
     *
     * @return a sentence with the least certain pair; empty if there is no order
     */
    std::string DescribeOrder() const;

    /**
     * Print 90 % intervals of the shown figures that vary, and how often each case beats another.
     *
     * @param figures with the nominal costs
     * @param rows their names
     */
    void Print(const Figures& figures, const std::vector<std::string>& rows) const;

    /**
     * Write intervals.csv and orders.csv.
     *
     * @param folder to write to
     * @param figures with the nominal costs
     * @param rows their names
     */
    void Write(ResultsFolder& folder,
               const Figures& figures,
               const std::vector<std::string>& rows) const;

    /**
     * @param values of draws, NaN where there is none
     * @return percentiles 5, 50 and 95; NaN if there are no values
     */
    static std::array<double, 3> FindInterval(const std::vector<double>& values);

    /**
     * @param kept ranks of cases whose planners believe the nominal costs
     * @param anew ranks of the same cases whose planners know the drawn ones
     * @return regrets, see CostDraw
     */
    static std::vector<double> FindRegrets(const std::vector<double>& kept,
                                           const std::vector<double>& anew);

    /**
     * @param row of figures
     * @param column of figures
     * @return percentiles 5, 50 and 95 of the draws that have a number there and in which the same
     *         cases finish as with the nominal costs; NaN if there are none
     */
    std::array<double, 3> FindInterval(std::size_t row, std::size_t column) const;

    /**
     * @param a index of a case
     * @param b index of another
     * @return share of the draws that CountWins counts
     */
    double GetShare(std::size_t a, std::size_t b) const
    {
        return static_cast<double>(CountWins(a, b)) / draws.size();
    }

    std::vector<std::string> cases; //!< their names
    std::vector<double> ranks;      //!< with the nominal costs, by case
    std::vector<CostDraw> draws;    //!< outcomes with drawn costs
    std::string plans;              //!< how draws are planned for, such as "plans kept"

  private:
    /** @return values of the regret by draw */
    std::vector<double> ListRegrets(std::size_t index) const
    {
        return Map(draws, [index](const CostDraw& draw) { return draw.regrets[index]; });
    }
};

/**
 * @param plans of cases
 * @param draws number of draws of the memory rule (DrawMemoryFactor)
 * @return a sentence on how often each case's plan takes more memory than a device has; empty:
 * never
 */
std::string DescribeOverflows(const std::vector<CasePlan>& plans, uint32_t draws);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_COST_DRAWS_H */
