/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workloads/actor-learner-workload.h"

#include "ns3/edgepipe-problem-json.h"

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

void
ActorLearnerWorkload::Fill(const ActorLearnerCase& c, CellTable& row) const
{
    const ActorLearnerSummary& s = c.summary;
    const ServerUsage& u = s.usage;
    // A planner that found no plan has no figures; figures of a stalled case are not printed.
    const auto run = [&](const auto& figure) { return When(c.refusal.empty(), figure); };
    const auto measured = [&](double figure) {
        return When(c.refusal.empty() && s.IsMeasured(), figure);
    };
    const auto lag = [&](const PolicyLag& of, double figure) {
        return When(c.refusal.empty() && of.steps > 0, figure);
    };
    const bool isFair = c.isFinished;
    row.Add("planner", c.planner, "planner");
    row.Add("status", c.GetStatus());
    row.Add("model", m_graph.name);
    row.Add("actorType", m_options->GetString("actor"));
    row.Add("serverType", m_server.name);
    row.Add("actors", m_setting.actors.size());
    row.Add("link", m_network.GetLinkName());
    row.Add("fidelity", m_network.fidelity);
    row.Add("requests", run(s.requests));
    const Cell perSecond = measured(s.requestsPerSecond);
    row.Add("requestsPerSecond", perSecond);
    row.Add("", isFair ? perSecond : Cell(c.GetStatus()), "requests/s", FormatRounded);
    row.Add("meanResponseSeconds", measured(s.meanSeconds), "mean (ms)", FormatMs, isFair);
    row.Add("medianResponseSeconds", measured(s.medianSeconds), "median (ms)", FormatMs, isFair);
    row.Add("p95ResponseSeconds", measured(s.p95Seconds), "p95 (ms)", FormatMs, isFair);
    row.Add("p99ResponseSeconds", measured(s.p99Seconds), "p99 (ms)", FormatMs, isFair);
    row.Add("predictedResponseSeconds", measured(s.predictedSeconds));
    row.Add("profileResponseSeconds", measured(s.profileSeconds), "profile (ms)", FormatMs, isFair);
    row.Add("eq5ResponseSeconds", measured(s.eq5Seconds), "eq. 5 (ms)", FormatMs, isFair);
    row.Add("queueSeconds", measured(s.queueSeconds), "queue (ms)", FormatMs, isFair);
    row.Add("inferenceShare", run(s.inferenceShare), "inference", FormatPercent, isFair);
    row.Add("trainingShare", run(s.trainingShare), "training", FormatPercent, isFair);
    row.Add("uplinkBytesPerSecond", run(s.uplinkBytesPerSecond), "up/s", FormatBytes, isFair);
    row.Add("downlinkBytesPerSecond", run(s.downlinkBytesPerSecond), "down/s", FormatBytes, isFair);
    row.Add("tensorBytes", run(u.tensorBytes));
    row.Add("trajectoryBytes", run(u.trajectoryBytes));
    row.Add("actionBytes", run(u.actionBytes));
    row.Add("parameterBytes", run(u.parameterBytes));
    row.Add("jainIndex", measured(s.fairness), "Jain", FormatRounded, isFair);
    row.Add("actorLagMean", lag(s.actorLag, s.actorLag.mean));
    row.Add("actorLagMost", lag(s.actorLag, s.actorLag.most));
    row.Add("serverLagMean", lag(s.serverLag, s.serverLag.mean));
    row.Add("serverLagMost", lag(s.serverLag, s.serverLag.most));
    row.Add("trainingLagMean", lag(s.trainingLag, s.trainingLag.mean));
    row.Add("trainingLagMost", lag(s.trainingLag, s.trainingLag.most));
    row.Add("totalReductionSeconds", run(s.last.totalReductionSeconds));
    row.Add("cutVariance", run(s.last.cutVariance));
    row.Add("reductionVariance", run(s.last.reductionVariance));
    row.Add("changes", run(s.changes));
    row.Add("replans", run(s.replans));
    row.Add("movedPerChange", run(s.movedPerChange));
    row.Add("planMessages", run(s.planMessages));
    row.Add("meetingMessages", run(s.whole.meetingMessages));
    row.Add("meetingBytes", run(s.whole.meetingBytes));
    row.Add("meetingSeconds", run(s.meetingSeconds));
    row.Add("probeBytes", run(s.whole.probeBytes));
    row.Add("sentMessages", run(s.whole.controlMessages));
    row.Add("stepsTakenIn", run(c.takenIn));
    row.Add("updates", run(c.updates.size()));
    AddFailures(c, row);
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
              << "profile, eq. 5: eq. 6 of that paper, response of the same cuts at the rates "
                 "believed then, if nobody waits, no bound where a link has more, without the "
                 "link's latency, headers and queues and the start-up of its transport, by what "
                 "each layer takes and by these speeds; planners believe "
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
    std::cout << "\nplans (reductions and variances after the last decision):\n";
    CellTable plans;
    for (const auto& c : m_cases)
    {
        const ActorLearnerSummary& s = c.summary;
        if (!c.refusal.empty())
        {
            continue;
        }
        plans.Begin();
        plans.Add("", c.planner, "planner");
        plans.Add("", s.last.totalReductionSeconds, "reduction (ms)", FormatMs);
        plans.Add("", s.last.cutVariance, "var. cuts", FormatRounded);
        plans.Add("", 1e6 * s.last.reductionVariance, "var. reductions (ms^2)", FormatRounded);
        plans.Add("", FormatLag(s.actorLag), "lag actor");
        plans.Add("", FormatLag(s.serverLag), "lag server");
        plans.Add("", FormatLag(s.trainingLag), "lag training");
        plans.Add("", s.changes, "joins, leaves");
        plans.Add("", s.replans, "replans");
        plans.Add("", s.movedPerChange, "moved/change", FormatShort);
        plans.Add("", s.planMessages, "planning messages");
        plans.Add("", s.whole.meetingMessages, "met");
        plans.Add("", s.meetingSeconds, "takes (ms)", FormatMs);
        plans.Add("", s.whole.controlMessages, "sent");
        plans.Add("", When(c.times.later > 0, c.times.GetMean()), "decision (us)", FormatUs);
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
        nlohmann::ordered_json::object_t links;
        for (const auto& link : one.links)
        {
            links.push_back({link.name, link.bytes}); // names differ, and operator[] would search
        }
        entry["links"] = links;
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
