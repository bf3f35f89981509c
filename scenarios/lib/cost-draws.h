/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_COST_DRAWS_H
#define EDGEPIPE_COST_DRAWS_H

#include "lib/scenario-options.h"

#include "ns3/edgepipe-results-folder.h"
#include "ns3/edgepipe-sheet.h"

#include <array>
#include <cstddef>

namespace ns3::edgepipe
{

/** What came of all cases by one draw of the costs. */
struct CostDraw
{
    std::vector<double> ranks; //!< by case, the lower the better; infinity: it did not finish
    std::vector<std::vector<double>> numbers{}; //!< see Figures
};

/** Options that say how costs are drawn. */
struct CostDrawOptions
{
    /** @param options to declare them in */
    void Declare(ScenarioOptions& options);

    uint32_t draws{0};     //!< how many; 0, or enough for a 90 % interval
    bool plansAnew{false}; //!< whether planners know the costs drawn
};

/** How cases compare over draws of the costs, and within what their figures lie. */
struct CostDraws
{
    /**
     * Simulate draws in processes of their own, on all cores. They have what this process has.
     *
     * @param count draws, 1 to this
     * @param simulate a draw by its number; InputError ends all
     * @param told the share that is done, 0 to 1
     * @return what came of them, in order
     * @throws InputError of the first draw that had one, or if a process ended early
     */
    static std::vector<CostDraw> Simulate(uint32_t count,
                                          const std::function<CostDraw(uint32_t)>& simulate,
                                          const std::function<void(double)>& told);

    /**
     * @param a index of a case
     * @param b index of another
     * @return draws in which a is better by more than a thousandth
     */
    std::size_t CountWins(std::size_t a, std::size_t b) const;

    /**
     * Whether the order by the costs as they are is sure: where one case is better than another, it
     * must not be worse in more than a twentieth of the draws.
     *
     * @return a sentence with the pair that is least sure; empty if there is no order
     */
    std::string DescribeOrder() const;

    /**
     * Print 90 % intervals of what people are shown and does not stay the same, and the orders.
     *
     * @param figures by the costs as they are
     * @param rows their names
     */
    void Print(const Figures& figures, const std::vector<std::string>& rows) const;

    /**
     * Write intervals.csv and orders.csv.
     *
     * @param folder to write to
     * @param figures by the costs as they are
     * @param rows their names
     */
    void Write(ResultsFolder& folder,
               const Figures& figures,
               const std::vector<std::string>& rows) const;

    /**
     * @param row of figures
     * @param column of them
     * @return below which 5 %, half and 95 % of the draws are, of those in which the same cases
     *         finish and that have a number there; NaN if none has
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
    std::vector<double> ranks;      //!< by the costs as they are, by case
    std::vector<CostDraw> draws;    //!< by draws of them
    std::string plans;              //!< how they are planned for, such as "plans kept"
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_COST_DRAWS_H */
