/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-milp-solver.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"

#include <Cbc_C_Interface.h>
#include <algorithm>
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
    const std::unique_ptr<Cbc_Model, void (*)(Cbc_Model*)> model(Cbc_newModel(), Cbc_deleteModel);
    Cbc_setLogLevel(model.get(), 0);
    Cbc_setParameter(model.get(), "seconds", Format(mostSeconds).c_str());
    Cbc_setParameter(model.get(), "ratioGap", Format(relativeGap).c_str());
    Cbc_setObjSense(model.get(), -1);
    const double scale =
        TOTAL / std::accumulate(program.objective.begin(), program.objective.end(), 0.0);
    for (const double one : program.objective)
    {
        Cbc_addCol(model.get(), "", 0, 1, one * scale, true, 0, nullptr, nullptr);
    }
    for (const BinaryProgramRow& row : program.rows)
    {
        std::vector<int> columns;
        std::vector<double> factors;
        for (const auto& [column, factor] : row.entries)
        {
            columns.push_back(static_cast<int>(column));
            factors.push_back(factor);
        }
        Cbc_addRow(model.get(), "", columns.size(), columns.data(), factors.data(), 'L', row.most);
    }
    Cbc_solve(model.get());
    Require(Cbc_isProvenOptimal(model.get()),
            JoinParts("found no proven optimum within ", mostSeconds, " s"));
    const double* values = Cbc_getColSolution(model.get());
    std::vector<bool> chosen(program.objective.size());
    std::transform(values, values + chosen.size(), chosen.begin(), [](double value) {
        return value > 0.5;
    });
    return chosen;
}

} // namespace ns3::edgepipe
