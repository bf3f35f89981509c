/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/qdmp-tables-study.h"

#include "lib/traces-option.h"
#include "papers/chosen.h"

#include "ns3/edgepipe-dads-planner.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-qdmp-planner.h"
#include "ns3/edgepipe-results-folder.h"
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
 * @param more columns
 * @return those of assumptions and the model, and these
 */
std::vector<std::string>
NameColumns(const std::vector<std::string>& more)
{
    std::vector<std::string> columns{"device", "server", "tensorBytes", "setUpShare", "model"};
    columns.insert(columns.end(), more.begin(), more.end());
    return columns;
}

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

void
QdmpTablesStudy::AddOptions(ScenarioOptions& options)
{
    const QdmpAssumptions assumptions;
    options.Add("model",
                "models, of those the paper measured",
                "alexnet,alexnet_parallel,darknet19,tiny_yolo,resnet18,googlenet");
    options.Add("networks", "networks, of CAT1, 3G, 4G, Wi-Fi (table 5)", "CAT1,3G,4G,Wi-Fi");
    options.Add("device",
                "device type whose proportions of layer times the end device has; its speed is "
                "calibrated",
                assumptions.device);
    options.Add("server", "the same of the server", assumptions.server);
    options.Add("tensor-bytes",
                "bytes of an element that crosses, 1 to 4: 4 is float32; of a frame it is 1",
                std::to_string(assumptions.tensorBytes));
    options.Add("set-up",
                "what running a layer alone adds to its time in the eyes of dads and neurosurgeon, "
                "of the model's median layer; 0: what was measured on " +
                    QdmpCalibration::MEASURED_DEVICE,
                "0");
    options.Add("repeats", "how often each decision is timed, 1 to 1000", "21");
    options.Add("out", "folder of the results", "results/qdmp-tables");
    AddTracesOption(options);
}

QdmpTablesStudy::QdmpTablesStudy(const ScenarioOptions& options)
    : m_options(options),
      m_traces(FindTracesFolder(options)),
      m_published(ReadPublishedQdmp(m_traces + PUBLISHED_FILE)),
      m_assumptions{options.GetString("device"),
                    options.GetString("server"),
                    options.GetUint("tensor-bytes", 1, 4),
                    options.GetDouble("set-up", 0, 1000)},
      m_repeats(options.GetUint("repeats", 1, 1000)),
      m_cells(
          NameColumns({"network", "planner", "latencySeconds", "framesPerSecond", "uplinkBytes"})),
      m_calibrations(NameColumns({"layers",
                                  "deviceSeconds",
                                  "serverSeconds",
                                  "residualSeconds",
                                  "deviceFactor",
                                  "serverFactor"})),
      m_decisions({"model", "origin", "planner", "seconds"})
{
    m_published.models = Choose(options,
                                "model",
                                options.GetList("model"),
                                m_published.models,
                                &PublishedQdmpModel::file);
    for (const auto& network : Choose(options,
                                      "networks",
                                      options.GetList("networks"),
                                      m_published.networks,
                                      &PublishedQdmpNetwork::name))
    {
        m_networks.push_back(network.name);
    }
    ResultsFolder(options.GetString("out")).Check();
}

void
QdmpTablesStudy::Run()
{
    const auto run = [this](const QdmpAssumptions& assumptions) {
        return std::make_unique<QdmpOutcome>(m_traces, assumptions, m_published, m_networks);
    };
    m_outcome = run(m_assumptions);
    for (const QdmpCell* cell : m_outcome->FindFasterThanQdmp())
    {
        std::cerr << m_options.GetName() << ": faster than qdmp: " << cell->planner << ", "
                  << m_published.models[cell->model].name << ", " << cell->network << "\n";
    }
    Add(m_assumptions, *m_outcome);
    std::vector<QdmpAssumptions> done{m_assumptions};
    const std::string& measured = QdmpCalibration::MEASURED_DEVICE;
    for (const uint32_t tensorBytes : {4, 1})
    {
        for (const QdmpAssumptions& other :
             {QdmpAssumptions{m_assumptions.device, m_assumptions.server, tensorBytes, 0},
              QdmpAssumptions{m_assumptions.device, m_assumptions.server, tensorBytes, 0.5},
              QdmpAssumptions{m_assumptions.device, m_assumptions.server, tensorBytes, 2},
              QdmpAssumptions{measured, measured, tensorBytes, 0}})
        {
            if (std::find(done.begin(), done.end(), other) == done.end())
            {
                done.push_back(other);
                Add(other, *run(other));
            }
        }
    }
    MeasureDecisions();
    for (std::size_t i = 0; i < m_published.models.size(); ++i)
    {
        if (m_published.models[i].file == SWEPT_MODEL)
        {
            m_sweep = SweepBandwidth(m_outcome->GetModels()[i]);
        }
    }
}

