/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/cost-draws.h"

#include "lib/run-report.h"

#include "ns3/edgepipe-child-process.h"
#include "ns3/edgepipe-cost-draw.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-ranges.h"
#include "ns3/rng-stream.h"

#include <algorithm>
#include <atomic>
#include <iostream>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

namespace ns3::edgepipe
{

namespace
{

/// Share of draws beyond either end of an interval, and in which an order may be reversed.
constexpr double TAIL = 0.05;
/// Smallest number of draws, of which TAIL is one.
constexpr uint32_t LEAST_DRAWS = 20;
/// Processes per core that do its draws one after the other, so that progress shows.
constexpr uint32_t BLOCKS = 10;

/**
 * @param first draw
 * @param end behind the last one
 * @param simulate simulates a draw
 * @return outcomes, in JSON
 * @throws InputError if a draw fails
 */
std::string
Describe(uint32_t first, uint32_t end, const std::function<CostDraw(uint32_t)>& simulate)
{
    auto list = nlohmann::json::array();
    for (uint32_t draw = first; draw < end; ++draw)
    {
        try
        {
            const CostDraw found = simulate(draw);
            // JSON has neither infinity nor NaN: both become null.
            list.push_back(
                {{"ranks", found.ranks}, {"numbers", found.numbers}, {"regrets", found.regrets}});
        }
        catch (const std::exception& error)
        {
            throw InputError("draw " + std::to_string(draw) + " of costs: " + error.what());
        }
    }
    return list.dump();
}

/**
 * @param numbers of JSON
 * @param missing value for null
 * @return the numbers
 */
std::vector<double>
ReadNumbers(const nlohmann::json& numbers, double missing)
{
    return Map(numbers, [missing](const nlohmann::json& number) {
        return number.is_null() ? missing : number.get<double>();
    });
}

} // namespace

void
CostDrawOptions::Declare(ScenarioOptions& options)
{
    options
        .Bind("cost-draws=0",
              [this, &options] {
                  options.Read("cost-draws", draws, 0, MOST_COST_DRAWS);
                  options.Expect("cost-draws",
                                 draws == 0 || draws >= LEAST_DRAWS,
                                 "0, or " + std::to_string(LEAST_DRAWS) +
                                     " or more, of which 90 % can be told");
              })
        .Help("number of draws of layer costs within their uncertainty, for 90 % intervals "
              "of figures and how often a planner beats another: 0, or 20 or more");
    options.Bind("cost-plans=kept", plans, "kept", "anew", "both")
        .Help("in draws: kept (planners believe the nominal costs), anew (they know the drawn "
              "costs) or both, for the regret: how much longer a plan kept takes than one made "
              "anew");
    options.Need({"cost-plans"}, "cost-draws", std::to_string(LEAST_DRAWS));
}

std::vector<CostDraw>
CostDraws::Simulate(uint32_t count,
                    const std::function<CostDraw(uint32_t)>& simulate,
                    const std::function<void(double)>& told)
{
    // ns-3 builds tables for its first stream, in 20 ms: do it once for all processes.
    const RngStream tables(1, 1, 1);
    const uint32_t processes = std::clamp(std::thread::hardware_concurrency(), 1U, count);
    const uint32_t blocks = std::min(count, BLOCKS * processes);
    const auto findFirst = [=](uint32_t block) { return uint64_t{block} * count / blocks; };
    std::vector<std::string> texts(blocks);
    std::vector<std::string> errors(blocks);
    std::atomic<uint32_t> begun{0};
    std::mutex mutex;
    uint32_t done = 0;
    const auto work = [&] {
        for (uint32_t block = begun++; block < blocks; block = begun++)
        {
            try
            {
                texts[block] =
                    ChildProcess::Run([&] {
                        return Describe(findFirst(block) + 1, findFirst(block + 1) + 1, simulate);
                    }).text;
            }
            catch (const InputError& found)
            {
                errors[block] = found.what();
            }
            const std::lock_guard lock(mutex);
            told(static_cast<double>(++done) / blocks);
        }
    };
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < processes; ++i)
    {
        threads.emplace_back(work);
    }
    std::for_each(threads.begin(), threads.end(), [](std::thread& thread) { thread.join(); });
    std::vector<CostDraw> draws;
    const double none = std::numeric_limits<double>::quiet_NaN();
    for (uint32_t block = 0; block < blocks; ++block)
    {
        Require(errors[block].empty(), errors[block]);
        for (const auto& one : nlohmann::json::parse(texts[block]))
        {
            draws.push_back(
                {ReadNumbers(one["ranks"], std::numeric_limits<double>::infinity()),
                 Map(one["numbers"],
                     [none](const nlohmann::json& row) { return ReadNumbers(row, none); }),
                 ReadNumbers(one["regrets"], none)});
        }
    }
    return draws;
}

