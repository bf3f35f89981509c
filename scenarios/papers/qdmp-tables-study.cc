/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/qdmp-tables-study.h"

#include "lib/run-report.h"
#include "lib/traces-option.h"
#include "papers/chosen.h"

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-two-way-cut-planner.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// The file with the paper's figures, in the traces folder.
const std::string PUBLISHED_FILE = "/published/qdmp-tables.json";

/// Stem of the model of figure 11.
const std::string SWEPT_MODEL = "resnet18";

/**
 * @param value a number
 * @return it for a file; nothing if it is infinite
 */
std::string
FormatFinite(double value)
{
    return std::isfinite(value) ? Table::Exact(value) : "";
}

/**
 * @param planner decides
 * @param problem the problem
 * @param repeats how often
 * @return median wall-clock seconds
 */
double
TimeDecision(TwoWayCutPlanner& planner, const TwoWayCutProblem& problem, uint32_t repeats)
{
    std::vector<double> seconds;
    for (uint32_t i = 0; i < repeats; ++i)
    {
        planner.Plan(problem);
        seconds.push_back(planner.GetDecisionSeconds());
    }
    std::nth_element(seconds.begin(), seconds.begin() + repeats / 2, seconds.end());
    return seconds[repeats / 2];
}

} // namespace

QdmpTablesStudy::QdmpTablesStudy(ScenarioOptions& o)
    : Experiment(o),
      m_decisions({"model", "origin", "planner", "seconds"})
{
    o.Bind("model=alexnet,alexnet_parallel,darknet19,tiny_yolo,resnet18,googlenet", m_models)
        .Help("models, of those the paper measured");
    o.Bind("networks=CAT1,3G,4G,Wi-Fi", m_networks)
        .Help("networks, of CAT1, 3G, 4G, Wi-Fi (table 5)");
    o.Bind("device=" + m_assumptions.device, m_assumptions.device)
        .Help("device type whose proportions of layer times the end device has; its speed is "
              "calibrated");
    o.Bind("server=" + m_assumptions.server, m_assumptions.server).Help("the same of the server");
    o.Rename("tensor-bytes", "--tensor-element-bytes=NUMBER");
    o.Bind("tensor-element-bytes=" + std::to_string(m_assumptions.tensorBytes),
           m_assumptions.tensorBytes,
           1,
           4)
        .Help("bytes of an element that crosses, 1 to 4: 4 is float32; of a frame it is 1");
    o.Bind("set-up=0", m_assumptions.setUpShare, 0, 1000)
        .Help("what running a layer alone adds to its time in the eyes of dads and neurosurgeon, "
              "of the model's median layer; 0: what was measured on " +
              QdmpCalibration::MEASURED_DEVICE);
    o.Bind("execution=" + m_assumptions.execution,
           m_assumptions.execution,
           "proportional",
           "anchored")
        .Help("proportional: layers take in proportion to --device and --server; anchored: up to "
              "where qdmp cuts, and after, as much as its own cells imply");
    o.Bind("belief=" + m_assumptions.belief, m_assumptions.belief, "alone", "roofline", "flop")
        .Help("what dads and neurosurgeon believe: alone (times of layers run alone, and a "
              "regression on them), roofline or flop (what all layers take, in their proportions)");
    o.Bind("simulate=true", m_isSimulating)
        .Help("simulate the plans over the bearers 3g and 4g, at both fidelities");
    o.Bind("repeats=21", m_repeats, 1, 1000).Help("how often each decision is timed, 1 to 1000");
    o.AddOut();
    AddTracesOption(o);
}

void
QdmpTablesStudy::Read()
{
    m_traces = FindTracesFolder(m_options);
    m_published = ReadPublishedQdmp(m_traces + PUBLISHED_FILE);
    m_published.models =
        Choose(m_options, "model", m_models, m_published.models, &PublishedQdmpModel::file);
    const auto networks = Choose(m_options,
                                 "networks",
                                 m_networks,
                                 m_published.networks,
                                 &PublishedQdmpNetwork::name);
    std::transform(networks.begin(), networks.end(), m_networks.begin(), [](const auto& network) {
        return network.name;
    });
}

