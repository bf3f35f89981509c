/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/dgpas-comparison.h"

#include "papers/qdmp-comparison.h"

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Table 3 prints two digits after the point, for all rows that are ordered.
constexpr double DIGIT = 0.01;

/// Ours that are closer than this share are in no order: the weight update alone makes 0.1 %.
constexpr double EQUAL = 0.005;

/// Row of table 3 with assistance.
const std::string ASSISTED = "DGPAS_Co";

/**
 * @param methods the rows
 * @param name of one
 * @return its index; their number if there is none
 */
std::size_t
FindMethod(const std::vector<DgpasMethod>& methods, const std::string& name)
{
    std::size_t i = 0;
    while (i < methods.size() && methods[i].name != name)
    {
        ++i;
    }
    return i;
}

/**
 * @param comparisons of CompareDgpas
 * @param model index in the models
 * @param method index in the methods
 * @return the cell without help; null if there is none
 */
const DgpasComparison*
FindCell(const std::vector<DgpasComparison>& comparisons, std::size_t model, std::size_t method)
{
    for (const DgpasComparison& one : comparisons)
    {
        if (one.model == model && one.method == method && one.help == DgpasHelp::NONE)
        {
            return &one;
        }
    }
    return nullptr;
}

/**
 * @param published what the paper says
 * @param method a row of ours
 * @return whether it is another planner that table 3 compares DGPAS with
 */
bool
IsOtherPlanner(const PublishedDgpas& published, const DgpasMethod& method)
{
    const PublishedDgpasMethod* row = published.Find(method.theirs);
    return row && row->kind == "planner";
}

} // namespace

std::vector<DgpasComparison>
CompareDgpas(const PublishedDgpas& published,
             const std::vector<DgpasMethod>& methods,
             const DgpasCases& cases,
             std::size_t network)
{
    std::vector<DgpasComparison> comparisons;
    for (std::size_t model = 0; model < published.models.size(); ++model)
    {
        const auto mean = [&](const std::string& method) {
            return cases.Estimate(model,
                                  network,
                                  FindMethod(methods, method),
                                  GetDgpasSeconds(DgpasHelp::NONE));
        };
        const auto faithful = mean(DGPAS_FAITHFUL);
        const auto improved = mean(DGPAS_IMPROVED);
        const auto add = [&](std::size_t method, DgpasHelp help, const std::string& row) {
            const auto ours = cases.Estimate(model, network, method, GetDgpasSeconds(help));
            if (!ours)
            {
                return;
            }
            DgpasComparison one{model, method, help, row, {}, *ours, {}, {}, {}};
            if (const PublishedDgpasMethod* theirs = published.Find(row))
            {
                one.theirs = theirs->seconds[model];
                one.theirRatio = *one.theirs / published.GetDgpas().seconds[model];
            }
            one.toFaithful = faithful ? std::make_optional(ours->mean / faithful->mean)
                                      : std::optional<double>();
            one.toImproved = improved ? std::make_optional(ours->mean / improved->mean)
                                      : std::optional<double>();
            comparisons.push_back(one);
        };
        for (std::size_t method = 0; method < methods.size(); ++method)
        {
            add(method, DgpasHelp::NONE, methods[method].theirs);
            if (methods[method].theirs == published.GetDgpas().name)
            {
                add(method, DgpasHelp::IDEAL, ASSISTED);
                add(method, DgpasHelp::FULL, ASSISTED);
            }
        }
    }
    return comparisons;
}

std::vector<DgpasOrder>
CompareDgpasOrders(const PublishedDgpas& published,
                   const std::vector<DgpasMethod>& methods,
                   const std::vector<DgpasComparison>& comparisons)
{
    std::vector<DgpasOrder> orders;
    for (const std::string& variant : {DGPAS_FAITHFUL, DGPAS_IMPROVED})
    {
        for (std::size_t model = 0; model < published.models.size(); ++model)
        {
            std::vector<std::pair<std::string, double>> theirs;
            std::vector<double> ours;
            for (std::size_t method = 0; method < methods.size(); ++method)
            {
                const DgpasComparison* cell = FindCell(comparisons, model, method);
                if (cell &&
                    (methods[method].name == variant || IsOtherPlanner(published, methods[method])))
                {
                    theirs.emplace_back(cell->row, *cell->theirs);
                    ours.push_back(cell->ours.mean);
                }
            }
            const std::size_t count = ours.size();
            orders.push_back({model,
                              variant,
                              count * (count - (count > 0 ? 1 : 0)) / 2,
                              CompareOrder(theirs, ours, DIGIT, EQUAL).reversed});
        }
    }
    return orders;
}

std::optional<double>
GetDgpasReduction(const PublishedDgpas& published,
                  const std::vector<DgpasMethod>& methods,
                  const std::vector<DgpasComparison>& comparisons,
                  const std::string& variant)
{
    double sum = 0;
    std::size_t count = 0;
    for (const DgpasComparison& one : comparisons)
    {
        const DgpasComparison* dgpas =
            FindCell(comparisons, one.model, FindMethod(methods, variant));
        if (dgpas && one.help == DgpasHelp::NONE && IsOtherPlanner(published, methods[one.method]))
        {
            sum += 1 - dgpas->ours.mean / one.ours.mean;
            ++count;
        }
    }
    return count > 0 ? std::make_optional(sum / count) : std::nullopt;
}

} // namespace edgepipe
} // namespace ns3
