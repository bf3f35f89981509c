/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/scalability-study.h"

#include "lib/child-process.h"
#include "lib/count-list.h"
#include "lib/progress.h"

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-link-type.h"
#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-planner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

namespace ns3
{
namespace edgepipe
{

namespace
{

using nlohmann::json;
using Clock = std::chrono::steady_clock;

/// Most devices of a case at flow level: some GB of memory.
constexpr uint32_t MAX_DEVICES = 1000000;
/// Most devices of a case at packet level: some seconds to build.
constexpr uint32_t MAX_PACKET_DEVICES = 10000;
/// Most devices of a chain at packet level: ns-3's routes along it take a minute.
constexpr uint32_t MAX_PACKET_CHAIN = 1000;

/**
 * @param start a time
 * @return wall-clock seconds since then
 */
double
GetSecondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

} // namespace

bool
ScalabilityCase::IsFinished() const
{
    return status == "finished";
}

Cluster
MakeSite(const Cluster& cluster, uint32_t count)
{
    Cluster site = cluster;
    site.devices.clear();
    for (uint32_t i = 0; i < count; ++i)
    {
        site.devices.push_back(cluster.devices[i % cluster.devices.size()]);
        const std::size_t turn = i / cluster.devices.size();
        site.devices.back().name += turn > 0 ? "." + std::to_string(turn) : "";
    }
    return site;
}

std::vector<std::string>
NameDevices(const Cluster& site, uint32_t pipelines)
{
    std::vector<std::string> names;
    names.reserve(site.devices.size() * pipelines);
    for (uint32_t i = 0; i < pipelines; ++i)
    {
        const std::string prefix = i > 0 ? "site-" + std::to_string(i) + "/" : "";
        for (const auto& device : site.devices)
        {
            names.push_back(prefix + device.name);
        }
    }
    return names;
}

uint32_t
FindOutgrowth(const std::vector<ScalabilityCase>& cases)
{
    uint32_t from = 0;
    double count = 0;
    double sumX = 0;
    double sumY = 0;
    double sumXx = 0;
    double sumXy = 0;
    for (const auto& one : cases)
    {
        if (!one.IsFinished() || one.decisionSeconds <= 0 || one.simulationSeconds <= 0)
        {
            continue;
        }
        const double x = std::log(one.devices);
        const double y = std::log(one.decisionSeconds / one.simulationSeconds);
        from = y <= 0 ? 0 : from > 0 ? from : one.devices;
        count += 1;
        sumX += x;
        sumY += y;
        sumXx += x * x;
        sumXy += x * y;
    }
    // The slope's sign is that of the covariance.
    return count * sumXy > sumX * sumY && count * sumXx > sumX * sumX ? from : 0;
}

void
ScalabilityStudy::AddOptions(ScenarioOptions& options)
{
    TrainingInputs::AddOptions(options);
    options.Add("devices",
                "of each site, such as 4,16 or 2,4,...,10000: the cluster's, repeated in turn",
                "2,4,...,64");
    options.Add("pipelines",
                "sites side by side on one network, each training the model on its own devices, "
                "such as 1,2,4 or 1,2,...,64",
                "1");
}

ScalabilityStudy::ScalabilityStudy(const ScenarioOptions& options)
    : m_inputs(options),
      m_devices(GetCounts(options, "devices", MAX_DEVICES)),
      m_pipelines(GetCounts(options, "pipelines", MAX_DEVICES))
{
    // The devices of the smallest case are in every case.
    const Cluster smallest = MakeSite(m_inputs.cluster, m_devices.front());
    m_inputs.CheckNetwork(NameDevices(smallest, m_pipelines.front()));
    const NetworkOptions& network = m_inputs.training.network;
    const uint32_t most = network.fidelity != "packet"                      ? MAX_DEVICES
                          : FindLinkType(network)->GetTraits().isForwarding ? MAX_PACKET_CHAIN
                                                                            : MAX_PACKET_DEVICES;
    if (static_cast<uint64_t>(m_devices.back()) * m_pipelines.back() > most)
    {
        options.Refuse(m_pipelines.back() > 1 ? "pipelines" : "devices",
                       "at most " + std::to_string(most) + " devices in all (" + network.link +
                           " at " + network.fidelity + " level), not " +
                           std::to_string(m_pipelines.back()) + " x " +
                           std::to_string(m_devices.back()));
    }
    const uint32_t probed = std::max(m_devices.front(), std::min(2U, m_devices.back()));
    m_bandwidth = m_inputs.FindPlannerBandwidth(NameDevices(MakeSite(m_inputs.cluster, probed), 1));
    m_inputs.training.details = false;
}

void
ScalabilityStudy::Run()
{
    Progress progress;
    // Cases with twice the devices take about twice the time.
    double all = 0;
    for (const uint32_t devices : m_devices)
    {
        for (const uint32_t pipelines : m_pipelines)
        {
            all += 1.0 * devices * pipelines * m_inputs.planners.size();
        }
    }
    double done = 0;
    std::string firstReason;
    for (const auto& planner : m_inputs.planners)
    {
        for (const uint32_t devices : m_devices)
        {
            const Cluster site = MakeSite(m_inputs.cluster, devices);
            const std::string what = planner + ", " + std::to_string(devices) + " devices: ";
            progress.Update(done / all, what + "planning");
            ScalabilityCase planned{planner, devices, 0, "", {}};
            const PipelinePlan plan = Plan(site, planned);
            for (const uint32_t pipelines : m_pipelines)
            {
                ScalabilityCase one = planned;
                one.pipelines = pipelines;
                const double share = 1.0 * devices * pipelines;
                if (!plan.stages.empty())
                {
                    Simulate(
                        site,
                        plan,
                        [&](double part) {
                            progress.Update((done + part * share) / all, what + "simulating");
                        },
                        one);
                }
                done += share;
                progress.Update(done / all, what + "done");
                m_cases.push_back(std::move(one));
            }
        }
    }
    const bool isAnyPlanned = std::any_of(m_cases.begin(), m_cases.end(), [](const auto& one) {
        return one.status != "no-plan";
    });
    if (!isAnyPlanned)
    {
        throw InputError(m_cases.front().reasons.front());
    }
}

PipelinePlan
ScalabilityStudy::Plan(const Cluster& site, ScalabilityCase& one) const
{
    const auto report = RunInChild([&] {
        const PipelineProblem problem = m_inputs.BuildProblem(site, m_bandwidth);
        const auto planner = FindByName<PipelinePlanner>("--planner", one.planner);
        json found;
        const auto start = Clock::now();
        try
        {
            const PipelinePlan plan = planner->Plan(problem);
            found["decisionSeconds"] = planner->GetDecisionSeconds();
            found["predictedSeconds"] = PipelineCostModel(problem).IterationSeconds(plan);
            for (const auto& stage : plan.stages)
            {
                found["stages"].push_back({stage.device, stage.firstLayer, stage.lastLayer});
            }
        }
        catch (const InputError& error)
        {
            found["decisionSeconds"] = GetSecondsSince(start);
            found["reason"] = error.what();
        }
        return found.dump(-1, ' ', false, json::error_handler_t::replace);
    });
    const json found = json::parse(report.text);
    one.planningMemoryBytes = report.peakMemoryBytes;
    one.decisionSeconds = found["decisionSeconds"];
    PipelinePlan plan;
    if (found.count("reason"))
    {
        one.status = "no-plan";
        one.reasons = {found["reason"]};
        return plan;
    }
    one.predictedSeconds = found["predictedSeconds"];
    one.stages = found["stages"].size();
    for (const auto& stage : found["stages"])
    {
        plan.stages.push_back({stage[0], stage[1], stage[2]});
    }
    return plan;
}

void
ScalabilityStudy::Simulate(const Cluster& site,
                           const PipelinePlan& plan,
                           const std::function<void(double)>& progress,
                           ScalabilityCase& one) const
{
    const auto report = RunInChild([&] {
        const PipelineProblem problem = m_inputs.BuildProblem(site, m_bandwidth);
        const auto names = NameDevices(site, one.pipelines);
        std::vector<PipelineOnNetwork> pipelines;
        for (uint32_t i = 0; i < one.pipelines; ++i)
        {
            pipelines.push_back({&problem, &plan, i * one.devices});
        }
        const auto start = Clock::now();
        const auto result = RunSideBySide(pipelines, names, m_inputs.training, progress);
        const double seconds = GetSecondsSince(start);
        bool isFinished = true;
        double iteration = 0;
        double samples = 0;
        double bubbles = 0;
        for (const auto& outcome : result.pipelines)
        {
            const double mean = outcome.GetMeanIterationSeconds();
            isFinished &= outcome.finished;
            iteration += mean / one.pipelines;
            bubbles += outcome.GetMeanBubbleRate() / one.pipelines;
            // Work that takes no time has no throughput to speak of.
            samples += mean > 0 ? 1.0 * m_inputs.microBatches * m_inputs.microBatchSize / mean : 0;
        }
        json found{{"finished", isFinished},
                   {"diagnosis", result.diagnosis},
                   {"movedBytes", result.bytesMoved},
                   {"transfers", result.transfers},
                   {"events", result.events},
                   {"simulatedSeconds", result.end.GetSeconds()},
                   {"simulationSeconds", seconds}};
        if (isFinished)
        {
            found["iterationSeconds"] = iteration;
            found["samplesPerSecond"] = samples;
            found["bubbleRate"] = bubbles;
        }
        return found.dump(-1, ' ', false, json::error_handler_t::replace);
    });
    const json found = json::parse(report.text);
    one.simulationMemoryBytes = report.peakMemoryBytes;
    one.status = found["finished"] ? "finished" : "stalled";
    one.reasons = found["diagnosis"].get<std::vector<std::string>>();
    one.movedBytes = found["movedBytes"];
    one.transfers = found["transfers"];
    one.events = found["events"];
    one.simulatedSeconds = found["simulatedSeconds"];
    one.simulationSeconds = found["simulationSeconds"];
    one.iterationSeconds = found.value("iterationSeconds", 0.0);
    one.samplesPerSecond = found.value("samplesPerSecond", 0.0);
    one.bubbleRate = found.value("bubbleRate", 0.0);
}

double
ScalabilityStudy::GetEfficiency(const ScalabilityCase& one, bool isStrong) const
{
    if (!one.IsFinished())
    {
        return 0;
    }
    for (const auto& base : m_cases)
    {
        const bool isRow = isStrong ? base.pipelines == one.pipelines : base.devices == one.devices;
        if (isRow && base.planner == one.planner && base.IsFinished())
        {
            const double units =
                isStrong ? 1.0 * one.devices / base.devices : 1.0 * one.pipelines / base.pipelines;
            return base.samplesPerSecond > 0 ? one.samplesPerSecond / base.samplesPerSecond / units
                                             : 0;
        }
    }
    return 0;
}

std::vector<ScalabilityCase>
ScalabilityStudy::Select(const std::string& planner, uint32_t pipelines) const
{
    std::vector<ScalabilityCase> cases;
    std::copy_if(m_cases.begin(), m_cases.end(), std::back_inserter(cases), [&](const auto& one) {
        return one.planner == planner && one.pipelines == pipelines;
    });
    return cases;
}

int
ScalabilityStudy::GetStatus() const
{
    const bool isAnyStalled = std::any_of(m_cases.begin(), m_cases.end(), [](const auto& one) {
        return one.status == "stalled";
    });
    return isAnyStalled ? 3 : 0;
}

} // namespace edgepipe
} // namespace ns3