std::size_t
CostDraws::CountWins(std::size_t a, std::size_t b) const
{
    return std::count_if(draws.begin(), draws.end(), [=](const CostDraw& draw) {
        return IsLess(draw.ranks[a], draw.ranks[b]);
    });
}

std::string
CostDraws::DescribeOrder() const
{
    std::size_t most = 0;
    std::string least;
    bool isOrdered = false;
    for (std::size_t a = 0; a < cases.size(); ++a)
    {
        for (std::size_t b = 0; b < cases.size(); ++b)
        {
            const std::size_t lost = CountWins(b, a);
            if (IsLess(ranks[a], ranks[b]) && (!isOrdered || lost > most))
            {
                isOrdered = true;
                most = lost;
                least = cases[a] + " is behind " + cases[b];
            }
        }
    }
    if (!isOrdered)
    {
        return "";
    }
    const std::string all = std::to_string(draws.size()) + " draws of the costs";
    if (most == 0)
    {
        return "The simulated order survives the uncertainty of the costs: it is never reversed "
               "in " +
               all + ".";
    }
    return std::string("The simulated order ") +
           (most <= TAIL * draws.size() ? "survives" : "does not survive") +
           " the uncertainty of the costs: " + least + " in " +
           FormatPercent(static_cast<double>(most) / draws.size()) + " of " + all + ".";
}

std::string
DescribeOverflows(const std::vector<CasePlan>& plans, uint32_t draws)
{
    std::vector<double> factors;
    for (uint32_t draw = 1; draw <= draws; ++draw)
    {
        factors.push_back(DrawMemoryFactor(draw));
    }
    std::vector<std::string> found;
    for (const CasePlan& plan : plans)
    {
        double most = 0;
        for (const PlanStep& step : plan.steps)
        {
            for (const PlanPart& part : step.parts)
            {
                const double use = static_cast<double>(part.memoryBytes) / part.capacityBytes;
                most = part.capacityBytes > 0 ? std::max(most, use) : most;
            }
        }
        const auto exceeding = Filter(factors, [most](double factor) { return factor * most > 1; });
        if (!exceeding.empty())
        {
            found.push_back(FormatPercent(static_cast<double>(exceeding.size()) / draws) + " (" +
                            plan.name + ")");
        }
    }
    return found.empty() ? ""
                         : "Drawn peaks of memory exceed a device's in " + JoinWords(found) +
                               " of the draws.";
}

std::array<double, 3>
CostDraws::FindInterval(const std::vector<double>& values)
{
    const auto known = Filter(values, [](double value) { return !std::isnan(value); });
    if (known.empty())
    {
        const double none = std::numeric_limits<double>::quiet_NaN();
        return {none, none, none};
    }
    return {FindPercentile(known, TAIL),
            FindPercentile(known, 0.5),
            FindPercentile(known, 1 - TAIL)};
}

std::vector<double>
CostDraws::FindRegrets(const std::vector<double>& kept, const std::vector<double>& anew)
{
    return Map(CountUp(kept.size()), [&](std::size_t i) {
        // Of infinities, NaN.
        return anew[i] > 0 && std::isfinite(kept[i]) ? (kept[i] - anew[i]) / anew[i]
                                                     : std::numeric_limits<double>::quiet_NaN();
    });
}

std::array<double, 3>
CostDraws::FindInterval(std::size_t row, std::size_t column) const
{
    std::vector<double> values;
    for (const auto& draw : draws)
    {
        // A draw in which other cases finish has other rows.
        const bool hasSameRows =
            std::equal(ranks.begin(), ranks.end(), draw.ranks.begin(), [](double a, double b) {
                return std::isfinite(a) == std::isfinite(b);
            });
        if (hasSameRows && row < draw.numbers.size())
        {
            values.push_back(draw.numbers[row][column]);
        }
    }
    return FindInterval(values);
}

