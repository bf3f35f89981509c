/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/qdmp-tables-study.h"

#include "lib/traces-option.h"

#include "ns3/edgepipe-dads-planner.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-qdmp-planner.h"
#include "ns3/edgepipe-results-folder.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

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
 * @param options of the scenario
 * @param option name of one
 * @param known what to choose from
 * @param name of these, their names
 * @return those chosen, in the order of known
 */
template <typename T>
std::vector<T>
Choose(const ScenarioOptions& options,
       const std::string& option,
       const std::vector<T>& known,
       std::string T::*name)
{
    const std::vector<std::string> asked = options.GetList(option);
    std::vector<T> chosen;
    std::string list;
    for (const T& one : known)
    {
        list += (list.empty() ? "" : ", ") + one.*name;
        if (std::find(asked.begin(), asked.end(), one.*name) != asked.end())
        {
            chosen.push_back(one);
        }
    }
    if (chosen.size() != asked.size())
    {
        options.Refuse(option, "some of " + list);
    }
    return chosen;
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
      m_repeats(options.GetUint("repeats", 1, 1000))
{
    m_published.models = Choose(options, "model", m_published.models, &PublishedQdmpModel::file);
    for (const auto& network :
         Choose(options, "networks", m_published.networks, &PublishedQdmpNetwork::name))
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
    m_comparisons = CompareQdmp(m_published.models, *m_outcome);
    m_orders = CompareQdmpOrders(m_comparisons);
    m_agreements.push_back(Count(m_assumptions, *m_outcome));
    const std::string& measured = QdmpCalibration::MEASURED_DEVICE;
    for (const uint32_t tensorBytes : {4, 1})
    {
        for (const QdmpAssumptions& other :
             {QdmpAssumptions{m_assumptions.device, m_assumptions.server, tensorBytes, 0},
              QdmpAssumptions{m_assumptions.device, m_assumptions.server, tensorBytes, 0.5},
              QdmpAssumptions{m_assumptions.device, m_assumptions.server, tensorBytes, 2},
              QdmpAssumptions{measured, measured, tensorBytes, 0}})
        {
            if (std::none_of(m_agreements.begin(), m_agreements.end(), [&other](const auto& one) {
                    const QdmpAssumptions& a = one.assumptions;
                    return a.device == other.device && a.server == other.server &&
                           a.tensorBytes == other.tensorBytes && a.setUpShare == other.setUpShare;
                }))
            {
                m_agreements.push_back(Count(other, *run(other)));
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

QdmpAgreement
QdmpTablesStudy::Count(const QdmpAssumptions& assumptions, const QdmpOutcome& outcome) const
{
    QdmpAgreement agreement{assumptions,
                            outcome.GetDeviceSpread(),
                            outcome.GetServerSpread(),
                            outcome.FindBetterThanQdmp(true).size(),
                            {}};
    const auto comparisons = CompareQdmp(m_published.models, outcome);
    const auto orders = CompareQdmpOrders(comparisons);
    for (const std::string table : {"table2", "table3"})
    {
        for (const QdmpReading& reading : GetQdmpReadings())
        {
            QdmpAgreement::Counts counts{};
            for (const QdmpOrder& order : orders)
            {
                const bool isOf = order.figure == table && order.reading == reading.name;
                counts.cells += isOf;
                counts.ordered += isOf && order.comparison.reversed.empty();
                counts.same += isOf && order.comparison.other.empty();
            }
            for (const QdmpComparison& one : comparisons)
            {
                const bool isOf =
                    one.figure == table && std::any_of(reading.columns.begin(),
                                                       reading.columns.end(),
                                                       [&one](const auto& column) {
                                                           return column.second == one.planner;
                                                       });
                counts.figures += isOf;
                counts.near += isOf && std::abs(*one.GetDifference()) <= QDMP_TOLERANCE;
            }
            agreement.counts.push_back(counts);
        }
    }
    return agreement;
}

void
QdmpTablesStudy::MeasureDecisions()
{
    const Ptr<QdmpPlanner> qdmp = CreateObject<QdmpPlanner>();
    const Ptr<DadsPlanner> dads = CreateObject<DadsPlanner>();
    const Ptr<DadsPlanner> edmondsKarp = CreateObject<DadsPlanner>();
    edmondsKarp->SetAttribute("Algorithm", StringValue("edmonds-karp"));
    for (const CalibratedModel& model : m_outcome->GetModels())
    {
        m_decisions.push_back({TimeDecision(*dads, model.problem, m_repeats),
                               TimeDecision(*edmondsKarp, model.problem, m_repeats),
                               TimeDecision(*qdmp, model.problem, m_repeats)});
    }
}

int
QdmpTablesStudy::GetStatus() const
{
    const bool isBest = std::all_of(m_agreements.begin(), m_agreements.end(), [](const auto& one) {
        return one.betterLatencies == 0;
    });
    return isBest ? 0 : 3;
}

const std::vector<QdmpComparison>&
QdmpTablesStudy::GetComparisons() const
{
    return m_comparisons;
}

const std::vector<QdmpOrder>&
QdmpTablesStudy::GetOrders() const
{
    return m_orders;
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

const std::string&
QdmpTablesStudy::GetName(std::size_t model) const
{
    return m_published.models[model].name;
}

} // namespace edgepipe
} // namespace ns3
