/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-milp-solver.h"

#include "ns3/edgepipe-input-error.h"

#include <Cbc_C_Interface.h>
#include <limits>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>

namespace ns3::edgepipe
{

namespace
{

/// Objective total after scaling: CBC ignores gains below 1e-5, negligible against it.
constexpr double TOTAL = 1e6;

/** @return a number in the format of CBC's parameters */
std::string
Format(double number)
{
    std::ostringstream text;
    text.precision(17);
    text << number;
    return text.str();
}

} // namespace

std::vector<bool>
MaximizeBinaryProgram(const BinaryProgram& program, double relativeGap, double mostSeconds)
{
    const std::size_t columns = program.objective.size();
    std::vector<std::vector<std::pair<int, double>>> byColumn(columns);
    std::vector<double> most;
    for (const BinaryProgramRow& row : program.rows)
    {
        for (const auto& [column, factor] : row.entries)
        {
            byColumn[column].emplace_back(static_cast<int>(most.size()), factor);
        }
        most.push_back(row.most);
    }
    std::vector<int> starts{0};
    std::vector<int> rows;
    std::vector<double> factors;
    for (const auto& entries : byColumn)
    {
        for (const auto& [row, factor] : entries)
        {
            rows.push_back(row);
            factors.push_back(factor);
        }
        starts.push_back(static_cast<int>(rows.size()));
    }
    const double scale =
        TOTAL / std::accumulate(program.objective.begin(), program.objective.end(), 0.0);
    std::vector<double> objective;
    for (const double one : program.objective)
    {
        objective.push_back(one * scale);
    }

    const std::unique_ptr<Cbc_Model, void (*)(Cbc_Model*)> model(Cbc_newModel(), Cbc_deleteModel);
    Cbc_setLogLevel(model.get(), 0);
    Cbc_setParameter(model.get(), "seconds", Format(mostSeconds).c_str());
    Cbc_setParameter(model.get(), "ratioGap", Format(relativeGap).c_str());
    const std::vector<double> zeroes(columns, 0);
    const std::vector<double> ones(columns, 1);
    const std::vector<double> least(most.size(), -std::numeric_limits<double>::max());
    Cbc_loadProblem(model.get(),
                    static_cast<int>(columns),
                    static_cast<int>(most.size()),
                    starts.data(),
                    rows.data(),
                    factors.data(),
                    zeroes.data(),
                    ones.data(),
                    objective.data(),
                    least.data(),
                    most.data());
    Cbc_setObjSense(model.get(), -1);
    for (std::size_t i = 0; i < columns; ++i)
    {
        Cbc_setInteger(model.get(), static_cast<int>(i));
    }
    Cbc_solve(model.get());
    if (!Cbc_isProvenOptimal(model.get()))
    {
        std::ostringstream message;
        message << "found no proven optimum within " << mostSeconds << " s";
        throw InputError(message.str());
    }
    const double* values = Cbc_getColSolution(model.get());
    std::vector<bool> chosen;
    for (std::size_t i = 0; i < columns; ++i)
    {
        chosen.push_back(values[i] > 0.5);
    }
    return chosen;
}

} // namespace ns3::edgepipe
