/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/run-report.h"
#include "papers/dgpas-format.h"
#include "papers/dgpas-study.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace ns3
{
namespace edgepipe
{

Table
DgpasStudy::MakeBubbleTable() const
{
    Table table({"model",
                 "plan of",
                 "bubble rate",
                 "ideal",
                 "full",
                 "index (eq. 14)",
                 "ideal ",
                 "full ",
                 "theta, ideal",
                 "theta, full",
                 "grants, ideal",
                 "full  "});
    for (std::size_t model = 0; model < m_published.models.size(); ++model)
    {
        for (std::size_t method = 0; method < m_methods.size(); ++method)
        {
            const DgpasCase* one = m_cases.FindFirst(model, 0, method);
            if (!one || !one->outcomes.IsFinished())
            {
                continue;
            }
            std::vector<std::string> row{GetName(model), m_methods[method].name};
            for (const auto& [help, name] : DGPAS_HELPS)
            {
                row.push_back(FormatPercent(one->outcomes.Get(help).bubbleRate));
            }
            for (const auto& [help, name] : DGPAS_HELPS)
            {
                row.push_back(Table::Rounded(one->outcomes.Get(help).index, 3));
            }
            for (const DgpasHelp help : {DgpasHelp::IDEAL, DgpasHelp::FULL})
            {
                row.push_back(FormatIfAny(one->outcomes.Get(help).theta));
            }
            for (const DgpasHelp help : {DgpasHelp::IDEAL, DgpasHelp::FULL})
            {
                row.push_back(std::to_string(one->outcomes.Get(help).assistance.grants));
            }
            table.AddRow(std::move(row));
        }
    }
    return table;
}

Table
DgpasStudy::MakeFigure11(const std::vector<DgpasPoint>& points, const std::string& heading) const
{
    std::vector<std::string> columns{heading};
    for (const auto& model : m_published.models)
    {
        columns.push_back(model.name);
    }
    columns.insert(columns.end(), {"all, ideal", "all, full"});
    Table table(columns);
    std::set<double> conditions;
    for (const DgpasPoint& point : points)
    {
        conditions.insert(point.x);
    }
    for (const double x : conditions)
    {
        std::vector<std::string> row{std::to_string(std::llround(x))};
        for (std::size_t model = 0; model < m_published.models.size(); ++model)
        {
            row.push_back(FormatShareIfAny(GetBubbleDecrease(points, x, model, DgpasHelp::IDEAL)));
        }
        row.push_back(FormatShareIfAny(GetBubbleDecrease(points, x, {}, DgpasHelp::IDEAL)));
        row.push_back(FormatShareIfAny(GetBubbleDecrease(points, x, {}, DgpasHelp::FULL)));
        table.AddRow(std::move(row));
    }
    return table;
}

Table
DgpasStudy::MakeHelpTable() const
{
    Table table({"network",
                 "plan of",
                 "time, ideal",
                 "bubble rate",
                 "bubble time",
                 "time, full",
                 "bubble rate ",
                 "bubble time ",
                 "worst, ideal",
                 "worst, full"});
    for (std::size_t network = 0; network < m_networks.size(); ++network)
    {
        for (std::size_t method = 0; method < m_methods.size(); ++method)
        {
            std::vector<std::string> row{m_networks[network].label, m_methods[method].name};
            std::vector<std::string> worst;
            for (const DgpasHelp help : {DgpasHelp::IDEAL, DgpasHelp::FULL})
            {
                std::vector<double> gains;
                std::vector<double> rates;
                std::vector<double> times;
                for (const DgpasCase& one : m_cases.GetAll())
                {
                    if (one.network == network && one.method == method && one.outcomes.IsFinished())
                    {
                        const DgpasOutcomes& outcomes = one.outcomes;
                        const double without = outcomes.Get(DgpasHelp::NONE).bubbleSeconds;
                        gains.push_back(outcomes.GetGain(help));
                        rates.push_back(outcomes.GetBubbleDecrease(help));
                        times.push_back(without > 0 ? 1 - outcomes.Get(help).bubbleSeconds / without
                                                    : 0);
                    }
                }
                for (const auto& values : {gains, rates, times})
                {
                    row.push_back(FormatShareIfAny(FindMean(values)));
                }
                worst.push_back(gains.empty()
                                    ? "-"
                                    : FormatPercent(*std::min_element(gains.begin(), gains.end())));
            }
            row.insert(row.end(), worst.begin(), worst.end());
            table.AddRow(std::move(row));
        }
    }
    return table;
}

Table
DgpasStudy::MakePayingTable() const
{
    Table table = MakeModelTable("plan of");
    for (const std::string& method : {DGPAS_IMPROVED, std::string("exact")})
    {
        std::vector<std::string> row{method};
        bool isAny = false;
        for (std::size_t model = 0; model < m_published.models.size(); ++model)
        {
            std::vector<DgpasPoint> points;
            for (const DgpasPoint& point : m_bandwidths)
            {
                if (point.model == model && point.method == method)
                {
                    points.push_back(point);
                }
            }
            const auto from = FindPayingBandwidth(points);
            isAny = isAny || !points.empty();
            row.push_back(points.empty() ? "no plan"
                          : from         ? Table::Rounded(*from / 1e6, 6) + " Mbit/s"
                                         : "never");
        }
        if (isAny)
        {
            table.AddRow(std::move(row));
        }
    }
    return table;
}

Table
DgpasStudy::MakeCostTable() const
{
    Table table({"planner", "decision (s)", "training or loading (s)", "evaluations"});
    for (std::size_t method = 0; method < m_methods.size(); ++method)
    {
        double decision = 0;
        double preparation = 0;
        double evaluations = 0;
        std::size_t count = 0;
        for (const DgpasCase& one : m_cases.GetAll())
        {
            if (one.method == method && one.network == 0 && one.made.problemWithPlan.empty() &&
                m_methods[method].schedule == "gpipe")
            {
                decision += one.made.decisionSeconds;
                preparation += one.made.preparationSeconds;
                evaluations += one.made.evaluations;
                ++count;
            }
        }
        if (count > 0)
        {
            table.AddRow({m_methods[method].name,
                          Table::Rounded(decision / count, 2),
                          Table::Rounded(preparation / count, 2),
                          std::to_string(std::llround(evaluations / count))});
        }
    }
    return table;
}

std::optional<double>
DgpasStudy::GetBubbleDecrease(const std::vector<DgpasPoint>& points,
                              std::optional<double> x,
                              std::optional<std::size_t> model,
                              DgpasHelp help) const
{
    // Seeds weigh as much as their method, however many it has.
    std::map<std::pair<std::size_t, std::string>, std::pair<double, std::size_t>> sums;
    for (const DgpasPoint& point : points)
    {
        if ((!x || point.x == *x) && (!model || point.model == *model) &&
            point.outcomes.IsFinished())
        {
            auto& [sum, count] = sums[{point.model, point.method}];
            sum += point.outcomes.GetBubbleDecrease(help);
            ++count;
        }
    }
    std::vector<double> decreases;
    for (const auto& [key, one] : sums)
    {
        decreases.push_back(one.first / one.second);
    }
    return FindMean(decreases);
}

} // namespace edgepipe
} // namespace ns3
