/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workloads/actor-learner-workload.h"

#include "ns3/edgepipe-multi-actor-problem-json.h"

#include <array>

namespace ns3::edgepipe
{

namespace
{

/**
 * @param lag of some layers
 * @return mean and largest, as text
 */
std::string
FormatLag(const PolicyLag& lag)
{
    return lag.steps == 0 ? "-" : Table::Rounded(lag.mean, 3) + " / " + std::to_string(lag.most);
}

} // namespace

Sheet<ActorLearnerCase>
ActorLearnerWorkload::MakeResults() const
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
    const auto last = [=](double PlanChangeRecord::*figure) {
        return all([=](Summary& s) { return s.last.*figure; });
    };
    const auto whole = [=](uint64_t ServerUsage::*figure) {
        return all([=](Summary& s) { return s.whole.*figure; });
    };
    // Figures of a stalled case are not printed.
    const auto isFair = [](Case& c) { return c.isFinished; };
    using S = ActorLearnerSummary;
    const auto& in = m_setting;
    return MakeSheet<ActorLearnerCase>(
        {
            {"planner", "planner", &ActorLearnerCase::planner},
            {"status", &CaseOutcome::GetStatus},
            {"model", m_graph.name},
            {"actorType", m_options->GetString("actor")},
            {"serverType", m_server.name},
            {"actors", in.actors.size()},
            {"link", m_network.link},
            {"fidelity", m_network.fidelity},
            {"requests", all(&S::requests)},
            {"requestsPerSecond", measured(&S::requestsPerSecond)},
            {"",
             "requests/s",
             [=](Case& c) {
                 return c.isFinished ? measured(&S::requestsPerSecond)(c) : Cell(c.GetStatus());
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
            {"totalReductionSeconds", last(&PlanChangeRecord::totalReductionSeconds)},
            {"cutVariance", last(&PlanChangeRecord::cutVariance)},
            {"reductionVariance", last(&PlanChangeRecord::reductionVariance)},
            {"changes", all(&S::changes)},
            {"replans", all(&S::replans)},
            {"movedPerChange", all(&S::movedPerChange)},
            {"planMessages", all(&S::planMessages)},
            {"meetingMessages", whole(&ServerUsage::meetingMessages)},
            {"meetingBytes", whole(&ServerUsage::meetingBytes)},
            {"meetingSeconds", all(&S::meetingSeconds)},
            {"probeBytes", whole(&ServerUsage::probeBytes)},
            {"sentMessages", whole(&ServerUsage::controlMessages)},
            {"stepsTakenIn", run([](Case& c) { return c.takenIn; })},
            {"updates", run([](Case& c) { return c.updates.size(); })},
        },
        m_cases,
        MakeFailureColumns());
}

void
ActorLearnerWorkload::PrintHeading() const
{
    const auto& run = m_setting;
    const auto& model = run.model;
    std::cout << m_graph.name << " (" << model.layerFlop.size() << " layers, "
              << Table::Rounded(Sum(model.layerFlop) / 1e6) << " MFLOP, input "
              << Table::Bytes(model.outputBytes.front()) << "), "
              << FormatCount(run.actors.size(), "actor", "actors") << " and a server ("
              << m_server.name << "), " << DescribeLink(m_network) << " at " << m_network.fidelity
              << " level, " << Table::Rounded(run.duration.GetSeconds()) << " s\n";
    PrintLayerCosts(m_costs);
    std::cout << "speeds by these costs (eq. 5 of the Coknight paper): server "
              << Table::Rounded(model.serverFlopPerSecond / 1e9) << " GFLOP/s";
    for (const auto& [type, speed] : m_speeds)
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
              << (m_mostBatch > 1
                      ? "up to " + std::to_string(m_mostBatch) + " requests that wait together"
                      : "one request at a time")
              << ", and trains between them\n\n";
}

void
ActorLearnerWorkload::Print() const
{
    PrintHeading();
    MakeResults().GetShown().Print(std::cout);
    std::cout << "inference, training: shares of the server's processor; up, down: payload; Jain: "
                 "index of the actors' requests/s, 1 if all have the same\n";
    const Time measured = m_setting.duration - m_warmUp;
    for (const auto& one : m_cases)
    {
        if (!one.isFinished || one.summary.IsMeasured())
        {
            continue;
        }
        std::cout << one.planner << ": no request ended in the measured "
                  << Table::Rounded(measured.GetSeconds()) << " s";
        const char* before = "; at its end ";
        for (const auto& [wait, actors] : one.waits)
        {
            std::cout << before << actors << " of "
                      << FormatCount(m_setting.actors.size(), "actor", "actors") << ": " << wait;
            before = ", ";
        }
        std::cout << "\n";
    }
    Comparison compared{FormatMs, " ms"};
    for (const auto& one : m_cases)
    {
        if (one.refusal.empty() && one.isFinished && one.summary.IsMeasured())
        {
            compared.cases.push_back(
                {one.planner, one.summary.predictedSeconds, one.summary.meanSeconds, 0});
        }
    }
    NoteOrder();
    Note(compared.DescribeDistance(
        ListUnknown(m_setting.loads,
                    {{m_setting.actors.size() > 1, "other actors on the server and its links"},
                     {true, "trajectories and parameters on the same links"},
                     {m_batchSteps > 0, "the learner's updates"},
                     {m_setting.monitor == "probe", "probes"}})));
    Note(compared.DescribeReferences({"all-local", "all-server"}));
    for (const auto& one : m_cases)
    {
        Note(DescribeBeliefs(one.planner, "decision", one.beliefs));
    }
    PrintPlans();
    for (const auto& one : m_cases)
    {
        if (!one.refusal.empty())
        {
            std::cerr << m_options->GetName() << ": " << one.refusal << "\n";
        }
    }
}

void
ActorLearnerWorkload::PrintPlans() const
{
    using Case = const ActorLearnerCase;
    std::cout << "\nplans (reductions and variances after the last decision):\n";
    Sheet<ActorLearnerCase> plans({
        {"", "planner", &ActorLearnerCase::planner},
        {"",
         "reduction (ms)",
         [](Case& c) { return c.summary.last.totalReductionSeconds; },
         FormatMs},
        {"", "var. cuts", [](Case& c) { return c.summary.last.cutVariance; }, FormatRounded},
        {"",
         "var. reductions (ms^2)",
         [](Case& c) { return 1e6 * c.summary.last.reductionVariance; },
         FormatRounded},
        {"", "lag actor", [](Case& c) { return FormatLag(c.summary.actorLag); }},
        {"", "lag server", [](Case& c) { return FormatLag(c.summary.serverLag); }},
        {"", "lag training", [](Case& c) { return FormatLag(c.summary.trainingLag); }},
        {"", "joins, leaves", [](Case& c) { return c.summary.changes; }},
        {"", "replans", [](Case& c) { return c.summary.replans; }},
        {"", "moved/change", [](Case& c) { return c.summary.movedPerChange; }, FormatShort},
        {"", "planning messages", [](Case& c) { return c.summary.planMessages; }},
        {"", "met", [](Case& c) { return c.summary.whole.meetingMessages; }},
        {"", "takes (ms)", [](Case& c) { return c.summary.meetingSeconds; }, FormatMs},
        {"", "sent", [](Case& c) { return c.summary.whole.controlMessages; }},
        {"",
         "decision (us)",
         [](Case& c) { return When(c.times.later > 0, c.times.GetMean()); },
         FormatUs},
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
           "(eq. 6); variances: over the actors\nlag: versions by which parameters of actors' and "
           "server's layers, and of steps trained with, were behind, mean / largest\nreplans: "
           "decisions on links and loads; moved/change: other actors whose cut a join, leave or "
           "replan changed\nplanning messages: of actors that decide together; met: how many of "
           "them were sent; takes: from what the server knew until it could tell actors, "
           "mean\nsent: joins, leaves, reports, cuts and answers; joins count the first ones\n";
}

std::string
ActorLearnerWorkload::Write(ResultsFolder& folder) const
{
    const auto& in = m_setting;
    nlohmann::ordered_json more;
    more["serverFlopPerSecond"] = in.model.serverFlopPerSecond;
    more["updateSeconds"] = m_updateSeconds;
    for (const auto& one : m_cases)
    {
        nlohmann::ordered_json entry{{"planner", one.planner}, {"status", one.GetStatus()}};
        // Without a plan nothing was simulated: null, not 0.
        const auto add = [&](const char* name, const auto& value) {
            entry[name] = one.refusal.empty() ? nlohmann::ordered_json(value) : nullptr;
        };
        add("begunSteps", one.begun);
        add("endedSteps", one.steps.size());
        add("servedRequests", one.served);
        add("movedBytes", one.bytesMoved);
        add("decisionSeconds", one.times.total);
        add("startSeconds", one.times.start);
        add("simulatedSeconds", one.end.GetSeconds());
        add("waits", one.waits);
        entry["refusal"] = one.refusal;
        entry["diagnosis"] = one.diagnosis;
        for (const auto& link : one.links)
        {
            entry["links"][link.name] = link.bytes;
        }
        more["cases"].push_back(entry);
    }
    const MultiActorProblem& problem = m_cases.front().problem;
    if (!problem.actors.empty())
    {
        folder.Write("problem.json", FormatProblem(problem));
    }
    WriteRun(folder, MakeResults().GetFile(), std::move(more));
    using Case = const ActorLearnerCase;
    const double span = in.span.GetSeconds();
    // Spans end with the last usage; others up to the duration have none.
    const auto use = [](auto get) {
        return [get](Case& c, std::size_t i) {
            return std::invoke(get, i < c.spans.size() ? c.spans[i] : ServerUsage());
        };
    };
    const auto share = [span](double ServerUsage::*seconds) {
        return [=](const ServerUsage& usage) { return usage.*seconds / span; };
    };
    WriteParts<std::size_t>(
        folder,
        "usage.csv",
        [&in](Case&) { return CountUp(in.duration.GetTimeStep() / in.span.GetTimeStep()); },
        {{"fromSeconds", [span](std::size_t i) { return i * span; }},
         {"inferenceShare", use(share(&ServerUsage::inferenceSeconds))},
         {"trainingShare", use(share(&ServerUsage::trainingSeconds))},
         {"tensorBytes", use(&ServerUsage::tensorBytes)},
         {"trajectoryBytes", use(&ServerUsage::trajectoryBytes)},
         {"actionBytes", use(&ServerUsage::actionBytes)},
         {"parameterBytes", use(&ServerUsage::parameterBytes)},
         {"controlBytes", use(&ServerUsage::controlBytes)},
         {"meetingBytes", use(&ServerUsage::meetingBytes)},
         {"probeBytes", use(&ServerUsage::probeBytes)},
         {"servedRequests", use(&ServerUsage::requests)}});
    using Step = const StepRecord;
    const auto ifServed = [all = in.model.layerFlop.size()](auto StepRecord::*member) {
        return [=](Step& s) { return When(s.cut < all, s.*member); };
    };
    WriteParts<StepRecord>(
        folder,
        "steps.csv",
        &ActorLearnerCase::steps,
        {{"actor", [&in](Step& s) { return in.actors[s.actor].name; }},
         {"step", &StepRecord::step},
         {"cut", &StepRecord::cut},
         {"begunSeconds", &StepRecord::begun},
         {"observedSeconds", &StepRecord::observed},
         {"computedSeconds", &StepRecord::computed},
         {"uploadedSeconds", ifServed(&StepRecord::uploaded)},
         {"servedSeconds", ifServed(&StepRecord::served)},
         {"endedSeconds", &StepRecord::ended},
         {"responseSeconds", [](Step& s) { return s.ended - s.observed; }},
         {"actorVersion", [](Step& s) { return When(s.cut > 0, s.actorVersion); }},
         {"serverVersion", ifServed(&StepRecord::serverVersion)},
         {"newestVersion", &StepRecord::newestVersion}});
    using Change = const PlanChangeRecord;
    const auto told = [](double ActorTold::*member) {
        return [=](Change& c) { return c.told.empty() ? Cell() : Cell(c.told.front().*member); };
    };
    WriteParts<PlanChangeRecord>(
        folder,
        "changes.csv",
        &ActorLearnerCase::changes,
        {{"seconds", &PlanChangeRecord::time},
         {"inForceSeconds", &PlanChangeRecord::inForce},
         {"actor",
          [&in](Change& c) {
              return c.kind == PlanChangeRecord::SERVER ? in.serverName : in.actors[c.actor].name;
          }},
         {"change",
          [](Change& c) {
              return std::array{"join", "leave", "report", "server"}[c.kind];
          }},
         {"reports", [](Change& c) { return c.told.size(); }},
         {"share", told(&ActorTold::share)},
         {"bytesPerSecond", told(&ActorTold::bytesPerSecond)},
         {"serverShare", &PlanChangeRecord::serverShare},
         {"actors", &PlanChangeRecord::actors},
         {"moved", &PlanChangeRecord::moved},
         {"messages", &PlanChangeRecord::messages},
         {"totalReductionSeconds", &PlanChangeRecord::totalReductionSeconds},
         {"cutVariance", &PlanChangeRecord::cutVariance},
         {"reductionVariance", &PlanChangeRecord::reductionVariance},
         {"usedFlop", [](Change& c) { return c.used.flop; }},
         {"budgetFlop", [](Change& c) { return c.limits.flop; }},
         {"usedBytes", [](Change& c) { return c.used.bytes; }},
         {"budgetBytes", [](Change& c) { return c.limits.bytes; }}});
    return "results.csv (figures), usage.csv (server and links over time), steps.csv, changes.csv\n"
           "  (joins, leaves and replans), run.json";
}

} // namespace ns3::edgepipe
