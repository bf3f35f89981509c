/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/run-report.h"
#include "studies/cooperative-study.h"

#include "ns3/edgepipe-table.h"

#include <algorithm>
#include <iostream>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Changes of plan that are printed for a planner; plans.csv has them all.
constexpr std::size_t SHOWN_CHANGES = 12;
/// Lines about a case that stalled; run.json has them all.
constexpr std::size_t SHOWN_REASONS = 8;
/// Shares by which latencies differ that say nothing of an order.
constexpr double SAME = 1e-9;

/**
 * @param seconds some time
 * @return it in milliseconds, for people
 */
std::string
FormatMilliseconds(double seconds)
{
    return Table::Rounded(1e3 * seconds);
}

} // namespace

void
CooperativeStudy::PrintHeading() const
{
    const auto& run = m_inputs.run;
    std::cout << m_inputs.graph.name << ", "
              << FormatCount(m_inputs.devices.size(), "device", "devices") << " ("
              << m_inputs.GetDeviceType() << ") and a server (" << m_inputs.GetServerType() << "), "
              << m_inputs.DescribeNetwork() << " at " << run.network.fidelity << " level, monitor "
              << run.monitor << ", " << FormatCount(run.frames, "frame", "frames")
              << (m_inputs.devices.size() > 1 ? " each, " : ", ");
    if (run.framesPerSecond > 0)
    {
        std::cout << Table::Rounded(run.framesPerSecond) << " frames/s\n";
    }
    else
    {
        std::cout << "back to back, " << run.framesInFlight << " at a time\n";
    }
    PrintLayerCosts(m_inputs.costs);
    const auto has = [this](const char* planner) {
        const auto& all = m_inputs.planners;
        return std::find(all.begin(), all.end(), planner) != all.end();
    };
    if (has("dads"))
    {
        std::cout << (m_inputs.problem.isolated.empty()
                          ? "dads believes the same layer costs: none are known of layers alone\n"
                          : "dads believes the costs of layers alone\n");
    }
    if (has("neurosurgeon"))
    {
        std::cout << "neurosurgeon believes a regression over the models in the traces folder\n";
    }
    std::cout << "predicted: a lone frame under its plan at the capacity there was when it began, "
                 "without delay and TCP's start-up; mean over frames\n\n";
}

void
CooperativeStudy::Print() const
{
    PrintHeading();
    Table table({"planner",
                 "predicted (ms)",
                 "mean (ms)",
                 "median",
                 "p95",
                 "p99",
                 "frames/s",
                 "dropped",
                 "up/frame",
                 "down/frame",
                 "changes",
                 "decision (us)"});
    for (const auto& one : m_cases)
    {
        const auto& s = one.summary;
        const auto known = [&s](const std::string& text) { return s.finished > 0 ? text : "-"; };
        // Figures of the frames that a stalled planner did finish are not comparable.
        const auto fair = [&](const std::string& text) {
            return one.result.isComplete ? known(text) : "-";
        };
        table.AddRow(
            {one.planner,
             s.finished > s.unpredicted ? fair(FormatMilliseconds(s.predictedSeconds)) : "-",
             one.result.isComplete ? known(FormatMilliseconds(s.meanSeconds)) : "stalled",
             fair(FormatMilliseconds(s.medianSeconds)),
             fair(FormatMilliseconds(s.p95Seconds)),
             fair(FormatMilliseconds(s.p99Seconds)),
             fair(Table::Rounded(s.framesPerSecond)),
             std::to_string(s.dropped),
             known(Table::Bytes(static_cast<uint64_t>(s.uplinkBytesPerFrame))),
             known(Table::Bytes(static_cast<uint64_t>(s.downlinkBytesPerFrame))),
             std::to_string(s.planChanges),
             Table::Rounded(1e6 * s.decisionSeconds, 3)});
    }
    table.Print(std::cout);
    for (const auto& one : m_cases)
    {
        const auto& s = one.summary;
        if (!one.result.isComplete)
        {
            std::cout << one.planner << ": stalled, " << s.finished + s.dropped << " of "
                      << FormatCount(one.result.frames.size(), "frame", "frames") << " ended\n";
        }
        else if (s.unpredicted > 0)
        {
            std::cout << one.planner << ": the prediction leaves out " << s.unpredicted << " of "
                      << FormatCount(s.finished, "frame", "frames")
                      << ": they began while there was no bandwidth;\n  its order among the "
                         "planners is not "
                         "checked\n";
        }
    }
    PrintPartitions();
    PrintOrder();
    PrintStalls();
}

