/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_MILP_SOLVER_H
#define EDGEPIPE_MILP_SOLVER_H

#include <cstddef>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/** An upper bound on a weighted sum of variables. */
struct BinaryProgramRow
{
    std::vector<std::pair<std::size_t, double>> entries; //!< variables, each once, and factors
    double most;                                         //!< the bound
};

/** A linear program whose variables are 0 or 1. */
struct BinaryProgram
{
    std::vector<double> objective;      //!< weight of each variable in the sum to maximise, > 0
    std::vector<BinaryProgramRow> rows; //!< constraints; factors of about 1
};

/**
 * Solves a program with COIN-OR CBC, by branch and cut. A row may be exceeded by about 1e-7.
 *
 * @param program has at least one variable; all zeroes are feasible
 * @param relativeGap relative gap to the best sum that is allowed, >= 0
 * @param mostSeconds limit of the search, CPU seconds
 * @return which variables are 1
 * @throws InputError when no optimum is proven within the limit, or this build is without CBC
 */
std::vector<bool> MaximizeBinaryProgram(const BinaryProgram& program,
                                        double relativeGap,
                                        double mostSeconds);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_MILP_SOLVER_H */