void
QdmpTablesStudy::Add(const QdmpAssumptions& assumptions, const QdmpOutcome& outcome)
{
    m_isBest = m_isBest && outcome.FindFasterThanQdmp().empty();
    const auto add = [&](Table& table, std::size_t model, const std::vector<std::string>& cells) {
        std::vector<std::string> row{assumptions.device,
                                     assumptions.server,
                                     std::to_string(assumptions.tensorBytes),
                                     Table::Exact(assumptions.setUpShare),
                                     m_published.models[model].name};
        row.insert(row.end(), cells.begin(), cells.end());
        table.AddRow(std::move(row));
    };
    for (std::size_t i = 0; i < m_published.models.size(); ++i)
    {
        const CalibratedModel& model = outcome.GetModels()[i];
        add(m_calibrations,
            i,
            {std::to_string(model.problem.layers.size()),
             Table::Exact(model.deviceSeconds),
             Table::Exact(model.serverSeconds),
             Table::Exact(model.residualSeconds),
             Table::Exact(model.deviceFactor),
             Table::Exact(model.serverFactor)});
    }
    for (const QdmpCell& cell : outcome.GetCells())
    {
        add(m_cells,
            cell.model,
            {cell.network,
             cell.planner,
             Table::Exact(cell.cost.latencySeconds),
             Table::Exact(cell.framesPerSecond),
             std::to_string(cell.cost.uplinkBytes)});
    }
}

void
QdmpTablesStudy::MeasureDecisions()
{
    const Ptr<QdmpPlanner> qdmp = CreateObject<QdmpPlanner>();
    const Ptr<DadsPlanner> dads = CreateObject<DadsPlanner>();
    const Ptr<DadsPlanner> edmondsKarp = CreateObject<DadsPlanner>();
    edmondsKarp->SetAttribute("Algorithm", StringValue("edmonds-karp"));
    for (std::size_t i = 0; i < m_published.models.size(); ++i)
    {
        const auto add = [&](const char* origin, const char* name, TwoWayCutPlanner& planner) {
            const auto& problem = m_outcome->GetModels()[i].problem;
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
    Table table({"uplinkBitsPerSecond",
                 "edgeOnlySeconds",
                 "cloudOnlySeconds",
                 "qdmpSeconds",
                 "speedupOverEdgeOnly",
                 "speedupOverCloudOnly"});
    for (const QdmpSweepPoint& point : m_sweep->points)
    {
        table.AddRow({Table::Exact(point.uplinkBitsPerSecond),
                      Table::Exact(m_sweep->edgeSeconds),
                      FormatFinite(point.cloudSeconds),
                      Table::Exact(point.qdmpSeconds),
                      Table::Exact(m_sweep->edgeSeconds / point.qdmpSeconds),
                      FormatFinite(point.cloudSeconds / point.qdmpSeconds)});
    }
    return table;
}

std::string
QdmpTablesStudy::MakeJson() const
{
    using Json = nlohmann::ordered_json;
    Json root;
    for (const auto& [option, value] : m_options.GetAll())
    {
        root["options"][option] = value;
    }
    root["published"] = m_published.source;
    root["networks"] = m_networks;
    for (std::size_t i = 0; i < m_published.models.size(); ++i)
    {
        const CalibratedModel& calibrated = m_outcome->GetModels()[i];
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
            model["qdmpOnDevice"][network] = m_outcome->Find(i, network, "qdmp")->plan.isOnDevice;
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
    return root.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void
QdmpTablesStudy::Write() const
{
    ResultsFolder folder(m_options.GetString("out"));
    const auto csv = [&folder](const std::string& name, const Table& table) {
        folder.Write(name, [&table](std::ostream& os) { table.WriteCsv(os); });
    };
    csv("cells.csv", m_cells);
    csv("calibration.csv", m_calibrations);
    csv("decisions.csv", m_decisions);
    if (m_sweep)
    {
        csv("figure11.csv", MakeSweepRows());
    }
    folder.Write("run.json", [this](std::ostream& os) { os << MakeJson(); });
    folder.Commit();
    std::cout << "Results: " << m_options.GetString("out")
              << "/  cells.csv (a row per plan), calibration.csv, decisions.csv, run.json (the "
                 "plans)\nTables: analysis/papers/qdmp_tables.py "
              << m_options.GetString("out") << "\n";
}

int
QdmpTablesStudy::GetStatus() const
{
    return m_isBest ? 0 : 3;
}

const std::optional<QdmpSweep>&
QdmpTablesStudy::GetSweep() const
{
    return m_sweep;
}

const QdmpOutcome&
QdmpTablesStudy::GetOutcome() const
{
    return *m_outcome;
}

} // namespace edgepipe
} // namespace ns3