void
QdmpTablesStudy::Simulate()
{
    Add(m_assumptions);
    for (const QdmpCell* cell : GetOutcome().FindFasterThanQdmp())
    {
        std::cerr << m_options.GetName() << ": faster than qdmp: " << cell->planner << ", "
                  << m_published.models[cell->model].name << ", " << cell->network << "\n";
    }
    const std::string& device = m_assumptions.device;
    const std::string& server = m_assumptions.server;
    const std::string& measured = QdmpCalibration::MEASURED_DEVICE;
    for (const uint32_t tensorBytes : {4, 1})
    {
        for (const QdmpAssumptions& other : {QdmpAssumptions{device, server, tensorBytes, 0},
                                             QdmpAssumptions{device, server, tensorBytes, 0.5},
                                             QdmpAssumptions{device, server, tensorBytes, 2},
                                             QdmpAssumptions{measured, measured, tensorBytes, 0}})
        {
            AddOther(other);
        }
    }
    for (const std::string belief : {"roofline", "flop"})
    {
        AddOther({device, server, 1, 0, "anchored", belief});
    }
    QdmpSimulation simulation;
    for (std::size_t i = 0; m_isSimulating && i < m_outcomes.size(); ++i)
    {
        if (i == 0 || m_outcomes[i].first.execution == "anchored")
        {
            Follow(i, m_outcomes.size(), "simulating");
            m_outcomes[i].second.Simulate(simulation);
        }
    }
    MeasureDecisions();
    for (std::size_t i = 0; i < m_published.models.size(); ++i)
    {
        if (m_published.models[i].file == SWEPT_MODEL)
        {
            m_sweep = SweepBandwidth(GetOutcome().models[i]);
        }
    }
}

void
QdmpTablesStudy::Add(const QdmpAssumptions& assumptions)
{
    m_outcomes.emplace_back(assumptions,
                            QdmpOutcome(m_traces, assumptions, m_published, m_networks));
    m_isStalled |= !m_outcomes.back().second.FindFasterThanQdmp().empty();
}

void
QdmpTablesStudy::AddOther(const QdmpAssumptions& assumptions)
{
    if (std::none_of(m_outcomes.begin(), m_outcomes.end(), [&assumptions](const auto& done) {
            return done.first == assumptions;
        }))
    {
        Add(assumptions);
    }
}

void
QdmpTablesStudy::MeasureDecisions()
{
    const Ptr<TwoWayCutPlanner> qdmp = FindByName<TwoWayCutPlanner>("planner", "qdmp");
    const Ptr<TwoWayCutPlanner> dads = FindByName<TwoWayCutPlanner>("planner", "dads");
    const Ptr<TwoWayCutPlanner> edmondsKarp = FindByName<TwoWayCutPlanner>("planner", "dads");
    edmondsKarp->SetAttribute("Algorithm", StringValue("edmonds-karp"));
    for (std::size_t i = 0; i < m_published.models.size(); ++i)
    {
        const auto add = [&](const char* origin, const char* name, TwoWayCutPlanner& planner) {
            const auto& problem = GetOutcome().models[i].problem;
            m_decisions.AddRow({m_published.models[i].name,
                                origin,
                                name,
                                Table::Exact(TimeDecision(planner, problem, m_repeats))});
        };
        add("here, Boykov-Kolmogorov", "dads", *dads);
        add("here, Edmonds-Karp", "dads", *edmondsKarp);
        add("here", "qdmp", *qdmp);
    }
}

Table
QdmpTablesStudy::MakeSweepRows() const
{
    using Point = const QdmpSweepPoint;
    const double edgeSeconds = m_sweep->edgeSeconds;
    return MakeSheet<QdmpSweepPoint>(
               {
                   {"uplinkBitsPerSecond", &QdmpSweepPoint::uplinkBitsPerSecond},
                   {"edgeOnlySeconds", edgeSeconds},
                   {"cloudOnlySeconds", [](Point& p) { return FormatFinite(p.cloudSeconds); }},
                   {"qdmpSeconds", &QdmpSweepPoint::qdmpSeconds},
                   {"speedupOverEdgeOnly", [=](Point& p) { return edgeSeconds / p.qdmpSeconds; }},
                   {"speedupOverCloudOnly",
                    [](Point& p) { return FormatFinite(p.cloudSeconds / p.qdmpSeconds); }},
               },
               m_sweep->points)
        .GetFile();
}

std::string
QdmpTablesStudy::MakeJson() const
{
    using Json = nlohmann::ordered_json;
    Json root;
    root["published"] = m_published.source;
    root["networks"] = m_networks;
    for (std::size_t i = 0; i < m_published.models.size(); ++i)
    {
        const CalibratedModel& calibrated = GetOutcome().models[i];
        Json model{{"name", m_published.models[i].name},
                   {"file", m_published.models[i].file},
                   {"deviceSeconds", calibrated.deviceSeconds},
                   {"serverSeconds", calibrated.serverSeconds},
                   {"residualSeconds", calibrated.residualSeconds},
                   {"deviceFactor", calibrated.deviceFactor},
                   {"serverFactor", calibrated.serverFactor}};
        for (const DnnLayer& layer : calibrated.graph.layers)
        {
            model["layers"].push_back(
                {{"name", layer.name}, {"operator", layer.operatorName}, {"inputs", layer.inputs}});
        }
        for (const std::string& network : m_networks)
        {
            model["qdmpOnDevice"][network] = GetOutcome().Find(i, network, "qdmp")->plan.isOnDevice;
        }
        root["models"].push_back(model);
    }
    if (m_sweep)
    {
        root["figure11"] = {
            {"cloudBeatsEdgeBitsPerSecond", FormatFinite(m_sweep->cloudBeatsEdgeBitsPerSecond)},
            {"allCloudBitsPerSecond", FormatFinite(m_sweep->allCloudBitsPerSecond)}};
    }
    std::ifstream published(m_traces + PUBLISHED_FILE);
    root["paper"] = Json::parse(published);
    return FormatRunFile(m_options, {}, root);
}

