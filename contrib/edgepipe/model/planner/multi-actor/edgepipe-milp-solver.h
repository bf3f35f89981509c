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

/** A sum of variables that must not exceed a number. */
struct BinaryProgramRow
{
    std::vector<std::pair<std::size_t, double>> entries; //!< variables, each once, and factors
    double most;                                         //!< what their sum may be
};

/** A linear program whose variables are 0 or 1. */
struct BinaryProgram
{
    std::vector<double> objective;      //!< what each variable adds to the sum to maximise, > 0
    std::vector<BinaryProgramRow> rows; //!< what must be kept; factors of about 1
};

/**
 * Solves a program with COIN-OR CBC, by branch and cut. A row may be exceeded by about 1e-7.
 *
 * @param program at least one variable; all of them 0 is a solution
 * @param relativeGap share of the best sum that may be missed, >= 0
 * @param mostSeconds limit of the search, s of CPU
 * @return which variables are 1
 * @throws InputError when no optimum is proven within the limit, or this build is without CBC
 */
std::vector<bool> MaximizeBinaryProgram(const BinaryProgram& program,
                                        double relativeGap,
                                        double mostSeconds);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_MILP_SOLVER_H */
