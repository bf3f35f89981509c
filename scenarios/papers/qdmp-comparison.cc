/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/qdmp-comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Bits of table 6's unit.
constexpr double MEBIBIT = 1 << 20;

/** Figures 7 to 10: ratios to edge-only, of which table, of which planners. */
struct RatioFigure
{
    std::string name;                  //!< of the comparison
    std::string table;                 //!< the figures come from
    std::vector<std::string> planners; //!< drawn
};

/// Section 5.2.1 and 5.2.2.
const std::vector<RatioFigure> RATIO_FIGURES{
    {"figure7", "table2", {"cloud-only", "qdmp"}},
    {"figure8", "table2", {"neurosurgeon", "dads", "qdmp", "dads-with-input"}},
    {"figure9", "table3", {"cloud-only", "qdmp", "cloud-only-serial"}},
    {"figure10", "table3", {"neurosurgeon", "dads", "qdmp", "dads-with-input"}}};

/**
 * @param planner one of GetQdmpPlanners
 * @return the column of the paper that it stands for
 */
std::string
GetTheirColumn(const std::string& planner)
{
    for (const QdmpReading& reading : GetQdmpReadings())
    {
        for (const auto& [theirs, ours] : reading.columns)
        {
            if (ours == planner)
            {
                return theirs;
            }
        }
    }
    return planner;
}

/** @return -1, 0 or 1 */
int
GetSign(double value)
{
    return (value > 0) - (value < 0);
}

} // namespace

const std::vector<QdmpReading>&
GetQdmpReadings()
{
    static const std::vector<QdmpReading> readings{{"as read",
                                                    {{"cloud-only", "cloud-only"},
                                                     {"edge-only", "edge-only"},
                                                     {"neurosurgeon", "neurosurgeon"},
                                                     {"dads", "dads"},
                                                     {"qdmp", "qdmp"}}},
                                                   {"as printed",
                                                    {{"cloud-only", "cloud-only-serial"},
                                                     {"edge-only", "edge-only"},
                                                     {"neurosurgeon", "neurosurgeon"},
                                                     {"dads", "dads-with-input"},
                                                     {"qdmp", "qdmp"}}}};
    return readings;
}

OrderComparison
CompareOrder(const std::vector<std::pair<std::string, double>>& theirs,
             const std::vector<double>& ours,
             double digit,
             double equal)
{
    const auto round = [digit](double value) { return std::llround(value / digit); };
    OrderComparison comparison;
    for (std::size_t i = 0; i < theirs.size(); ++i)
    {
        for (std::size_t k = i + 1; k < theirs.size(); ++k)
        {
            const std::string pair = theirs[i].first + "/" + theirs[k].first;
            const int printed = GetSign(round(theirs[i].second) - round(theirs[k].second));
            const double difference = ours[i] - ours[k];
            const bool isEqual = std::abs(difference) <= equal * std::abs(ours[i]);
            if (!isEqual && printed * GetSign(difference) < 0)
            {
                comparison.reversed.push_back(pair);
            }
            if (printed != GetSign(round(ours[i]) - round(ours[k])))
            {
                comparison.other.push_back(pair);
            }
        }
    }
    return comparison;
}

std::optional<double>
QdmpComparison::GetDifference() const
{
    return theirs == 0 ? std::nullopt : std::make_optional(ours / theirs - 1);
}

std::vector<QdmpComparison>
CompareQdmp(const std::vector<PublishedQdmpModel>& models, const QdmpOutcome& outcome)
{
    std::vector<QdmpComparison> comparisons;
    const auto addTable = [&](const std::string& figure,
                              const std::string& unit,
                              FiguresByPlanner PublishedQdmpModel::*theirs,
                              const auto& getOurs) {
        for (const QdmpCell& cell : outcome.GetCells())
        {
            const FiguresByPlanner& figures = models[cell.model].*theirs;
            const auto row = figures.find(cell.network);
            if (row != figures.end())
            {
                comparisons.push_back({figure,
                                       cell.model,
                                       cell.network,
                                       cell.planner,
                                       unit,
                                       row->second.at(GetTheirColumn(cell.planner)),
                                       getOurs(cell)});
            }
        }
    };
    addTable("table2", "s", &PublishedQdmpModel::latencySeconds, [](const QdmpCell& cell) {
        return cell.cost.latencySeconds;
    });
    addTable("table3", "frames/s", &PublishedQdmpModel::framesPerSecond, [](const QdmpCell& cell) {
        return cell.framesPerSecond;
    });
    const std::size_t tables = comparisons.size();
    for (const QdmpCell& cell : outcome.GetCells())
    {
        const auto& figures = models[cell.model].mebibitsPerFrame;
        const auto theirs = figures.find(cell.network);
        if (cell.planner == "qdmp" && theirs != figures.end())
        {
            comparisons.push_back({"table6",
                                   cell.model,
                                   cell.network,
                                   "qdmp",
                                   "Mibit",
                                   theirs->second,
                                   static_cast<double>(cell.cost.uplinkBytes) * 8 / MEBIBIT});
        }
    }
    for (const RatioFigure& figure : RATIO_FIGURES)
    {
        for (std::size_t i = 0; i < tables; ++i)
        {
            const QdmpComparison one = comparisons[i];
            const auto& planners = figure.planners;
            if (one.figure != figure.table ||
                std::find(planners.begin(), planners.end(), one.planner) == planners.end())
            {
                continue;
            }
            const QdmpCell& edge = *outcome.Find(one.model, one.network, "edge-only");
            const auto& model = models[one.model];
            const bool isLatency = figure.table == "table2";
            comparisons.push_back(
                {figure.name,
                 one.model,
                 one.network,
                 one.planner,
                 "times edge-only",
                 isLatency ? model.latencySeconds.at(one.network).at("edge-only") / one.theirs
                           : one.theirs / model.framesPerSecond.at(one.network).at("edge-only"),
                 isLatency ? edge.cost.latencySeconds / one.ours
                           : one.ours / edge.framesPerSecond});
        }
    }
    return comparisons;
}

std::vector<QdmpOrder>
CompareQdmpOrders(const std::vector<QdmpComparison>& comparisons)
{
    // By figure, model and network, the comparisons by planner.
    std::map<std::tuple<std::string, std::size_t, std::string>, std::map<std::string, std::size_t>>
        cells;
    for (std::size_t i = 0; i < comparisons.size(); ++i)
    {
        const QdmpComparison& one = comparisons[i];
        if (one.figure == "table2" || one.figure == "table3")
        {
            cells[{one.figure, one.model, one.network}][one.planner] = i;
        }
    }
    std::vector<QdmpOrder> orders;
    for (const auto& [where, byPlanner] : cells)
    {
        for (const QdmpReading& reading : GetQdmpReadings())
        {
            std::vector<std::pair<std::string, double>> theirs;
            std::vector<double> ours;
            for (const auto& [column, planner] : reading.columns)
            {
                const QdmpComparison& one = comparisons[byPlanner.at(planner)];
                theirs.emplace_back(column, one.theirs);
                ours.push_back(one.ours);
            }
            orders.push_back({std::get<0>(where),
                              std::get<1>(where),
                              std::get<2>(where),
                              reading.name,
                              CompareOrder(theirs, ours, PUBLISHED_QDMP_DIGIT)});
        }
    }
    return orders;
}

} // namespace edgepipe
} // namespace ns3
