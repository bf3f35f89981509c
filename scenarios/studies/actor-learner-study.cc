/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/actor-learner-study.h"

#include "lib/progress.h"
#include "lib/run-report.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-link-type.h"
#include "ns3/edgepipe-table.h"

#include <algorithm>
#include <iostream>
#include <numeric>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Lines about a case that stalled; run.json has them all.
constexpr std::size_t SHOWN_REASONS = 8;

/**
 * @param seconds some time
 * @return it in milliseconds, for people
 */
std::string
FormatShortMilliseconds(double seconds)
{
    return Table::Rounded(1e3 * seconds);
}

/**
 * @param s some summary
 * @param cell what to print of its requests
 * @return that, or a dash if none ended
 */
std::string
IfMeasured(const ActorLearnerSummary& s, const std::string& cell)
{
    return s.IsMeasured() ? cell : "-";
}

/**
 * @param lag of some layers
 * @return mean and largest, for people
 */
std::string
FormatLag(const PolicyLag& lag)
{
    return lag.steps == 0 ? "-" : Table::Rounded(lag.mean, 3) + " / " + std::to_string(lag.most);
}

} // namespace

std::string
ActorLearnerCase::GetStatus() const
{
    return !refusal.empty() ? "refused" : result.isComplete ? "finished" : "stalled";
}

ActorLearnerStudy::ActorLearnerStudy(const ScenarioOptions& options)
    : m_inputs(options)
{
}

void
ActorLearnerStudy::Run()
{
    Progress progress;
    for (const auto& planner : m_inputs.planners)
    {
        ActorLearnerOptions run = m_inputs.run;
        run.planner = planner;
        ActorLearnerCase one;
        one.planner = planner;
        try
        {
            one.result = RunActorLearner(run, [&](double done) {
                progress.Update((m_cases.size() + done) / m_inputs.planners.size(),
                                planner + ": simulating");
            });
        }
        catch (const InputError& error)
        {
            if (m_inputs.planners.size() == 1)
            {
                throw;
            }
            one.refusal = error.what();
        }
        one.summary = Summarise(run, one.result, m_inputs.warmUp);
        m_cases.push_back(std::move(one));
    }
}

void
ActorLearnerStudy::PrintHeading() const
{
    const auto& run = m_inputs.run;
    const auto& model = run.model;
    const double flop = std::accumulate(model.layerFlop.begin(), model.layerFlop.end(), 0.0);
    std::cout << m_inputs.files.graph.name << " (" << model.layerFlop.size() << " layers, "
              << Table::Rounded(flop / 1e6) << " MFLOP, input "
              << Table::Bytes(model.outputBytes.front()) << "), "
              << FormatCount(run.actors.size(), "actor", "actors") << " and a server ("
              << m_inputs.files.server.name << "), " << DescribeLink(run.network) << " at "
              << run.network.fidelity << " level, " << Table::Rounded(run.duration.GetSeconds())
              << " s\n";
    PrintLayerCosts(m_inputs.files.costs);
    std::cout << "speeds by these costs (eq. 5): server "
              << Table::Rounded(model.serverFlopPerSecond / 1e9) << " GFLOP/s";
    for (const auto& [type, speed] : m_inputs.files.speeds)
    {
        std::cout << ", " << type << " " << Table::Rounded(speed / 1e9) << " GFLOP/s";
    }
    std::cout
        << "\nbudgets: " << FormatPercent(run.budgets.computeShare) << " of the FLOP and "
        << FormatPercent(run.budgets.bandwidthShare) << " of the bytes of "
        << (run.budgets.isElastic ? "the actors there are"
                                  : FormatCount(run.budgets.actors, "actor", "actors"))
        << " with all layers on the server\n"
        << "eq. 6: response of the same cuts if nobody waits, without the link's latency, headers "
           "and queues and the start-up of its transport; the server serves one request at a "
           "time, and trains between them\n\n";
}

