/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-cooperative-inference-helper.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/edgepipe-cost-provider.h"
#include "ns3/edgepipe-edge-device.h"
#include "ns3/edgepipe-inference-device.h"
#include "ns3/edgepipe-inference-server.h"
#include "ns3/edgepipe-json-reader.h"
#include "ns3/edgepipe-ranges.h"
#include "ns3/edgepipe-traces-folder.h"

namespace ns3::edgepipe
{

CooperativeInferenceHelper::CooperativeInferenceHelper(const std::string& model)
    : CooperativeInferenceHelper(ReadDnnGraph(FindTracesFile("model", model, "models")))
{
}

CooperativeInferenceHelper::CooperativeInferenceHelper(DnnGraph graph)
    : CooperativeInferenceHelper(std::vector<InferenceJob>())
{
    m_graph = std::make_shared<const DnnGraph>(std::move(graph));
}

CooperativeInferenceHelper::CooperativeInferenceHelper(std::vector<InferenceJob> jobs)
    : JobHelper("qdmp", "passive"),
      m_jobs(std::move(jobs))
{
    m_device.SetTypeId(InferenceDevice::GetTypeId());
}

TwoWayCutProblem
CooperativeInferenceHelper::BuildProblem(const Ptr<Node>& device, const Ptr<Node>& server) const
{
    const auto& deviceSpec = GetFromDevice<EdgeDevice>(device)->GetSpec();
    const auto& serverSpec = GetFromDevice<EdgeDevice>(server)->GetSpec();
    const auto costs = FindLayerCosts(GetTracesFolder(),
                                      *m_graph,
                                      {deviceSpec, serverSpec},
                                      1,
                                      PassKind::INFERENCE);
    const bool isTold = m_uplinkBitsPerSecond > 0;
    TwoWayCutProblem problem = BuildTwoWayCutProblem(
        *m_graph,
        costs.at(deviceSpec.name),
        costs.at(serverSpec.name),
        {isTold ? m_uplinkBitsPerSecond : FindLeastDataRate(device, server),
         isTold ? m_downlinkBitsPerSecond : FindLeastDataRate(server, device)},
        m_encoding);
    problem.objective = m_objective;
    return problem;
}

InferenceJob
CooperativeInferenceHelper::MakeJob(const NodeContainer& devices,
                                    uint32_t i,
                                    const Ptr<Node>& server) const
{
    GetFromDevice<ComputeDevice>(devices.Get(i));
    InferenceJob job = m_graph ? InferenceJob() : m_jobs[i];
    if (m_graph)
    {
        job.problem = BuildProblem(devices.Get(i), server);
        job.parameterBytes = Map(m_graph->layers, &DnnLayer::parameterBytes);
    }
    ValidateTwoWayCutProblem(job.problem);
    job.server = server->GetId();
    job.planner = MakePlanner();
    job.monitor = BandwidthMonitor::Find(m_monitor, m_oracle);
    job.capacity = m_oracle;
    return job;
}

ApplicationContainer
CooperativeInferenceHelper::Install(const NodeContainer& devices, const Ptr<Node>& server) const
{
    Require(m_graph || m_jobs.size() == devices.GetN(),
            "there are jobs of " + std::to_string(m_jobs.size()) + " devices, expected " +
                std::to_string(devices.GetN()));
    Require(!devices.Contains(server->GetId()),
            "node " + std::to_string(server->GetId()) +
                ": found among the devices and as the server, expected one of them");
    GetFromDevice<ComputeDevice>(server);
    const auto serving = CreateObject<InferenceServer>();
    std::vector<std::pair<Ptr<Node>, Ptr<EdgeApplication>>> parts{{server, serving}};
    auto phase = CreateObject<UniformRandomVariable>();
    phase->SetStream(random_streams::CAMERA_PHASE.first);
    for (uint32_t i = 0; i < devices.GetN(); ++i)
    {
        InferenceJob job = MakeJob(devices, i, server);
        serving->AddDevice(devices.Get(i)->GetId(),
                           job.executed.value_or(job.problem),
                           job.parameterBytes,
                           job.cell);
        const auto& problem = job.executed ? *job.executed : job.problem;
        const auto read = [&problem](const Ptr<Node>& node, auto seconds) {
            const auto get = [&](std::size_t layer) {
                return LayerReplay::LayerTimes{problem.layers[layer].*seconds, 0};
            };
            ReadReplay(node, problem.model, problem.layers.Get(), 1, PassKind::INFERENCE, get);
        };
        read(devices.Get(i), &TwoWayCutLayer::deviceSeconds);
        if (i == 0)
        {
            read(server, &TwoWayCutLayer::serverSeconds);
        }
        const auto device = m_device.Create<InferenceDevice>();
        DoubleValue given;
        device->GetAttribute("Phase", given);
        if (i > 0 && given.Get() == 0)
        {
            device->SetAttribute("Phase", DoubleValue(phase->GetValue()));
        }
        m_replanner.Apply(*device->GetReplanner());
        BooleanValue bothHoldModel;
        device->GetReplanner()->GetAttribute("BothHoldModel", bothHoldModel);
        for (std::size_t layer = 0; m_graph && layer < m_graph->layers.size(); ++layer)
        {
            Require(bothHoldModel.Get() || m_graph->layers[layer].tied.empty(),
                    "BothHoldModel: found false, expected true, since layer " +
                        QuoteForMessage(m_graph->layers[layer].name) +
                        " uses weights of another, which do not move with it");
        }
        device->SetJob(std::move(job));
        parts.emplace_back(devices.Get(i), device);
    }
    return AddJob(parts);
}

} // namespace ns3::edgepipe
