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

ActorLearnerHelper::ActorLearnerHelper(MultiActorModel model,
                                       std::vector<uint64_t> parameterBytes,
                                       std::vector<std::vector<double>> batchSeconds)
    : JobHelper("defp"),
      m_model(std::move(model)),
      m_parameterBytes(std::move(parameterBytes)),
      m_batchSeconds(std::move(batchSeconds))
{
    m_server.SetTypeId(ActorServer::GetTypeId());
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
    return BuildMultiActorModel(
        *m_graph,
        GetModelSpeed(FindCost(*m_graph, server, 1, PassKind::INFERENCE), *m_graph));
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

std::pair<MultiActor, MultiActor>
ActorLearnerHelper::FindActor(const Ptr<Node>& actor,
                              const std::map<std::string, LayerCost>& costs) const
{
    if (const auto given = m_actors.find(actor->GetId()); given != m_actors.end())
    {
        return given->second;
    }
    Require(m_graph != nullptr,
            "node " + std::to_string(actor->GetId()) +
                ": found no speed, expected ActorLearnerHelper::SetActor, since the "
                "model was given without its layers");
    const auto& cost = costs.at(GetFromDevice<EdgeDevice>(actor)->GetSpec().name);
    const MultiActor told{GetFromDevice<EdgeDevice>(actor)->GetName(),
                          GetModelSpeed(cost, *m_graph),
                          1};
    MultiActor executed = told;
    executed.layerSeconds = ListLayerSeconds(cost, *m_graph);
    return {executed, told};
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
    const MultiActorModel model = BuildModel(server);
    auto batchSeconds = ListBatchSeconds(server, model);
    std::vector<DeviceSpec> types;
    std::map<std::string, LayerCost> costs;
    std::map<uint32_t, MultiActor> executing;
    const auto told = std::make_shared<std::map<uint32_t, MultiActor>>();
    for (uint32_t i = 0; i < actors.GetN(); ++i)
    {
        const auto node = actors.Get(i);
        const auto& spec = GetFromDevice<EdgeDevice>(node)->GetSpec();
        if (m_graph)
        {
            AddDeviceType(types, spec);
        }
        if (m_graph && m_actors.count(node->GetId()) == 0 && costs.count(spec.name) == 0)
        {
            costs[spec.name] = FindCost(*m_graph, node, 1, PassKind::INFERENCE);
        }
        auto [executed, believed] = FindActor(node, costs);
        if (!m_capacity)
        {
            executed.bytesPerSecond = believed.bytesPerSecond =
                FindBandwidth(NodeContainer(node, server)) / 8;
        }
        ValidateMultiActor(executed);
        executing[node->GetId()] = executed;
        (*told)[node->GetId()] = believed;
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