void
CooperativeStudy::PrintPartitions() const
{
    std::cout << "\nplans, by share of time in force:\n";
    for (const auto& one : m_cases)
    {
        auto partitions = one.summary.partitions;
        std::stable_sort(partitions.begin(), partitions.end(), [](const auto& a, const auto& b) {
            return a.timeShare > b.timeShare;
        });
        for (const auto& partition : partitions)
        {
            std::cout << "  " << one.planner << ": " << FormatPercent(partition.timeShare) << "  "
                      << DescribeCut(m_inputs.problem, one.result.plans[partition.firstPlan].plan)
                      << "\n";
        }
    }
}

void
CooperativeStudy::PrintChanges() const
{
    std::cout << "\nchanges of plan:\n";
    for (const auto& one : m_cases)
    {
        std::cout << "  " << one.planner << ": "
                  << (one.summary.planChanges > 0
                          ? FormatCount(one.summary.planChanges, "change", "changes")
                          : "none")
                  << "\n";
        std::size_t shown = 0;
        std::vector<std::size_t> last(m_inputs.devices.size(), one.summary.partitions.size());
        for (std::size_t i = 0; i < one.result.plans.size(); ++i)
        {
            const auto& plan = one.result.plans[i];
            const std::size_t partition = one.summary.partitionOfPlan[i];
            const bool isChange =
                last[plan.device] < one.summary.partitions.size() && last[plan.device] != partition;
            last[plan.device] = partition;
            if (!isChange || ++shown > SHOWN_CHANGES)
            {
                continue;
            }
            std::cout << "    " << Table::Rounded(plan.inForce.GetSeconds()) << " s, "
                      << (m_inputs.devices.size() > 1 ? m_inputs.names[plan.device] + ", " : "")
                      << "at " << Table::Rounded(plan.uplinkBitsPerSecond / 1e6)
                      << " Mbit/s: " << DescribeCut(m_inputs.problem, plan.plan) << "\n";
        }
        if (shown > SHOWN_CHANGES)
        {
            std::cout << "    and " << shown - SHOWN_CHANGES << " more, see plans.csv\n";
        }
    }
}

void
CooperativeStudy::PrintOrder() const
{
    bool isCompared = false;
    bool isSame = true;
    for (const auto& a : m_cases)
    {
        for (const auto& b : m_cases)
        {
            const auto& x = a.summary;
            const auto& y = b.summary;
            if (&a == &b || !a.result.isComplete || !b.result.isComplete || x.finished == 0 ||
                y.finished == 0 || x.unpredicted > 0 || y.unpredicted > 0)
            {
                continue;
            }
            isCompared = true;
            if (x.predictedSeconds < (1 - SAME) * y.predictedSeconds &&
                x.meanSeconds > (1 + SAME) * y.meanSeconds)
            {
                isSame = false;
                std::cout << "\nThe orders disagree: " << a.planner << " is predicted to beat "
                          << b.planner << " (" << FormatMilliseconds(x.predictedSeconds)
                          << " ms to " << FormatMilliseconds(y.predictedSeconds)
                          << " ms), but in the simulation " << b.planner << " is faster ("
                          << FormatMilliseconds(y.meanSeconds) << " ms to "
                          << FormatMilliseconds(x.meanSeconds) << " ms).\n";
            }
        }
    }
    if (isCompared && isSame)
    {
        std::cout << "\nPrediction and simulation put the planners in the same order.\n";
    }
}

void
CooperativeStudy::PrintStalls() const
{
    for (const auto& one : m_cases)
    {
        if (one.result.isComplete)
        {
            continue;
        }
        std::cerr << m_inputs.GetOptions().GetName() << ": " << one.planner
                  << ": stalled, the run ends at " << Table::Rounded(one.result.end.GetSeconds())
                  << " s; who waits for what:\n";
        const auto& lines = one.result.diagnosis;
        for (std::size_t i = 0; i < std::min(lines.size(), SHOWN_REASONS); ++i)
        {
            std::cerr << "  " << lines[i] << "\n";
        }
        if (lines.size() > SHOWN_REASONS)
        {
            std::cerr << "  and " << lines.size() - SHOWN_REASONS << " more lines\n";
        }
    }
}

} // namespace edgepipe
} // namespace ns3
