/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-actor-learner-helper.h"

#include "ns3/double.h"
#include "ns3/edgepipe-actor-device.h"
#include "ns3/edgepipe-cost-provider.h"
#include "ns3/edgepipe-edge-device.h"
#include "ns3/edgepipe-multi-actor-problem-builder.h"
#include "ns3/edgepipe-traces-folder.h"
#include "ns3/uinteger.h"

#include <tuple>

namespace ns3::edgepipe
{

namespace
{

/**
 * @param graph a model
 * @param node a device
 * @param batch samples
 * @param kind inference or training
 * @return costs of its layers on the device
 */
LayerCost
FindCost(const DnnGraph& graph, const Ptr<Node>& node, uint32_t batch, PassKind kind)
{
    const auto& spec = GetFromDevice<EdgeDevice>(node)->GetSpec();
    return FindLayerCosts(GetTracesFolder(), graph, {spec}, batch, kind).at(spec.name);
}

} // namespace

ActorLearnerHelper::ActorLearnerHelper(const std::string& model)
    : ActorLearnerHelper(ReadDnnGraph(FindTracesFile("model", model, "models")))
{
}

ActorLearnerHelper::ActorLearnerHelper(DnnGraph graph)
    : ActorLearnerHelper(MultiActorModel(), {})
{
    for (const auto& layer : graph.layers)
    {
        if (layer.operatorName != "input")
        {
            m_parameterBytes.push_back(layer.parameterBytes);
        }
    }
    m_graph = std::make_shared<const DnnGraph>(std::move(graph));
}

ActorLearnerHelper::ActorLearnerHelper(MultiActorModel model, std::vector<uint64_t> parameterBytes)
    : JobHelper("defp"),
      m_model(std::move(model)),
      m_parameterBytes(std::move(parameterBytes))
{
    m_server.SetTypeId(ActorServer::GetTypeId());
}

void
ActorLearnerHelper::SetSpeed(const Ptr<Node>& actor,
                             double flopPerSecond,
                             std::vector<double> layerSeconds,
                             std::vector<double> believedSeconds)
{
    m_speeds[actor->GetId()] = {flopPerSecond, std::move(layerSeconds)};
    if (!believedSeconds.empty())
    {
        m_believed[actor->GetId()] = std::move(believedSeconds);
    }
}

MultiActorModel
ActorLearnerHelper::BuildModel(const Ptr<Node>& server) const
{
    if (!m_graph)
    {
        ValidateMultiActorModel(m_model);
        Require(m_parameterBytes.size() == m_model.layerFlop.size(),
                "there are parameters of " + std::to_string(m_parameterBytes.size()) +
                    " layers, expected " + std::to_string(m_model.layerFlop.size()) +
                    ", one for each layer");
        return m_model;
    }
    const auto cost = FindCost(*m_graph, server, 1, PassKind::INFERENCE);
    MultiActorModel model = BuildMultiActorModel(*m_graph, GetModelSpeed(cost, *m_graph));
    model.serverLayerSeconds = ListLayerSeconds(cost, *m_graph);
    return model;
}

std::vector<std::vector<double>>
ActorLearnerHelper::ListBatchSeconds(const Ptr<Node>& server, const MultiActorModel& model) const
{
    if (!m_batchSeconds.empty())
    {
        return m_batchSeconds;
    }
    std::vector<std::vector<double>> seconds;
    if (!model.serverLayerSeconds.empty())
    {
        seconds.push_back(model.serverLayerSeconds);
    }
    UintegerValue most;
    m_server.Create<ActorServer>()->GetAttribute("MostBatch", most);
    while (m_graph && seconds.size() < most.Get())
    {
        const uint32_t batch = seconds.size() + 1;
        seconds.push_back(
            ListLayerSeconds(FindCost(*m_graph, server, batch, PassKind::INFERENCE), *m_graph));
    }
    return seconds;
}

MultiActor
ActorLearnerHelper::FindActor(const Ptr<Node>& actor,
                              const std::map<std::string, LayerCost>& costs) const
{
    MultiActor found{GetFromDevice<EdgeDevice>(actor)->GetName(), 0, 1};
    const auto told = m_speeds.find(actor->GetId());
    if (told != m_speeds.end())
    {
        std::tie(found.flopPerSecond, found.layerSeconds) = told->second;
        return found;
    }
    Require(m_graph != nullptr,
            "node " + std::to_string(actor->GetId()) +
                ": found no speed, expected ActorLearnerHelper::SetSpeed, since the "
                "model was given without its layers");
    const auto& cost = costs.at(GetFromDevice<EdgeDevice>(actor)->GetSpec().name);
    found.flopPerSecond = GetModelSpeed(cost, *m_graph);
    found.layerSeconds = ListLayerSeconds(cost, *m_graph);
    return found;
}

Ptr<ActorServer>
ActorLearnerHelper::MakeServer(const Ptr<Node>& server) const
{
    const auto application = m_server.Create<ActorServer>();
    const auto learner = application->GetLearner();
    m_learner.Apply(*learner);
    UintegerValue steps;
    learner->GetAttribute("BatchSteps", steps);
    DoubleValue seconds;
    learner->GetAttribute("UpdateSeconds", seconds);
    if (m_graph && steps.Get() > 0 && seconds.Get() == 0)
    {
        const auto cost = FindCost(*m_graph, server, steps.Get(), PassKind::TRAINING);
        learner->SetAttribute("UpdateSeconds", DoubleValue(cost.GetSeconds()));
    }
    return application;
}

ApplicationContainer
ActorLearnerHelper::Install(const NodeContainer& actors, const Ptr<Node>& server) const
{
    GetFromDevice<ComputeDevice>(server);
    MultiActorModel model = BuildModel(server);
    auto batchSeconds = ListBatchSeconds(server, model);
    std::vector<DeviceSpec> types;
    std::map<std::string, LayerCost> costs;
    std::map<uint32_t, MultiActor> executing;
    for (uint32_t i = 0; i < actors.GetN(); ++i)
    {
        const auto node = actors.Get(i);
        const auto& spec = GetFromDevice<EdgeDevice>(node)->GetSpec();
        if (m_graph)
        {
            AddDeviceType(types, spec);
        }
        if (m_graph && m_speeds.count(node->GetId()) == 0 && costs.count(spec.name) == 0)
        {
            costs[spec.name] = FindCost(*m_graph, node, 1, PassKind::INFERENCE);
        }
        MultiActor actor = FindActor(node, costs);
        if (!m_capacity)
        {
            actor.bytesPerSecond = FindBandwidth(node) / 8;
        }
        ValidateMultiActor(actor);
        executing[node->GetId()] = actor;
    }
    const auto told = std::make_shared<std::map<uint32_t, MultiActor>>(executing);
    for (const auto& [id, seconds] : m_believed)
    {
        if (told->count(id) > 0)
        {
            told->at(id).layerSeconds = seconds;
        }
    }
    if (!m_believesProfile)
    {
        model.serverLayerSeconds.clear();
        for (auto& [id, actor] : *told)
        {
            actor.layerSeconds.clear();
        }
    }
    const auto planner = MakePlanner();
    const auto serving = MakeServer(server);
    m_replanner.Apply(*serving->GetReplanner());
    const auto describe = [told, capacity = m_capacity, to = server->GetId()](uint32_t from) {
        MultiActor actor = told->at(from);
        const double bitsPerSecond = capacity ? capacity(from, to) : 0;
        // To a planner, a link that is down is a slow one.
        actor.bytesPerSecond = bitsPerSecond > 0 ? bitsPerSecond / 8 : actor.bytesPerSecond;
        return actor;
    };
    serving->SetUp(model, std::move(batchSeconds), m_parameterBytes, planner, m_budgets, describe);
    std::vector<std::pair<Ptr<Node>, Ptr<EdgeApplication>>> parts{{server, serving}};
    for (auto node = actors.Begin(); node != actors.End(); ++node)
    {
        const auto actor = CreateObject<ActorDevice>();
        m_actor.Apply(*actor);
        m_reporter.Apply(*actor->GetReporter());
        if (!m_monitor.empty())
        {
            actor->SetMonitor(
                BandwidthMonitor::Find(m_monitor, m_oracle),
                m_oracle,
                [describe, from = (*node)->GetId()] { return 8 * describe(from).bytesPerSecond; });
        }
        actor->SetUp(server->GetId(), model, executing.at((*node)->GetId()));
        parts.emplace_back(*node, actor);
    }
    return AddJob(parts);
}

int64_t
ActorLearnerHelper::AssignStreams(const ApplicationContainer& applications, int64_t stream)
{
    int64_t used = 0;
    for (auto i = applications.Begin(); i != applications.End(); ++i)
    {
        if (const auto actor = DynamicCast<ActorDevice>(*i))
        {
            used += actor->AssignStream(stream + used);
        }
    }
    return used;
}

} // namespace ns3::edgepipe