void
CostDraws::Print(const Figures& figures, const std::vector<std::string>& rows) const
{
    std::cout << "\n90 % of " << draws.size() << " draws of the costs (" << plans
              << ") lie within:\n\n";
    Table intervals({""});
    for (const auto& row : rows)
    {
        intervals.AddRow({row});
    }
    for (std::size_t column = 0; column < figures.headings.size(); ++column)
    {
        std::vector<std::string> shown;
        bool varies = false;
        for (std::size_t row = 0; row < rows.size(); ++row)
        {
            const auto [low, median, high] = FindInterval(row, column);
            const auto format = figures.formats[column];
            const std::string from = When(!std::isnan(low), low).Show(format);
            const std::string to = When(!std::isnan(high), high).Show(format);
            varies |= low < high;
            shown.push_back(from == to ? from : from + " to " + to);
        }
        // Skip wall-clock times of planners, which do not depend on the costs.
        if (!figures.headings[column].empty() && varies && figures.formats[column] != FormatUs)
        {
            intervals.AddColumn(figures.headings[column], shown);
        }
    }
    intervals.Print(std::cout);
    if (!draws.front().regrets.empty())
    {
        std::cout << "\nRegret: how much longer the plan takes than the one that its planner makes "
                     "when it knows the draw's costs:\n\n";
        Table regrets({"", "median", "90 % within"});
        for (std::size_t i = 0; i < cases.size(); ++i)
        {
            const auto [low, median, high] = FindInterval(ListRegrets(i));
            const bool isKnown = !std::isnan(low);
            regrets.AddRow({cases[i],
                            When(isKnown, median).Show(FormatPercent),
                            isKnown ? FormatPercent(low) + " to " + FormatPercent(high) : "-"});
        }
        regrets.Print(std::cout);
    }
    if (cases.size() < 2)
    {
        return;
    }
    std::cout << "\nHow often the row is better than the column, by more than "
              << Table::Rounded(100 * TIE, 1) << " %:\n\n";
    std::vector<std::string> headings{""};
    headings.insert(headings.end(), cases.begin(), cases.end());
    Table orders(headings);
    for (std::size_t a = 0; a < cases.size(); ++a)
    {
        std::vector<std::string> row{cases[a]};
        for (std::size_t b = 0; b < cases.size(); ++b)
        {
            row.push_back(a == b ? "-" : FormatPercent(GetShare(a, b)));
        }
        orders.AddRow(std::move(row));
    }
    orders.Print(std::cout);
}

void
CostDraws::Write(ResultsFolder& folder,
                 const Figures& figures,
                 const std::vector<std::string>& rows) const
{
    Table intervals({"case", "figure", "value", "low", "median", "high"});
    for (std::size_t row = 0; row < rows.size(); ++row)
    {
        for (std::size_t column = 0; column < figures.names.size(); ++column)
        {
            const auto [low, median, high] = FindInterval(row, column);
            if (!figures.names[column].empty() && !std::isnan(low))
            {
                const double value = figures.numbers[row][column];
                intervals.AddRow({rows[row],
                                  figures.names[column],
                                  When(!std::isnan(value), value).GetText(),
                                  Table::Exact(low),
                                  Table::Exact(median),
                                  Table::Exact(high)});
            }
        }
    }
    for (std::size_t i = 0; i < cases.size() && !draws.front().regrets.empty(); ++i)
    {
        const auto ends = FindInterval(ListRegrets(i));
        if (!std::isnan(ends[0]))
        {
            std::vector<std::string> line{cases[i], "regret", "0"};
            std::transform(ends.begin(), ends.end(), std::back_inserter(line), Table::Exact);
            intervals.AddRow(std::move(line));
        }
    }
    folder.Write("intervals.csv", intervals);
    Table orders({"case", "other", "betterShare"});
    for (std::size_t a = 0; a < cases.size(); ++a)
    {
        for (std::size_t b = 0; b < cases.size(); ++b)
        {
            if (a != b)
            {
                orders.AddRow({cases[a], cases[b], Table::Exact(GetShare(a, b))});
            }
        }
    }
    folder.Write("orders.csv", orders);
}

} // namespace ns3::edgepipe