void
ActorLearnerStudy::Print() const
{
    PrintHeading();
    Table table({"planner",
                 "requests/s",
                 "mean (ms)",
                 "median (ms)",
                 "p95 (ms)",
                 "p99 (ms)",
                 "eq. 6 (ms)",
                 "queue (ms)",
                 "inference",
                 "training",
                 "up/s",
                 "down/s",
                 "Jain"});
    for (const auto& one : m_cases)
    {
        const auto& s = one.summary;
        if (one.GetStatus() != "finished")
        {
            table.AddRow({one.planner,
                          one.GetStatus(),
                          "-",
                          "-",
                          "-",
                          "-",
                          "-",
                          "-",
                          "-",
                          "-",
                          "-",
                          "-",
                          "-"});
            continue;
        }
        table.AddRow({one.planner,
                      IfMeasured(s, Table::Rounded(s.requestsPerSecond)),
                      IfMeasured(s, FormatShortMilliseconds(s.meanSeconds)),
                      IfMeasured(s, FormatShortMilliseconds(s.medianSeconds)),
                      IfMeasured(s, FormatShortMilliseconds(s.p95Seconds)),
                      IfMeasured(s, FormatShortMilliseconds(s.p99Seconds)),
                      IfMeasured(s, FormatShortMilliseconds(s.predictedSeconds)),
                      IfMeasured(s, FormatShortMilliseconds(s.queueSeconds)),
                      FormatPercent(s.inferenceShare),
                      FormatPercent(s.trainingShare),
                      Table::Bytes(static_cast<uint64_t>(s.uplinkBytesPerSecond)),
                      Table::Bytes(static_cast<uint64_t>(s.downlinkBytesPerSecond)),
                      IfMeasured(s, Table::Rounded(s.fairness))});
    }
    table.Print(std::cout);
    std::cout
        << "inference, training: shares of the server's processor; up, down: payload; Jain: index "
           "of the actors' requests/s, 1 if all have the same\n";
    PrintUnmeasured();
    PrintPlans();
    PrintStalls();
}

void
ActorLearnerStudy::PrintUnmeasured() const
{
    const Time measured = m_inputs.run.duration - m_inputs.warmUp;
    for (const auto& one : m_cases)
    {
        if (one.GetStatus() != "finished" || one.summary.IsMeasured())
        {
            continue;
        }
        std::cout << one.planner << ": no request ended in the measured "
                  << Table::Rounded(measured.GetSeconds()) << " s";
        const char* before = "; at its end ";
        for (const auto& [wait, actors] : one.result.waits)
        {
            std::cout << before << actors << " of "
                      << FormatCount(m_inputs.run.actors.size(), "actor", "actors") << ": " << wait;
            before = ", ";
        }
        std::cout << "\n";
    }
}

void
ActorLearnerStudy::PrintPlans() const
{
    std::cout << "\nplans (indicators after the last change; lag in versions, mean / largest):\n";
    Table table({"planner",
                 "reduction (ms)",
                 "var. cuts",
                 "var. reductions (ms^2)",
                 "lag actor",
                 "lag server",
                 "lag training",
                 "joins, leaves",
                 "moved/change",
                 "messages planned",
                 "sent",
                 "decision (us)"});
    for (const auto& one : m_cases)
    {
        const auto& s = one.summary;
        if (one.GetStatus() == "refused")
        {
            continue;
        }
        table.AddRow({one.planner,
                      FormatShortMilliseconds(s.totalReductionSeconds),
                      Table::Rounded(s.cutVariance),
                      Table::Rounded(1e6 * s.reductionVariance),
                      FormatLag(s.actorLag),
                      FormatLag(s.serverLag),
                      FormatLag(s.trainingLag),
                      std::to_string(s.changes),
                      Table::Rounded(s.movedPerChange, 3),
                      std::to_string(s.planMessages),
                      std::to_string(s.sentMessages),
                      Table::Rounded(1e6 * s.decisionSeconds, 3)});
    }
    table.Print(std::cout);
    std::cout
        << "reduction: of the response, summed over the actors, against all layers on the actor "
           "(eq. 6); joins count the first ones\n";
    std::cout << "\ncuts, by share of requests (layers on the actor: share):\n";
    for (const auto& one : m_cases)
    {
        std::cout << "  " << one.planner << ": ";
        if (!one.summary.IsMeasured())
        {
            std::cout << "-";
        }
        bool isFirst = true;
        for (const auto& [cut, share] : one.summary.cuts)
        {
            std::cout << (isFirst ? "" : ", ") << cut << ": " << FormatPercent(share);
            isFirst = false;
        }
        std::cout << "\n";
    }
}

void
ActorLearnerStudy::PrintStalls() const
{
    for (const auto& one : m_cases)
    {
        if (one.GetStatus() == "refused")
        {
            std::cerr << m_inputs.GetOptions().GetName() << ": " << one.refusal << "\n";
        }
        if (one.GetStatus() != "stalled")
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

int
ActorLearnerStudy::GetStatus() const
{
    const bool isAnyStalled = std::any_of(m_cases.begin(), m_cases.end(), [](const auto& one) {
        return one.GetStatus() == "stalled";
    });
    return isAnyStalled ? 3 : 0;
}

} // namespace edgepipe
} // namespace ns3
