/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/actor-learner-study.h"

#include "lib/flow-errors.h"
#include "lib/network-inputs.h"
#include "lib/outside-planners.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-link-type.h"
#include "ns3/edgepipe-multi-actor-problem-json.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param lag of some layers
 * @return mean and largest, for people
 */
std::string
FormatLag(const PolicyLag& lag)
{
    return lag.steps == 0 ? "-" : Table::Rounded(lag.mean, 3) + " / " + std::to_string(lag.most);
}

/**
 * @param change of a plan
 * @return what its actor told, if anybody did
 */
ActorTold
Front(const PlanChangeRecord& change)
{
    return change.told.empty() ? ActorTold{} : change.told.front();
}

/**
 * @param c a case
 * @return finished, stalled or refused
 */
std::string
GetActorLearnerStatus(const ActorLearnerCase& c)
{
    return !c.refusal.empty() ? "refused" : c.result.isComplete ? "finished" : "stalled";
}

} // namespace

ActorLearnerStudy::ActorLearnerStudy(ScenarioOptions& options)
    : Experiment(options),
      m_inputs(options)
{
}

void
ActorLearnerStudy::Read()
{
    m_inputs.Read();
    PrintNetworkNotes(m_options, "actor-learner", m_inputs.run.network);
}

void
ActorLearnerStudy::Simulate()
{
    for (const auto& planner : m_inputs.planners)
    {
        ActorLearnerOptions run = m_inputs.run;
        run.planner = planner;
        ActorLearnerCase one;
        one.planner = planner;
        try
        {
            const auto progress =
                Follow(m_cases.size(), m_inputs.planners.size(), planner + ": simulating");
            one.result = RunActorLearner(run, progress);
        }
        catch (const PlannerFailure&)
        {
            throw;
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

Sheet<ActorLearnerCase>
ActorLearnerStudy::MakeResults() const
{
    using Case = const ActorLearnerCase;
    using Summary = const ActorLearnerSummary;
    // A planner that found no plan has no figures.
    const auto run = [](auto get) {
        return [get](Case& c) { return c.refusal.empty() ? Cell(get(c)) : Cell(); };
    };
    const auto all = [=](auto get) {
        return run([get](Case& c) { return std::invoke(get, c.summary); });
    };
    const auto measured = [=](auto figure) {
        return all([=](Summary& s) { return When(s.IsMeasured(), s.*figure); });
    };
    const auto usage = [=](uint64_t ServerUsage::*bytes) {
        return all([=](Summary& s) { return s.usage.*bytes; });
    };
    const auto mean = [=](PolicyLag ActorLearnerSummary::*lag) {
        return all([=](Summary& s) { return When((s.*lag).steps > 0, (s.*lag).mean); });
    };
    const auto most = [=](PolicyLag ActorLearnerSummary::*lag) {
        return all([=](Summary& s) { return When((s.*lag).steps > 0, double((s.*lag).most)); });
    };
    // In print, figures of a case that stalled are no figures either.
    const auto isFair = [](Case& c) { return c.result.isComplete; };
    using S = ActorLearnerSummary;
    const auto& in = m_inputs.run;
    return MakeSheet<ActorLearnerCase>(
        {
            {"planner", "planner", &ActorLearnerCase::planner},
            {"status", GetActorLearnerStatus},
            {"model", m_inputs.files.graph.name},
            {"actorType", m_options.GetString("actor")},
            {"serverType", m_inputs.files.server.name},
            {"actors", in.actors.size()},
            {"link", in.network.link},
            {"fidelity", in.network.fidelity},
            {"requests", all(&S::requests)},
            {"requestsPerSecond", measured(&S::requestsPerSecond)},
            {"",
             "requests/s",
             [=](Case& c) {
                 return c.result.isComplete ? measured(&S::requestsPerSecond)(c)
                                            : Cell(GetActorLearnerStatus(c));
             },
             FormatRounded},
            {"meanResponseSeconds", "mean (ms)", measured(&S::meanSeconds), FormatMs, isFair},
            {"medianResponseSeconds", "median (ms)", measured(&S::medianSeconds), FormatMs, isFair},
            {"p95ResponseSeconds", "p95 (ms)", measured(&S::p95Seconds), FormatMs, isFair},
            {"p99ResponseSeconds", "p99 (ms)", measured(&S::p99Seconds), FormatMs, isFair},
            {"predictedResponseSeconds", measured(&S::predictedSeconds)},
            {"profileResponseSeconds",
             "profile (ms)",
             measured(&S::profileSeconds),
             FormatMs,
             isFair},
            {"eq5ResponseSeconds", "eq. 5 (ms)", measured(&S::eq5Seconds), FormatMs, isFair},
            {"queueSeconds", "queue (ms)", measured(&S::queueSeconds), FormatMs, isFair},
            {"inferenceShare", "inference", all(&S::inferenceShare), FormatPercent, isFair},
            {"trainingShare", "training", all(&S::trainingShare), FormatPercent, isFair},
            {"uplinkBytesPerSecond", "up/s", all(&S::uplinkBytesPerSecond), FormatBytes, isFair},
            {"downlinkBytesPerSecond",
             "down/s",
             all(&S::downlinkBytesPerSecond),
             FormatBytes,
             isFair},
            {"tensorBytes", usage(&ServerUsage::tensorBytes)},
            {"trajectoryBytes", usage(&ServerUsage::trajectoryBytes)},
            {"actionBytes", usage(&ServerUsage::actionBytes)},
            {"parameterBytes", usage(&ServerUsage::parameterBytes)},
            {"jainIndex", "Jain", measured(&S::fairness), FormatRounded, isFair},
            {"actorLagMean", mean(&S::actorLag)},
            {"actorLagMost", most(&S::actorLag)},
            {"serverLagMean", mean(&S::serverLag)},
            {"serverLagMost", most(&S::serverLag)},
            {"trainingLagMean", mean(&S::trainingLag)},
            {"trainingLagMost", most(&S::trainingLag)},
            {"totalReductionSeconds", all(&S::totalReductionSeconds)},
            {"cutVariance", all(&S::cutVariance)},
            {"reductionVariance", all(&S::reductionVariance)},
            {"changes", all(&S::changes)},
            {"replans", all(&S::replans)},
            {"movedPerChange", all(&S::movedPerChange)},
            {"planMessages", all(&S::planMessages)},
            {"meetingMessages", all(&S::meetingMessages)},
            {"meetingBytes", all(&S::meetingBytes)},
            {"meetingSeconds", all(&S::meetingSeconds)},
            {"probeBytes", all(&S::probeBytes)},
            {"sentMessages", all(&S::sentMessages)},
            {"stepsTakenIn", run([](Case& c) { return c.result.takenIn; })},
            {"updates", run([](Case& c) { return c.result.updates.size(); })},
        },
        m_cases,
        MakeFailureColumns<ActorLearnerCase>(m_inputs.planners,
                                             [](Case& c) { return c.result.failures.count; }));
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
    std::cout << "speeds by these costs (eq. 5 of the Coknight paper): server "
              << Table::Rounded(model.serverFlopPerSecond / 1e9) << " GFLOP/s";
    for (const auto& [type, speed] : m_inputs.files.speeds)
    {
        std::cout << ", " << type << " " << Table::Rounded(speed / 1e9) << " GFLOP/s";
    }
    std::cout << "\nbudgets: " << FormatPercent(run.budgets.computeShare) << " of the FLOP and "
              << FormatPercent(run.budgets.bandwidthShare) << " of the bytes of "
              << (run.budgets.isElastic ? "the actors there are"
                                        : FormatCount(run.budgets.actors, "actor", "actors"))
              << " with all layers on the server\n"
              << "profile, eq. 5: eq. 6 of that paper, response of the same cuts if nobody waits, "
                 "without the link's latency, headers and queues and the start-up of its "
                 "transport, by what each layer takes and by these speeds; planners believe "
              << (run.believesProfile ? "the profile" : "eq. 5") << ", what executes is "
              << (run.serverBatchSeconds.empty() ? "eq. 5" : "the profile")
              << "; the server serves "
              << (run.mostBatch > 1
                      ? "up to " + std::to_string(run.mostBatch) + " requests that wait together"
                      : "one request at a time")
              << ", and trains between them\n\n";
}

void
ActorLearnerStudy::Print() const
{
    PrintHeading();
    MakeResults().GetShown().Print(std::cout);
    std::cout
        << "inference, training: shares of the server's processor; up, down: payload; Jain: index "
           "of the actors' requests/s, 1 if all have the same\n";
    PrintUnmeasured();
    std::vector<PredictedCase> compared;
    for (const auto& one : m_cases)
    {
        if (one.refusal.empty() && one.result.isComplete && one.summary.IsMeasured())
        {
            compared.push_back(
                {one.planner, one.summary.predictedSeconds, one.summary.meanSeconds, 0});
        }
    }
    Note(DescribeDistance(compared, ListUnknown(), FormatMs, " ms"));
    Note(DescribeReferences(compared, {"all-local", "all-server"}, FormatMs, " ms"));
    PrintPlans();
    for (const auto& one : m_cases)
    {
        PrintFailures(one.planner, one.result.failures);
        if (!one.refusal.empty())
        {
            std::cerr << m_options.GetName() << ": " << one.refusal << "\n";
        }
        else if (!one.result.isComplete)
        {
            ReportStall(one.planner, one.result.end, one.result.diagnosis);
        }
    }
}

std::vector<std::string>
ActorLearnerStudy::ListUnknown() const
{
    const auto& run = m_inputs.run;
    auto unknown = edgepipe::ListUnknown(run.network);
    if (std::any_of(run.loads.begin(), run.loads.end(), std::mem_fn(&DeviceLoad::IsChanging)))
    {
        unknown.emplace_back("load that changes");
    }
    if (run.actors.size() > 1)
    {
        unknown.emplace_back("other actors on the server and its links");
    }
    unknown.emplace_back("trajectories and parameters on the same links");
    if (run.batchSteps > 0)
    {
        unknown.emplace_back("the learner's updates");
    }
    if (run.monitor == "probe")
    {
        unknown.emplace_back("probes");
    }
    if (run.startUp)
    {
        unknown.emplace_back("the start-up of transfers");
    }
    return unknown;
}

void
ActorLearnerStudy::PrintUnmeasured() const
{
    const Time measured = m_inputs.run.duration - m_inputs.warmUp;
    for (const auto& one : m_cases)
    {
        if (!one.result.isComplete || one.summary.IsMeasured())
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
    using Case = const ActorLearnerCase;
    std::cout << "\nplans (reductions and variances after the last decision):\n";
    Sheet<ActorLearnerCase> plans({
        {"", "planner", &ActorLearnerCase::planner},
        {"", "reduction (ms)", [](Case& c) { return c.summary.totalReductionSeconds; }, FormatMs},
        {"", "var. cuts", [](Case& c) { return c.summary.cutVariance; }, FormatRounded},
        {"",
         "var. reductions (ms^2)",
         [](Case& c) { return 1e6 * c.summary.reductionVariance; },
         FormatRounded},
        {"", "lag actor", [](Case& c) { return FormatLag(c.summary.actorLag); }},
        {"", "lag server", [](Case& c) { return FormatLag(c.summary.serverLag); }},
        {"", "lag training", [](Case& c) { return FormatLag(c.summary.trainingLag); }},
        {"", "joins, leaves", [](Case& c) { return c.summary.changes; }},
        {"", "replans", [](Case& c) { return c.summary.replans; }},
        {"", "moved/change", [](Case& c) { return c.summary.movedPerChange; }, FormatShort},
        {"", "planning messages", [](Case& c) { return c.summary.planMessages; }},
        {"", "met", [](Case& c) { return c.summary.meetingMessages; }},
        {"", "takes (ms)", [](Case& c) { return c.summary.meetingSeconds; }, FormatMs},
        {"", "sent", [](Case& c) { return c.summary.sentMessages; }},
        {"", "decision (us)", [](Case& c) { return c.summary.decisionSeconds; }, FormatUs},
    });
    for (const auto& one : m_cases)
    {
        if (one.refusal.empty())
        {
            plans.Add(one);
        }
    }
    plans.GetShown().Print(std::cout);
    std::cout
        << "reduction: of the response, summed over the actors, against all layers on the actor "
           "(eq. 6); variances: over the actors\n"
           "lag: versions by which parameters of actors' and server's layers, and of steps "
           "trained with, were behind, mean / largest\n"
           "replans: decisions on links and loads; moved/change: other actors whose cut a join, "
           "leave or replan changed\n"
           "planning messages: of actors that decide together; met: how many of them were sent; "
           "takes: from what the server knew until it could tell actors, mean\n"
           "sent: joins, leaves, reports, cuts and answers; joins count the first ones\n";
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

std::string
ActorLearnerStudy::Write(ResultsFolder& folder) const
{
    using Case = const ActorLearnerCase;
    const auto& in = m_inputs.run;
    const std::size_t all = in.model.layerFlop.size();
    using Step = const StepRecord;
    Sheet<ActorLearnerCase, StepRecord> steps({
        {"planner", &ActorLearnerCase::planner},
        {"actor", [&](Step& s) { return in.actors[s.actor].name; }},
        {"step", &StepRecord::step},
        {"cut", &StepRecord::cut},
        {"begunSeconds", &StepRecord::begun},
        {"observedSeconds", &StepRecord::observed},
        {"computedSeconds", &StepRecord::computed},
        {"uploadedSeconds", [=](Step& s) { return When(s.cut < all, s.uploaded); }},
        {"servedSeconds", [=](Step& s) { return When(s.cut < all, s.served); }},
        {"endedSeconds", &StepRecord::ended},
        {"responseSeconds", [](Step& s) { return s.ended - s.observed; }},
        {"actorVersion", [](Step& s) { return When(s.cut > 0, s.actorVersion); }},
        {"serverVersion", [=](Step& s) { return When(s.cut < all, s.serverVersion); }},
        {"newestVersion", &StepRecord::newestVersion},
    });
    // The server's use by span of time.
    const double span = in.span.GetSeconds();
    const auto use = [](auto get) {
        return [get](Case& c, std::size_t i) { return get(c.result.spans[i]); };
    };
    using Use = const ServerUsage;
    Sheet<ActorLearnerCase, std::size_t> usage({
        {"planner", &ActorLearnerCase::planner},
        {"fromSeconds", [=](std::size_t i) { return i * span; }},
        {"inferenceShare", use([=](Use& u) { return u.inferenceSeconds / span; })},
        {"trainingShare", use([=](Use& u) { return u.trainingSeconds / span; })},
        {"tensorBytes", use([](Use& u) { return u.tensorBytes; })},
        {"trajectoryBytes", use([](Use& u) { return u.trajectoryBytes; })},
        {"actionBytes", use([](Use& u) { return u.actionBytes; })},
        {"parameterBytes", use([](Use& u) { return u.parameterBytes; })},
        {"controlBytes", use([](Use& u) { return u.controlBytes; })},
        {"meetingBytes", use([](Use& u) { return u.meetingBytes; })},
        {"probeBytes", use([](Use& u) { return u.probeBytes; })},
        {"servedRequests", use([](Use& u) { return u.requests; })},
    });
    using Change = const PlanChangeRecord;
    Sheet<ActorLearnerCase, PlanChangeRecord> changes({
        {"planner", &ActorLearnerCase::planner},
        {"seconds", &PlanChangeRecord::time},
        {"inForceSeconds", &PlanChangeRecord::inForce},
        {"actor",
         [&](Change& change) {
             return change.kind == PlanChangeRecord::SERVER ? in.serverName
                                                            : in.actors[change.actor].name;
         }},
        {"change",
         [](Change& change) {
             return std::array{"join", "leave", "report", "server"}[change.kind];
         }},
        {"reports", [](Change& change) { return change.told.size(); }},
        {"share", [](Change& change) { return When(!change.told.empty(), Front(change).share); }},
        {"bytesPerSecond",
         [](Change& change) { return When(!change.told.empty(), Front(change).bytesPerSecond); }},
        {"serverShare", &PlanChangeRecord::serverShare},
        {"actors", &PlanChangeRecord::actors},
        {"moved", &PlanChangeRecord::moved},
        {"messages", &PlanChangeRecord::messages},
        {"totalReductionSeconds", &PlanChangeRecord::totalReductionSeconds},
        {"cutVariance", &PlanChangeRecord::cutVariance},
        {"reductionVariance", &PlanChangeRecord::reductionVariance},
        {"usedFlop", [](Change& change) { return change.used.flop; }},
        {"budgetFlop", [](Change& change) { return change.limits.flop; }},
        {"usedBytes", [](Change& change) { return change.used.bytes; }},
        {"budgetBytes", [](Change& change) { return change.limits.bytes; }},
    });
    nlohmann::ordered_json more;
    more["serverFlopPerSecond"] = in.model.serverFlopPerSecond;
    more["updateSeconds"] = in.updateSeconds;
    for (auto one : m_cases)
    {
        steps.AddEach(one, one.result.steps);
        // After the duration no step begins, and spans end with the last use.
        one.result.spans.resize(in.duration.GetTimeStep() / in.span.GetTimeStep());
        for (std::size_t i = 0; i < one.result.spans.size(); ++i)
        {
            usage.Add(one, i);
        }
        changes.AddEach(one, one.result.changes);
        nlohmann::ordered_json entry{{"planner", one.planner},
                                     {"status", GetActorLearnerStatus(one)}};
        // Of a planner that found no plan nothing was simulated: no zeros that nobody measured.
        const auto add = [&](const char* name, const auto& value) {
            entry[name] = one.refusal.empty() ? nlohmann::ordered_json(value) : nullptr;
        };
        add("begunSteps", one.result.begun);
        add("endedSteps", one.result.steps.size());
        add("servedRequests", one.result.served);
        add("movedBytes", one.result.bytesMoved);
        add("decisionSeconds", one.result.decisionSeconds);
        add("simulatedSeconds", one.result.end.GetSeconds());
        add("waits", one.result.waits);
        entry["refusal"] = one.refusal;
        entry["diagnosis"] = one.result.diagnosis;
        for (const auto& link : one.result.links)
        {
            entry["links"][link.name] = link.bytes;
        }
        more["cases"].push_back(entry);
    }
    const MultiActorProblem& problem = m_cases.front().result.problem;
    if (!problem.actors.empty())
    {
        folder.Write("problem.json", FormatProblem(problem));
    }
    folder.Write("results.csv", AddRunColumns(MakeResults().GetFile(), &m_inputs.run.network));
    folder.Write("usage.csv", usage.GetFile());
    folder.Write("steps.csv", steps.GetFile());
    folder.Write("changes.csv", changes.GetFile());
    folder.Write("run.json", FormatRunFile(m_options, m_inputs.files.costs, more));
    return "results.csv (figures), usage.csv (server and links over time), steps.csv, changes.csv\n"
           "  (joins, leaves and replans), run.json";
}

} // namespace edgepipe
} // namespace ns3
