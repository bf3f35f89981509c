/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/experiment.h"

#include "lib/progress.h"

#include "ns3/edgepipe-join-words.h"

#include <algorithm>
#include <iostream>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Lines about a case that stalled; run.json has them all.
constexpr std::size_t SHOWN_REASONS = 8;
/// Share by which figures may differ that say nothing of an order.
constexpr double SAME = 1e-3;

} // namespace

Experiment::Experiment(ScenarioOptions& options)
    : m_options(options)
{
}

int
Experiment::Run(int argc, char* argv[], const std::string& script)
{
    m_options.Parse(argc, argv);
    const std::string& out = m_options.GetString("out");
    ResultsFolder folder(out);
    folder.Check();
    Read();
    m_options.EndDryRun();
    {
        Progress progress;
        m_progress = &progress;
        Simulate();
        m_progress = nullptr;
    }
    Print();
    const std::string files = Write(folder);
    folder.Write("report.html", FormatRunPage(m_options, folder, GetCurves()));
    folder.CommitWhole();
    std::cout << "\nResults: " << out << "/  report.html (open it in a browser), " << files << "\n";
    if (!script.empty())
    {
        std::cout << "\nTry next:\n  " << script << " " << out << "     (draws it)\n";
    }
    return m_isStalled ? 3 : 0;
}

std::function<void(double)>
Experiment::Follow(double done, double all, const std::string& what)
{
    m_progress->Update(done / all, what);
    return
        [=, progress = m_progress](double share) { progress->Update((done + share) / all, what); };
}

void
Experiment::Print() const
{
}

RunCurves
Experiment::GetCurves() const
{
    return {};
}

void
Experiment::ReportStall(const std::string& what,
                        const Time& end,
                        const std::vector<std::string>& lines) const
{
    m_isStalled = true;
    std::cerr << m_options.GetName() << ": " << what << ": stalled, the run ends at "
              << Table::Rounded(end.GetSeconds()) << " s; who waits for what:\n";
    for (std::size_t i = 0; i < std::min(lines.size(), SHOWN_REASONS); ++i)
    {
        std::cerr << "  " << lines[i] << "\n";
    }
    if (lines.size() > SHOWN_REASONS)
    {
        std::cerr << "  and " << lines.size() - SHOWN_REASONS << " more lines\n";
    }
}

void
PrintOrder(const std::vector<PredictedCase>& cases, NumberFormat format, const std::string& unit)
{
    bool isSame = true;
    bool isCompared = false;
    for (const auto& a : cases)
    {
        for (const auto& b : cases)
        {
            isCompared |= &a != &b && a.group == b.group;
            if (a.group == b.group && a.predicted < (1 - SAME) * b.predicted &&
                a.simulated > (1 + SAME) * b.simulated)
            {
                isSame = false;
                std::cout << "\nThe orders disagree: " << a.name << " is predicted to beat "
                          << b.name << " (" << format(a.predicted) << unit << " to "
                          << format(b.predicted) << unit << "), but in the simulation " << b.name
                          << " is faster (" << format(b.simulated) << unit << " to "
                          << format(a.simulated) << unit << ").\n";
            }
        }
    }
    if (isSame && isCompared)
    {
        std::cout << "\nPrediction and simulation put the planners in the same order.\n";
    }
}

void
PrintReferences(const std::vector<PredictedCase>& cases,
                const std::vector<std::string>& references,
                NumberFormat format,
                const std::string& unit)
{
    const auto isReference = [&](const PredictedCase& one) {
        return std::count(references.begin(), references.end(), one.name) > 0;
    };
    for (const auto& reference : cases)
    {
        std::vector<std::string> beaten;
        for (const auto& one : cases)
        {
            if (isReference(reference) && !isReference(one) && one.group == reference.group &&
                reference.simulated < (1 - SAME) * one.simulated)
            {
                beaten.push_back(one.name + " (" + format(one.simulated) + unit + ")");
            }
        }
        if (!beaten.empty())
        {
            std::cout << "\n"
                      << reference.name << ", which decides nothing, is faster here ("
                      << format(reference.simulated) << unit << ") than "
                      << JoinWords(beaten, ", ", " and ") << ".\n";
        }
    }
}

} // namespace edgepipe
} // namespace ns3
