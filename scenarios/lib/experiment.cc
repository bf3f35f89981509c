/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/experiment.h"

#include "runs/progress.h"

#include <iostream>

namespace ns3::edgepipe
{

namespace
{

/// Lines printed about a stalled case; run.json has them all.
constexpr std::size_t SHOWN_REASONS = 8;
/// Factor by which a prediction must be off to be reported.
constexpr double FAR = 2;

} // namespace

int
Experiment::Run(int argc, char* argv[], const std::string& script)
{
    m_options.Parse(argc, argv);
    const std::string& out = m_options.GetString("out");
    ResultsFolder folder(out);
    folder.Check();
    if (!m_options.IsDryRun())
    {
        folder.Hold();
    }
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
    folder.Write("report.html", FormatRunPage(m_options, folder, GetCurves(), m_notes, m_stalls));
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
Experiment::Say(const std::vector<std::string>& notes, std::vector<std::string>& said)
{
    for (const auto& note : notes)
    {
        std::cout << "\n" << note << "\n";
        said.push_back(note);
    }
}

void
Experiment::ReportStall(const std::string& what,
                        const Time& end,
                        const std::vector<std::string>& lines) const
{
    m_isStalled = true;
    m_stalls[what] = end.GetSeconds();
    m_notes.push_back(what + ": stalled, the run ends at " + Table::Rounded(end.GetSeconds()) +
                      " s; who waits for what:");
    std::cerr << m_options.GetName() << ": " << m_notes.back() << "\n";
    for (std::size_t i = 0; i < std::min(lines.size(), SHOWN_REASONS); ++i)
    {
        std::cerr << "  " << lines[i] << "\n";
        m_notes.push_back(lines[i]);
    }
    if (lines.size() > SHOWN_REASONS)
    {
        std::cerr << "  and " << lines.size() - SHOWN_REASONS << " more lines\n";
    }
}

std::string
Comparison::Show(const Cases& some) const
{
    const auto show = [this](const PredictedCase* one) {
        return one->name + " (" + Show(one->predicted) + " predicted, " + Show(one->simulated) +
               " simulated)";
    };
    return JoinWords(Map(some, show), ", ", " and ");
}

std::vector<std::string>
Comparison::DescribeOrder() const
{
    // Cases that ought to be slower than others, and those others.
    std::vector<std::pair<Cases, Cases>> pairs;
    bool isCompared = false;
    for (const auto& a : cases)
    {
        Cases faster;
        for (const auto& b : cases)
        {
            if (a.group != b.group || !IsLess(a.predicted, b.predicted))
            {
                continue;
            }
            isCompared |= IsLess(a.simulated, b.simulated);
            if (IsLess(b.simulated, a.simulated))
            {
                faster.push_back(&b);
            }
        }
        const auto same =
            FindIf(pairs, [&faster](const auto& pair) { return pair.second == faster; });
        if (same)
        {
            same->first.push_back(&a);
        }
        else if (!faster.empty())
        {
            pairs.push_back({{&a}, faster});
        }
    }
    auto found = Map(pairs, [this](const auto& pair) {
        const auto& [slower, faster] = pair;
        return "The orders disagree: " + Show(slower) + (slower.size() == 1 ? " is" : " are") +
               " predicted to beat " + Show(faster) + ", which " +
               (faster.size() == 1 ? "is" : "are") + " faster in the simulation.";
    });
    if (found.empty() && isCompared)
    {
        found.emplace_back("Prediction and simulation put the planners in the same order (figures "
                           "within 2 % of each other are ties).");
    }
    return found;
}

std::vector<std::string>
Comparison::DescribeDistance(const std::vector<std::string>& unknown) const
{
    const auto far = Filter(cases, [](const PredictedCase& one) {
        const auto [less, more] = std::minmax(one.predicted, one.simulated);
        return more >= FAR * less && more > 0;
    });
    if (far.empty())
    {
        return {};
    }
    return {
        "Predictions are far off for " + Show(Map(far, [](auto& one) { return &one; })) +
        (unknown.empty() ? "." : "; they leave out " + JoinWords(unknown, ", ", " and ") + ".")};
}

std::vector<std::string>
Comparison::DescribeReferences(const std::vector<std::string>& references) const
{
    std::vector<std::string> found;
    for (const auto& reference : cases)
    {
        const auto beaten = Filter(cases, [&](const PredictedCase& one) {
            return !Contains(references, one.name) && one.group == reference.group &&
                   IsLess(reference.simulated, one.simulated);
        });
        const auto show = [this](const PredictedCase& one) {
            return one.name + " (" + Show(one.simulated) + ")";
        };
        if (Contains(references, reference.name) && !beaten.empty())
        {
            found.push_back(reference.name + ", which decides nothing, is faster here (" +
                            Show(reference.simulated) + ") than " +
                            JoinWords(Map(beaten, show), ", ", " and ") + ".");
        }
    }
    return found;
}

} // namespace ns3::edgepipe
