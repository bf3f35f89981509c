/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/workload-scalability-study.h"

#include "studies/count-list.h"
#include "lib/traces-option.h"

#include "ns3/edgepipe-child-process.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Most devices of a case: some GB of memory.
constexpr uint32_t MOST_DEVICES = 100000;
/// Samples of each worker of data-parallel training in an iteration.
constexpr uint32_t WORKER_BATCH = 8;

} // namespace

bool
WorkloadScalabilityCase::IsFinished() const
{
    return status == "finished";
}

Cell
WorkloadScalabilityCase::GetMicrosecondsPerRequest() const
{
    return When(run.requests > 0, 1e6 * run.wallSeconds / run.requests);
}

WorkloadScalabilityStudy::WorkloadScalabilityStudy(ScenarioOptions& o, const std::string& workload)
    : Experiment(o),
      m_workload(workload)
{
    o.Bind("workload=" + workload)
        .Help("what is swept: " + JoinWords(GetFidelityWorkloads()) +
              "; each has options of its own");
    const bool isCooperative = workload == "cooperative-inference";
    const bool isActorLearner = workload == "actor-learner";
    BindCounts(o, "devices=2,4,...,64", m_devices, MOST_DEVICES)
        .Help(std::string(isCooperative    ? "cameras that share a server"
                          : isActorLearner ? "actors that share a server"
                                           : "workers, of 8 samples each unless --case says "
                                             "base-batch") +
              ", such as 2,4,...,64 or 10,100,...,10000");
    o.Bind(std::string("planner=") + (isCooperative    ? "qdmp"
                                      : isActorLearner ? "defp"
                                                       : "bno"),
           m_planners)
        .Help("planners of " + workload + ", separated by commas");
    o.Bind("case=", m_case)
        .Help("further options of " + workload +
              " without their dashes, separated by blanks, such as \"link=wifi seed=1\"");
    o.Bind("fidelity=flow", m_fidelity, "flow", "packet")
        .Help("flow (transfers share links' rates) or packet (every packet of ns-3's TCP)");
    AddTracesOption(o);
    o.AddOut();
}

std::string
WorkloadScalabilityStudy::MakeText(const std::string& planner, uint32_t devices) const
{
    const std::string count = m_workload == "actor-learner" ? "actors" : "devices";
    const bool isTraining = m_workload == "data-parallel";
    const bool hasBatch = (" " + m_case).find(" base-batch=") != std::string::npos;
    return "workload=" + m_workload + " planner=" + planner + " " + count + "=" +
           std::to_string(devices) + " fidelity=" + m_fidelity +
           (isTraining && !hasBatch ? " base-batch=" + std::to_string(WORKER_BATCH * devices)
                                    : "") +
           " " + m_case;
}

void
WorkloadScalabilityStudy::Read()
{
    const std::string traces = FindTracesFolder(m_options);
    for (const auto& planner : m_planners)
    {
        try
        {
            m_link =
                FidelityCase::Make(MakeText(planner, m_devices.front()), traces)->GetNetwork().link;
        }
        catch (const InputError& error)
        {
            throw InputError("--case of " + m_workload + ": " + error.what());
        }
    }
}

void
WorkloadScalabilityStudy::Simulate()
{
    const std::string traces = FindTracesFolder(m_options);
    double all = 0;
    for (const uint32_t devices : m_devices)
    {
        all += 1.0 * devices * m_planners.size();
    }
    double done = 0;
    for (const auto& planner : m_planners)
    {
        for (const uint32_t devices : m_devices)
        {
            WorkloadScalabilityCase one{planner, devices, "refused", {}, {}};
            const auto follow =
                Follow(done, all, planner + ", " + std::to_string(devices) + " devices");
            done += devices;
            try
            {
                const auto report = ChildProcess::Run([&] {
                    const auto made = FidelityCase::Make(MakeText(planner, devices), traces);
                    const auto tell = [&](double part) { follow(part * devices); };
                    const FidelityRun run = made->Run(made->GetNetwork(), 1, tell);
                    return nlohmann::json{run.isFinished,
                                          run.seconds,
                                          run.perSecond,
                                          run.requests,
                                          run.bytesMoved,
                                          run.events,
                                          run.end.GetSeconds(),
                                          run.wallSeconds,
                                          run.decisionSeconds,
                                          run.diagnosis}
                        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
                });
                const auto found = nlohmann::json::parse(report.text);
                one.peakMemoryBytes = report.peakMemoryBytes;
                one.status = found[0] ? "finished" : "stalled";
                one.run.seconds = found[1];
                one.run.perSecond = found[2];
                one.run.requests = found[3];
                one.run.bytesMoved = found[4];
                one.run.events = found[5];
                one.run.end = Seconds(found[6]);
                one.run.wallSeconds = found[7];
                one.run.decisionSeconds = found[8];
                one.reasons = found[9].get<std::vector<std::string>>();
            }
            catch (const InputError& error)
            {
                one.reasons = {error.what()};
            }
            m_cases.push_back(std::move(one));
        }
    }
}