std::string
QdmpTablesStudy::Write(ResultsFolder& folder) const
{
    using Model = const CalibratedModel;
    Sheet<QdmpAssumptions, PublishedQdmpModel, CalibratedModel> calibrations({
        {"device", &QdmpAssumptions::device},
        {"server", &QdmpAssumptions::server},
        {"tensorBytes", &QdmpAssumptions::tensorBytes},
        {"setUpShare", &QdmpAssumptions::setUpShare},
        {"execution", &QdmpAssumptions::execution},
        {"belief", &QdmpAssumptions::belief},
        {"model", &PublishedQdmpModel::name},
        {"layers", [](Model& model) { return model.problem.layers.size(); }},
        {"deviceSeconds", &CalibratedModel::deviceSeconds},
        {"serverSeconds", &CalibratedModel::serverSeconds},
        {"residualSeconds", &CalibratedModel::residualSeconds},
        {"deviceFactor", &CalibratedModel::deviceFactor},
        {"serverFactor", &CalibratedModel::serverFactor},
    });
    using Made = const QdmpCell;
    const auto simulated = [](const char* fidelity, double QdmpSimulated::*figure) {
        return [=](Made& cell) {
            const auto found = cell.simulated.find(fidelity);
            return found == cell.simulated.end() ? Cell() : Cell(found->second.*figure);
        };
    };
    Sheet<QdmpAssumptions, PublishedQdmpModel, QdmpCell> cells({
        {"device", &QdmpAssumptions::device},
        {"server", &QdmpAssumptions::server},
        {"tensorBytes", &QdmpAssumptions::tensorBytes},
        {"setUpShare", &QdmpAssumptions::setUpShare},
        {"model", &PublishedQdmpModel::name},
        {"network", &QdmpCell::network},
        {"planner", &QdmpCell::planner},
        {"latencySeconds", [](Made& cell) { return cell.cost.latencySeconds; }},
        {"framesPerSecond", &QdmpCell::framesPerSecond},
        {"uplinkBytes", [](Made& cell) { return cell.cost.uplinkBytes; }},
        {"execution", &QdmpAssumptions::execution},
        {"belief", &QdmpAssumptions::belief},
        {"place", GetPlace},
        {"deviceSeconds", [](Made& cell) { return cell.cost.deviceSeconds; }},
        {"transferSeconds", [](Made& cell) { return cell.cost.transferSeconds; }},
        {"serverSeconds", [](Made& cell) { return cell.cost.serverSeconds; }},
        {"flowLatencySeconds", simulated("flow", &QdmpSimulated::latencySeconds)},
        {"packetLatencySeconds", simulated("packet", &QdmpSimulated::latencySeconds)},
        {"flowFramesPerSecond", simulated("flow", &QdmpSimulated::framesPerSecond)},
        {"packetFramesPerSecond", simulated("packet", &QdmpSimulated::framesPerSecond)},
    });
    for (const auto& [assumptions, outcome] : m_outcomes)
    {
        for (std::size_t i = 0; i < m_published.models.size(); ++i)
        {
            calibrations.Add(assumptions, m_published.models[i], outcome.models[i]);
        }
        for (const QdmpCell& cell : outcome.cells)
        {
            cells.Add(assumptions, m_published.models[cell.model], cell);
        }
    }
    folder.Write("cells.csv", cells.GetFile());
    folder.Write("calibration.csv", calibrations.GetFile());
    folder.Write("decisions.csv", m_decisions);
    if (m_sweep)
    {
        folder.Write("figure11.csv", MakeSweepRows());
    }
    folder.Write("run.json", MakeJson());
    return "cells.csv (a row per plan), calibration.csv, decisions.csv, run.json (the plans)\n"
           "Tables: analysis/papers/qdmp_tables.py " +
           m_options.GetString("out");
}

const std::optional<QdmpSweep>&
QdmpTablesStudy::GetSweep() const
{
    return m_sweep;
}

const QdmpOutcome&
QdmpTablesStudy::GetOutcome() const
{
    return m_outcomes.front().second;
}

} // namespace edgepipe
} // namespace ns3
