/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/cost-draws.h"

#include "lib/run-report.h"

#include "ns3/edgepipe-cost-draw.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/rng-stream.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ns3::edgepipe
{

namespace
{

/// Share of draws on either side of an interval, and in which an order may be another.
constexpr double TAIL = 0.05;
/// Draws of which TAIL is one.
constexpr uint32_t LEAST_DRAWS = 20;

/** A process that simulates draws, and what it has said so far. */
struct DrawProcess
{
    pid_t child;      //!< its number
    int file;         //!< to read from; -1: it has ended
    std::string text; //!< a line begun
};

/**
 * @param a a rank
 * @param b another
 * @return whether a is clearly better
 */
bool
IsBetter(double a, double b)
{
    return a < (1 - TIE) * b || (std::isfinite(a) && !std::isfinite(b));
}

/**
 * @param draw its number
 * @param simulate a draw
 * @return what came of it, a line of JSON
 */
std::string
Describe(uint32_t draw, const std::function<CostDraw(uint32_t)>& simulate)
{
    nlohmann::json line{{"draw", draw}};
    try
    {
        const CostDraw found = simulate(draw);
        line["ranks"] = found.ranks; // JSON has no infinity and no NaN: they are null there
        line["numbers"] = found.numbers;
    }
    catch (const std::exception& error)
    {
        line["error"] = error.what();
    }
    return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/**
 * @param numbers of JSON
 * @param missing what null stands for
 * @return the numbers
 */
std::vector<double>
ReadNumbers(const nlohmann::json& numbers, double missing)
{
    std::vector<double> read;
    for (const auto& number : numbers)
    {
        read.push_back(number.is_null() ? missing : number.get<double>());
    }
    return read;
}

/**
 * @param text all of it
 * @param file to be written to
 */
void
WriteAll(const std::string& text, int file)
{
    for (std::size_t at = 0; at < text.size();)
    {
        const auto count = write(file, text.data() + at, text.size() - at);
        if (count < 0)
        {
            _exit(1);
        }
        at += count;
    }
}

/**
 * Start a process.
 *
 * @param first draw of it
 * @param step to its next one
 * @param count last draw at most
 * @param simulate a draw
 * @return the process
 */
DrawProcess
Start(uint32_t first,
      uint32_t step,
      uint32_t count,
      const std::function<CostDraw(uint32_t)>& simulate)
{
    int ends[2];
    if (pipe(ends) != 0)
    {
        throw InputError("draws of costs: no pipe can be made");
    }
    const pid_t child = fork();
    if (child < 0)
    {
        throw InputError("draws of costs: no process can be made");
    }
    if (child == 0)
    {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(ends[0]);
        for (uint32_t draw = first; draw <= count; draw += step)
        {
            WriteAll(Describe(draw, simulate), ends[1]);
        }
        _exit(0);
    }
    close(ends[1]);
    return {child, ends[0], ""};
}

} // namespace

void
CostDrawOptions::Declare(ScenarioOptions& options)
{
    options
        .Bind("cost-draws=0",
              [this, &options] {
                  options.Read("cost-draws", draws, 0, MOST_COST_DRAWS);
                  if (draws > 0 && draws < LEAST_DRAWS)
                  {
                      options.Refuse("cost-draws",
                                     "0, or " + std::to_string(LEAST_DRAWS) +
                                         " or more, of which 90 % can be told");
                  }
              })
        .Help("so many draws of layer costs within their uncertainty as well, for 90 % intervals "
              "of figures and how often a planner beats another: 0, or 20 or more");
    options.Bind("cost-plans=kept", plansAnew, "kept", "anew")
        .Help("in draws: kept (planners believe the costs as they are) or anew (they know those "
              "drawn)");
}

std::vector<CostDraw>
CostDraws::Simulate(uint32_t count,
                    const std::function<CostDraw(uint32_t)>& simulate,
                    const std::function<void(double)>& told)
{
    // ns-3 makes tables for its first stream, which takes 20 ms.
    const RngStream tables(1, 1, 1);
    const uint32_t processes = std::clamp(std::thread::hardware_concurrency(), 1U, count);
    std::vector<DrawProcess> running;
    for (uint32_t i = 0; i < processes; ++i)
    {
        running.push_back(Start(i + 1, processes, count, simulate));
    }
    std::vector<CostDraw> draws(count);
    std::vector<std::string> errors(count, "draws of costs: a process ended early");
    std::size_t done = 0;
    for (std::size_t open = running.size(); open > 0;)
    {
        std::vector<pollfd> wanted;
        for (const auto& one : running)
        {
            wanted.push_back({one.file, POLLIN, 0});
        }
        poll(wanted.data(), wanted.size(), -1);
        for (std::size_t i = 0; i < running.size(); ++i)
        {
            if (wanted[i].revents == 0)
            {
                continue;
            }
            DrawProcess& one = running[i];
            char read[65536];
            const auto size = ::read(one.file, read, sizeof(read));
            if (size < 0 && errno == EINTR)
            {
                continue;
            }
            if (size <= 0)
            {
                close(one.file);
                waitpid(one.child, nullptr, 0);
                one.file = -1;
                --open;
                continue;
            }
            one.text.append(read, size);
            for (auto end = one.text.find('\n'); end != std::string::npos;
                 end = one.text.find('\n'))
            {
                const auto line = nlohmann::json::parse(one.text.substr(0, end));
                one.text.erase(0, end + 1);
                const std::size_t index = line["draw"].get<std::size_t>() - 1;
                errors[index] = line.value("error", "");
                if (errors[index].empty())
                {
                    draws[index].ranks =
                        ReadNumbers(line["ranks"], std::numeric_limits<double>::infinity());
                    for (const auto& row : line["numbers"])
                    {
                        draws[index].numbers.push_back(
                            ReadNumbers(row, std::numeric_limits<double>::quiet_NaN()));
                    }
                }
                told(static_cast<double>(++done) / count);
            }
        }
    }
    for (std::size_t i = 0; i < count; ++i)
    {
        Require(errors[i].empty(), "draw " + std::to_string(i + 1) + " of costs: " + errors[i]);
    }
    return draws;
}

CostDraws::CostDraws(std::vector<std::string> cases,
                     std::vector<double> ranks,
                     std::vector<CostDraw> draws,
                     std::string plans)
    : m_cases(std::move(cases)),
      m_ranks(std::move(ranks)),
      m_draws(std::move(draws)),
      m_plans(std::move(plans))
{
}

std::size_t
CostDraws::CountWins(std::size_t a, std::size_t b) const
{
    return std::count_if(m_draws.begin(), m_draws.end(), [=](const CostDraw& draw) {
        return IsBetter(draw.ranks[a], draw.ranks[b]);
    });
}

std::string
CostDraws::DescribeOrder() const
{
    std::size_t most = 0;
    std::string least;
    bool isOrdered = false;
    for (std::size_t a = 0; a < m_cases.size(); ++a)
    {
        for (std::size_t b = 0; b < m_cases.size(); ++b)
        {
            const std::size_t lost = CountWins(b, a);
            if (IsBetter(m_ranks[a], m_ranks[b]) && (!isOrdered || lost > most))
            {
                isOrdered = true;
                most = lost;
                least = m_cases[a] + " is behind " + m_cases[b];
            }
        }
    }
    if (!isOrdered)
    {
        return "";
    }
    const std::string draws = std::to_string(m_draws.size()) + " draws of the costs";
    if (most == 0)
    {
        return "The simulated order survives the uncertainty of the costs: it is never reversed "
               "in " +
               draws + ".";
    }
    return std::string("The simulated order ") +
           (most <= TAIL * m_draws.size() ? "survives" : "does not survive") +
           " the uncertainty of the costs: " + least + " in " +
           FormatPercent(static_cast<double>(most) / m_draws.size()) + " of " + draws + ".";
}

CostDraws::Interval
CostDraws::FindInterval(std::size_t row, std::size_t column) const
{
    std::vector<double> values;
    for (const auto& draw : m_draws)
    {
        // A draw in which other cases finished has other rows.
        const bool hasSameRows =
            std::equal(m_ranks.begin(), m_ranks.end(), draw.ranks.begin(), [](double a, double b) {
                return std::isfinite(a) == std::isfinite(b);
            });
        if (hasSameRows && row < draw.numbers.size() && !std::isnan(draw.numbers[row][column]))
        {
            values.push_back(draw.numbers[row][column]);
        }
    }
    if (values.empty())
    {
        const double none = std::numeric_limits<double>::quiet_NaN();
        return {none, none, none};
    }
    return {FindPercentile(values, TAIL),
            FindPercentile(values, 0.5),
            FindPercentile(values, 1 - TAIL)};
}

void
CostDraws::Print(const Figures& figures, const std::vector<std::string>& rows) const
{
    std::cout << "\n90 % of " << m_draws.size() << " draws of the costs (" << m_plans
              << ") lie within:\n\n";
    std::vector<std::string> headings{""};
    std::vector<std::vector<std::string>> cells;
    for (const auto& row : rows)
    {
        cells.push_back({row});
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
        // How long planners take here says nothing of costs.
        if (!figures.headings[column].empty() && varies && figures.formats[column] != FormatUs)
        {
            headings.push_back(figures.headings[column]);
            for (std::size_t row = 0; row < rows.size(); ++row)
            {
                cells[row].push_back(shown[row]);
            }
        }
    }
    Table intervals(headings);
    for (auto& row : cells)
    {
        intervals.AddRow(std::move(row));
    }
    intervals.Print(std::cout);
    if (m_cases.size() < 2)
    {
        return;
    }
    std::cout << "\nHow often the row is better than the column, by more than a thousandth:\n\n";
    headings.assign(1, "");
    headings.insert(headings.end(), m_cases.begin(), m_cases.end());
    Table orders(headings);
    for (std::size_t a = 0; a < m_cases.size(); ++a)
    {
        std::vector<std::string> row{m_cases[a]};
        for (std::size_t b = 0; b < m_cases.size(); ++b)
        {
            row.push_back(
                a == b ? "-"
                       : FormatPercent(static_cast<double>(CountWins(a, b)) / m_draws.size()));
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
    folder.Write("intervals.csv", intervals);
    Table orders({"case", "other", "betterShare"});
    for (std::size_t a = 0; a < m_cases.size(); ++a)
    {
        for (std::size_t b = 0; b < m_cases.size(); ++b)
        {
            if (a != b)
            {
                orders.AddRow(
                    {m_cases[a],
                     m_cases[b],
                     Table::Exact(static_cast<double>(CountWins(a, b)) / m_draws.size())});
            }
        }
    }
    folder.Write("orders.csv", orders);
}

} // namespace ns3::edgepipe
