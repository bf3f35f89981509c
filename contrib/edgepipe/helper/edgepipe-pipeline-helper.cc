/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-pipeline-helper.h"

#include "ns3/boolean.h"
#include "ns3/edgepipe-cost-provider.h"
#include "ns3/edgepipe-edge-device.h"
#include "ns3/edgepipe-memory-ledger.h"
#include "ns3/edgepipe-pipeline-coordinator.h"
#include "ns3/edgepipe-pipeline-problem-builder.h"
#include "ns3/edgepipe-pipeline-worker.h"
#include "ns3/edgepipe-ranges.h"
#include "ns3/edgepipe-traces-folder.h"
#include "ns3/pointer.h"

namespace ns3::edgepipe
{

PipelineHelper::PipelineHelper(const std::string& model)
    : PipelineHelper(ReadDnnGraph(FindTracesFile("model", model, "models")))
{
}

PipelineHelper::PipelineHelper(DnnGraph graph)
    : PipelineHelper(PipelineJob())
{
    m_graph = std::make_shared<const DnnGraph>(std::move(graph));
}

PipelineHelper::PipelineHelper(PipelineJob job)
    : JobHelper("dp"),
      m_job(std::move(job)),
      m_hasMemoryBandwidth(m_job.problem != nullptr)
{
    m_coordinator.SetTypeId(PipelineCoordinator::GetTypeId());
}

std::shared_ptr<const PipelineProblem>
PipelineHelper::BuildProblem(const NodeContainer& nodes) const
{
    if (m_job.problem)
    {
        return m_job.problem;
    }
    Cluster cluster{};
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        const auto device = GetFromDevice<EdgeDevice>(*node);
        const auto& spec = device->GetSpec();
        cluster.devices.push_back({device->GetName(),
                                   spec.name,
                                   AddDeviceType(cluster.specs, spec),
                                   GetFromDevice<MemoryLedger>(*node)->GetCapacity()});
    }
    const uint32_t all = m_job.microBatchSamples;
    const auto find = [&](uint32_t samples) {
        return FindLayerCosts(GetTracesFolder(),
                              *m_graph,
                              cluster.specs,
                              samples,
                              PassKind::TRAINING);
    };
    auto problem = std::make_shared<PipelineProblem>(BuildPipelineProblem(*m_graph,
                                                                          cluster,
                                                                          find(all),
                                                                          all,
                                                                          m_microBatches,
                                                                          FindBandwidth(nodes)));
    const bool hasGroup = AnyOf(m_plan.stages, [](auto& stage) { return !stage.group.empty(); });
    if (hasGroup || (m_plan.stages.empty() && MakePlanner()->UsesGroups()) ||
        (m_replannerPlanner && m_replannerPlanner->UsesGroups()))
    {
        AddPartCosts(*problem, all, find);
    }
    return problem;
}

ApplicationContainer
PipelineHelper::Install(const NodeContainer& nodes) const
{
    PipelineJob job = m_job;
    job.problem = BuildProblem(nodes);
    Require(job.problem->devices.size() == nodes.GetN(),
            "the problem has " + std::to_string(job.problem->devices.size()) +
                " devices, expected " + std::to_string(nodes.GetN()) + ", one for each node");
    if (ListDevices(m_plan).size() > m_plan.stages.size())
    {
        PipelineCostModel(*job.problem).CheckPlan(m_plan); // groups share a micro-batch's samples
    }
    const uint32_t believed = job.GetBelieved().microBatchSamples;
    Require(believed == job.problem->microBatchSamples,
            "the believed problem has " + std::to_string(believed) +
                " samples per micro-batch, expected " +
                std::to_string(job.problem->microBatchSamples) + ", as the problem");
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        job.nodes.push_back(nodes.Get(i)->GetId());
        const auto& costs = job.problem->costs.at(job.problem->devices[i].type);
        job.isReplayed |=
            ReadReplay(nodes.Get(i),
                       job.problem->model,
                       job.problem->layers,
                       m_job.microBatchSamples,
                       PassKind::TRAINING,
                       [&costs](std::size_t layer) -> LayerReplay::LayerTimes {
                           return {costs.forwardSeconds[layer], costs.backwardSeconds[layer]};
                       });
        if (!m_hasMemoryBandwidth)
        {
            const auto& spec = GetFromDevice<EdgeDevice>(nodes.Get(i))->GetSpec();
            job.memoryBandwidthBytesPerSecond[spec.name] = spec.memoryBandwidthBytesPerSecond;
        }
    }
    std::vector<uint32_t> staffed;
    for (const std::size_t device : ListDevices(m_plan))
    {
        Require(device < nodes.GetN(),
                "plan: found a stage on device " + std::to_string(device) + ", expected below " +
                    std::to_string(nodes.GetN()) + ", the number of nodes");
        staffed.push_back(device);
    }
    for (uint32_t i = 0; i < nodes.GetN() && (m_plan.stages.empty() || m_replannerPlanner); ++i)
    {
        if (!Contains(staffed, i))
        {
            staffed.push_back(i);
        }
    }
    std::vector<std::pair<Ptr<Node>, Ptr<EdgeApplication>>> parts;
    for (const uint32_t i : staffed)
    {
        GetFromDevice<ComputeDevice>(nodes.Get(i));
        const auto worker = CreateObject<PipelineWorker>();
        const auto scheduler = worker->GetAdjacentScheduler();
        m_adjacent.Apply(*scheduler);
        BooleanValue isAssisted;
        scheduler->GetAttribute("AdjacentScheduling", isAssisted);
        job.isAssisted = isAssisted.Get();
        Require(!job.isAssisted || !job.isReplayed,
                "recorded passes: found idle devices that help their neighbours, expected "
                "AdjacentScheduling off");
        BooleanValue paysFixed;
        scheduler->GetAttribute("PartsPayFixed", paysFixed);
        job.paysFixed = paysFixed.Get();
        parts.emplace_back(nodes.Get(i), worker);
    }
    const auto coordinator = m_coordinator.Create<PipelineCoordinator>();
    coordinator->SetPlan(m_plan);
    if (m_plan.stages.empty())
    {
        coordinator->SetAttribute("Planner", PointerValue(MakePlanner()));
    }
    if (m_replannerPlanner)
    {
        const auto replanner = CreateObject<PipelineReplanner>();
        replanner->SetAttribute("Planner", PointerValue(m_replannerPlanner));
        m_replanner.Apply(*replanner);
        coordinator->SetAttribute("Replanner", PointerValue(replanner));
        const auto monitors =
            MakeMonitors(nodes, [first = job.problem->bandwidthBitsPerSecond](uint32_t, uint32_t) {
                return first;
            });
        if (job.problem->sharesMedium)
        {
            monitors->ShareMedium();
        }
        for (const auto& [node, worker] : parts)
        {
            const bool isFirst = node == nodes.Get(0) && nodes.GetN() > 1;
            DynamicCast<PipelineWorker>(worker)->SetMonitors(monitors, job.nodes[isFirst]);
        }
    }
    coordinator->SetJob(std::move(job));
    parts.emplace_back(nodes.Get(0), coordinator);
    const ApplicationContainer added = AddJob(parts);
    ApplicationContainer all(coordinator);
    for (uint32_t i = 0; i + 1 < added.GetN(); ++i)
    {
        all.Add(added.Get(i));
    }
    return all;
}

} // namespace ns3::edgepipe
