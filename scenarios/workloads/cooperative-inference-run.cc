/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "workloads/cooperative-inference-run.h"

#include "ns3/edgepipe-cooperative-inference-helper.h"
#include "ns3/edgepipe-topology.h"

namespace ns3::edgepipe
{

namespace
{

/**
 * @param network what both are in
 * @param device an end device
 * @param server its server
 * @return mean delay of a message up and of one down, s
 */
double
GetDelaySeconds(const Network& network, uint32_t device, uint32_t server)
{
    return (network.delaySeconds(device, server) + network.delaySeconds(server, device)) / 2;
}

/**
 * @param devices the end devices
 * @param setting monitor, loads and first bandwidths
 * @param network what they run on; its capacity may be empty
 * @param topology of that network
 * @return the job of every device, at the bandwidth of its first plan
 */
std::vector<InferenceJob>
MakeJobs(const std::vector<CooperativeDevice>& devices,
         const CooperativeSetting& setting,
         const Network& network,
         const Topology& topology)
{
    const double up = setting.firstUplinkBitsPerSecond;
    const double down = setting.firstDownlinkBitsPerSecond;
    const uint32_t server = devices.size();
    std::vector<InferenceJob> jobs(devices.begin(), devices.end());
    for (uint32_t i = 0; i < server; ++i)
    {
        auto& problem = jobs[i].problem;
        problem.uplinkBitsPerSecond = up > 0 ? up : std::max(1.0, network.capacity(i, server));
        problem.downlinkBitsPerSecond =
            down > 0 ? down : std::max(1.0, network.capacity(server, i));
        problem.delaySeconds = GetDelaySeconds(network, i, server);
        jobs[i].serverShare = GetFirstShare(setting.loads, setting.serverName, setting.load);
        const bool isOnAir = std::holds_alternative<CellMedium>(topology.GetMedium(i));
        jobs[i].cell = isOnAir ? topology.nodes[i].medium + 1 : 0;
    }
    return jobs;
}

} // namespace

CooperativeInferenceResult
RunCooperativeInference(const std::vector<CooperativeDevice>& devices,
                        const CooperativeSetting& setting,
                        const std::function<void(double)>& progress)
{
    const uint32_t server = devices.size();
    auto names = Map(devices, &CooperativeDevice::name);
    names.push_back(setting.serverName);
    RunSetting all = setting;
    all.network.wiredDevices.insert(setting.serverName);
    CooperativeInferenceResult result;
    // Declared before the deployment, since the simulation must be taken down first.
    InferenceLog log;
    Deployment deployment(all, names);
    const Network& network = deployment.GetNetwork();
    if (setting.details)
    {
        result.timeline = std::make_shared<Timeline>();
        result.timeline->Observe(network.transport);
    }
    NodeContainer nodes;
    for (uint32_t i = 0; i <= server; ++i)
    {
        const auto compute = deployment.AddDevice(i);
        if (setting.details)
        {
            result.timeline->Observe(i, compute);
        }
        if (i < server)
        {
            nodes.Add(network.devices.Get(i));
        }
    }
    deployment.AddLoads();

    CooperativeInferenceHelper helper(
        MakeJobs(devices, setting, network, MakeTopology(all.network, names)));
    helper.SetPlanner(setting.planner);
    helper.SetMonitor(setting.monitor, network.capacity);
    const ApplicationContainer applications = helper.Install(nodes, network.devices.Get(server));
    deployment.Watch(applications);
    log.Observe(DynamicCast<InferenceServer>(applications.Get(0)));
    const auto parties = Select<InferenceDevice>(applications);
    UintegerValue frames;
    parties.front()->GetAttribute("Frames", frames);
    const double count = static_cast<double>(frames.Get()) * server;
    double ended = 0;
    const auto end = [&](uint64_t) {
        ++ended;
        if (progress)
        {
            progress(ended / count);
        }
    };
    std::size_t running = server;
    for (const auto& party : parties)
    {
        log.Observe({party->GetNode()->GetId(), server, network.transport, network.capacity},
                    party,
                    party->GetReplanner());
        Connect(party, "PlanChange", [&](const PlanRecord& plan) {
            if (setting.refuse && result.refusal.empty() &&
                !(result.refusal = setting.refuse(plan)).empty())
            {
                deployment.End();
            }
        });
        Connect(party, "FrameEnd", end);
        Connect(party, "FrameDrop", end);
        Connect(party, "Finished", [&] {
            if (--running == 0)
            {
                deployment.End();
            }
        });
    }
    deployment.Run();

    log.SortPlans();
    static_cast<InferenceRecords&>(result) = log.GetRecords();
    for (uint32_t i = 0; i < server; ++i)
    {
        result.delaySeconds.push_back(GetDelaySeconds(network, i, server));
        const auto replanner = parties[i]->GetReplanner();
        result.decisions += replanner->GetDecisions();
        result.failures.Add(replanner->GetFailures());
        const auto first = FindIf(result.plans, [i](auto& plan) { return plan.device == i; });
        result.times.Add(replanner->GetDecisionSeconds(),
                         replanner->GetDecisions(),
                         IsOutsidePlanner(setting.planner) && first ? first->decisionSeconds : 0);
    }
    deployment.Collect(running == 0, result);
    return result;
}

} // namespace ns3::edgepipe