Cell
WorkloadScalabilityStudy::GetEfficiency(const WorkloadScalabilityCase& one) const
{
    const auto base = std::find_if(m_cases.begin(), m_cases.end(), [&](const auto& other) {
        return other.planner == one.planner && other.IsFinished();
    });
    const bool isKnown = one.IsFinished() && base->run.perSecond > 0;
    return When(isKnown,
                isKnown ? one.run.perSecond / one.devices / base->run.perSecond * base->devices
                        : 0.0);
}

Sheet<WorkloadScalabilityCase>
WorkloadScalabilityStudy::MakeResults() const
{
    using Case = const WorkloadScalabilityCase;
    const auto finished = [](auto FidelityRun::*figure) {
        return [figure](Case& c) { return When(c.IsFinished(), c.run.*figure); };
    };
    return MakeSheet<WorkloadScalabilityCase>(
        {
            {"workload", m_workload},
            {"planner", "planner", &WorkloadScalabilityCase::planner},
            {"devices", "devices", &WorkloadScalabilityCase::devices},
            {"pipelines", 1},
            {"case", m_case},
            {"link", m_link},
            {"fidelity", m_fidelity},
            {"status", "status", &WorkloadScalabilityCase::status},
            {"iterationSeconds",
             m_workload == "data-parallel" ? "iteration (s)" : "response (s)",
             finished(&FidelityRun::seconds),
             FormatRounded},
            {"samplesPerSecond",
             m_workload == "data-parallel" ? "samples/s" : "requests/s",
             finished(&FidelityRun::perSecond),
             FormatRounded},
            {"weakEfficiency",
             "weak eff.",
             [this](Case& c) { return GetEfficiency(c); },
             FormatPercent},
            {"requests", "requests", finished(&FidelityRun::requests)},
            {"movedBytes", "bytes moved", finished(&FidelityRun::bytesMoved), FormatBytes},
            {"events", finished(&FidelityRun::events)},
            {"simulatedSeconds", [](Case& c) { return When(c.IsFinished(), c.run.end); }},
            {"", "planning (s)", finished(&FidelityRun::decisionSeconds), FormatShort},
            {"", "simulation (s)", finished(&FidelityRun::wallSeconds), FormatShort},
            {"", "us/request", &WorkloadScalabilityCase::GetMicrosecondsPerRequest, FormatShort},
            {"",
             "peak memory",
             [](Case& c) { return When(c.IsFinished(), c.peakMemoryBytes); },
             FormatBytes},
        },
        m_cases);
}

void
WorkloadScalabilityStudy::Print() const
{
    std::cout << m_workload << ", "
              << (m_case.empty() ? "with its defaults (see " + m_workload + " --help)" : m_case)
              << ", over " << m_link << " at " << m_fidelity << " level\n\n";
    MakeResults().GetShown().Print(std::cout);
    std::cout
        << "weak eff.: throughput for each device, over that with the fewest; planning to peak "
           "memory: what the case cost on this machine\n";
    for (const auto& one : m_cases)
    {
        if (one.status == "refused")
        {
            std::cout << "\n"
                      << one.planner << ", " << FormatCount(one.devices, "device", "devices")
                      << ": " << one.reasons.front() << "\n";
        }
        else if (!one.IsFinished())
        {
            ReportStall(one.planner + ", " + FormatCount(one.devices, "device", "devices"),
                        one.run.end,
                        one.reasons);
        }
    }
}

std::string
WorkloadScalabilityStudy::Write(ResultsFolder& folder) const
{
    using Case = const WorkloadScalabilityCase;
    const auto finished = [](auto FidelityRun::*figure) {
        return [figure](Case& c) { return When(c.IsFinished(), c.run.*figure); };
    };
    const auto costs = MakeSheet<WorkloadScalabilityCase>(
        {
            {"planner", &WorkloadScalabilityCase::planner},
            {"devices", &WorkloadScalabilityCase::devices},
            {"pipelines", 1},
            {"decisionSeconds", finished(&FidelityRun::decisionSeconds)},
            {"simulationSeconds", finished(&FidelityRun::wallSeconds)},
            {"microsecondsPerRequest", &WorkloadScalabilityCase::GetMicrosecondsPerRequest},
            {"simulationPeakMemoryBytes",
             [](Case& c) { return When(c.IsFinished(), c.peakMemoryBytes); }},
        },
        m_cases);
    nlohmann::ordered_json run;
    for (const auto& one : m_cases)
    {
        run["cases"].push_back({{"planner", one.planner},
                                {"devices", one.devices},
                                {"status", one.status},
                                {"reasons", one.reasons}});
    }
    folder.Write("results.csv", AddRunColumns(MakeResults().GetFile()));
    folder.Write("costs.csv", costs.GetFile());
    folder.Write("run.json", FormatRunFile(m_options, {}, run));
    return "results.csv (a row per case), costs.csv (what the cases cost here), run.json";
}

} // namespace edgepipe
} // namespace ns3
