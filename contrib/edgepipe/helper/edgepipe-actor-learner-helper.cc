/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-actor-learner-helper.h"

#include "ns3/double.h"
#include "ns3/edgepipe-actor-device.h"
#include "ns3/edgepipe-cost-provider.h"
#include "ns3/edgepipe-edge-device.h"
#include "ns3/edgepipe-edge-server.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-least-data-rate.h"
#include "ns3/edgepipe-multi-actor-problem-builder.h"
#include "ns3/edgepipe-tensor-endpoint.h"
#include "ns3/edgepipe-traces-folder.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param graph a model
 * @param spec a device
 * @param batch samples
 * @param kind inference or training
 * @return what its layers cost the device
 */
LayerCost
FindCost(const DnnGraph& graph, const DeviceSpec& spec, uint32_t batch, PassKind kind)
{
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
    : m_model(std::move(model)),
      m_parameterBytes(std::move(parameterBytes))
{
    m_server.SetTypeId(EdgeServer::GetTypeId());
}

void
ActorLearnerHelper::SetPlanner(const std::string& name, double mostSeconds)
{
    FindByName<MultiActorPlanner>("planner", name);
    m_planner = name;
    m_planSeconds = mostSeconds;
}

void
ActorLearnerHelper::SetPlannerAttribute(const std::string& name, const AttributeValue& value)
{
    m_planning.Add(name, value);
}

void
ActorLearnerHelper::SetBudgets(const ActorBudgets& budgets)
{
    m_budgets = budgets;
}

void
ActorLearnerHelper::SetSpeed(const Ptr<Node>& actor, double flopPerSecond)
{
    m_speeds[actor->GetId()] = flopPerSecond;
}

void
ActorLearnerHelper::SetBandwidth(DataRate bandwidth)
{
    m_bitsPerSecond = bandwidth.GetBitRate();
}

void
ActorLearnerHelper::SetCapacity(Capacity capacity)
{
    m_capacity = std::move(capacity);
}

void
ActorLearnerHelper::SetActorAttribute(const std::string& name, const AttributeValue& value)
{
    m_actor.Add(name, value);
}

void
ActorLearnerHelper::SetServerAttribute(const std::string& name, const AttributeValue& value)
{
    m_server.Set(name, value);
}

void
ActorLearnerHelper::SetLearnerAttribute(const std::string& name, const AttributeValue& value)
{
    m_learner.Add(name, value);
}

MultiActorModel
ActorLearnerHelper::BuildModel(const Ptr<Node>& server) const
{
    if (!m_graph)
    {
        ValidateMultiActorModel(m_model);
        if (m_parameterBytes.size() != m_model.layerFlop.size())
        {
            throw InputError("there are parameters of " + std::to_string(m_parameterBytes.size()) +
                             " layers, expected " + std::to_string(m_model.layerFlop.size()) +
                             ", one for each layer");
        }
        return m_model;
    }
    const auto& spec = GetFromDevice<EdgeDevice>(server)->GetSpec();
    return BuildMultiActorModel(
        *m_graph,
        GetModelSpeed(FindCost(*m_graph, spec, 1, PassKind::INFERENCE), *m_graph));
}

double
ActorLearnerHelper::FindSpeed(const Ptr<Node>& actor, std::map<std::string, double>& speeds) const
{
    const auto told = m_speeds.find(actor->GetId());
    if (told != m_speeds.end())
    {
        return told->second;
    }
    if (!m_graph)
    {
        throw InputError("node " + std::to_string(actor->GetId()) +
                         ": found no speed, expected ActorLearnerHelper::SetSpeed, since the "
                         "model was given without its layers");
    }
    const auto& spec = GetFromDevice<EdgeDevice>(actor)->GetSpec();
    const auto [found, isNew] = speeds.emplace(spec.name, 0);
    if (isNew)
    {
        found->second = GetModelSpeed(FindCost(*m_graph, spec, 1, PassKind::INFERENCE), *m_graph);
    }
    return found->second;
}

Ptr<EdgeServer>
ActorLearnerHelper::MakeServer(const Ptr<Node>& server) const
{
    const auto application = m_server.Create<EdgeServer>();
    const auto learner = application->GetLearner();
    m_learner.Apply(*learner);
    UintegerValue steps;
    learner->GetAttribute("BatchSteps", steps);
    DoubleValue seconds;
    learner->GetAttribute("UpdateSeconds", seconds);
    if (m_graph && steps.Get() > 0 && seconds.Get() == 0)
    {
        const auto& spec = GetFromDevice<EdgeDevice>(server)->GetSpec();
        const auto cost = FindCost(*m_graph, spec, steps.Get(), PassKind::TRAINING);
        learner->SetAttribute("UpdateSeconds", DoubleValue(cost.GetSeconds()));
    }
    return application;
}

ApplicationContainer
ActorLearnerHelper::Install(const NodeContainer& actors, const Ptr<Node>& server) const
{
    GetFromDevice<ComputeDevice>(server);
    const MultiActorModel model = BuildModel(server);
    std::vector<DeviceSpec> types;
    std::map<std::string, double> speeds;
    std::map<uint32_t, MultiActor> told;
    for (uint32_t i = 0; i < actors.GetN(); ++i)
    {
        const auto node = actors.Get(i);
        if (m_graph)
        {
            AddDeviceType(types, GetFromDevice<EdgeDevice>(node)->GetSpec());
        }
        MultiActor actor{GetFromDevice<EdgeDevice>(node)->GetName(), FindSpeed(node, speeds), 1};
        if (!m_capacity)
        {
            actor.bytesPerSecond =
                (m_bitsPerSecond > 0 ? m_bitsPerSecond : FindLeastDataRate(node)) / 8;
        }
        ValidateMultiActor(actor);
        told[node->GetId()] = actor;
    }
    const auto planner = FindByName<MultiActorPlanner>("planner", m_planner);
    planner->SetAttributeFailSafe("TimeLimit", DoubleValue(m_planSeconds));
    m_planning.Apply(*planner);
    auto plan = std::make_unique<ActorPlan>(planner, model, m_budgets);
    const auto serving = MakeServer(server);
    std::vector<Ptr<ActorDevice>> devices;
    for (uint32_t i = 0; i < actors.GetN(); ++i)
    {
        devices.push_back(CreateObject<ActorDevice>());
        m_actor.Apply(*devices.back());
    }
    // From here on nothing is refused.
    const auto number = UintegerValue(TensorEndpoint::TakeJob(NodeContainer(actors, server)));
    serving->SetAttribute("JobNumber", number);
    serving->SetUp(model,
                   m_parameterBytes,
                   std::move(plan),
                   [told, capacity = m_capacity, to = server->GetId()](uint32_t from) {
                       MultiActor actor = told.at(from);
                       const double bitsPerSecond = capacity ? capacity(from, to) : 0;
                       // A link that is down at present is a slow one to a planner.
                       actor.bytesPerSecond =
                           bitsPerSecond > 0 ? bitsPerSecond / 8 : actor.bytesPerSecond;
                       return actor;
                   });
    server->AddApplication(serving);
    ApplicationContainer applications(serving);
    for (uint32_t i = 0; i < actors.GetN(); ++i)
    {
        const auto& actor = devices[i];
        actor->SetAttribute("JobNumber", number);
        actor->SetUp(server->GetId(), model, told.at(actors.Get(i)->GetId()).flopPerSecond);
        actors.Get(i)->AddApplication(actor);
        applications.Add(actor);
    }
    return applications;
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

} // namespace edgepipe
} // namespace ns3
