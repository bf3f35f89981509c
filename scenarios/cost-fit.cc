/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/experiment.h"
#include "lib/traces-option.h"

#include "ns3/edgepipe-cost-provider.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-json-reader.h"
#include "ns3/edgepipe-text-lines.h"
#include "ns3/edgepipe-traces-folder.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string>
#include <unsupported/Eigen/LevenbergMarquardt>
#include <unsupported/Eigen/NumericalDiff>
#include <vector>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

namespace fs = std::filesystem;

using Figures = Eigen::VectorXd; //!< logarithms, by OperatorFigure

/// Standard deviations on either side of a 90 % interval.
constexpr double NINETY_PERCENT = 1.645;

/// How many rows of its own a stack's spread weighs as much as that of all stacks.
constexpr double SPREAD_ROWS = 4;

/// How many networks of other stacks the judgement before the fit weighs as much as.
constexpr double JUDGED_NETWORKS = 3;

/// From how many networks on a stack counts no more than others with so many.
constexpr std::size_t MOST_NETWORKS = 3;

/// Rounds of fitting all stacks, each to its rows and to the others.
constexpr int ROUNDS = 3;

/// What a row's note says that is the sum of a profile.
const std::string PROFILE = "profile";

/** Seconds that somebody measured. */
struct Row
{
    std::string device;    //!< type
    std::string stack;     //!< of the device; empty: not compared with
    std::string framework; //!< as the source calls it
    std::string network;   //!< model
    std::string side;      //!< pixels of the input's; empty: as in the model file
    std::string kind;      //!< inference, forward or backward (of training), training
    uint32_t batch;        //!< samples
    double seconds;        //!< of the pass
    std::string source;    //!< where it is from
    std::string note;      //!< what to know about it
    std::shared_ptr<const DnnGraph> graph; //!< of the network; null: not compared with
    double estimate{0};                    //!< by the fit, seconds
    double heldOut{0};                     //!< by a fit without rows of the network, seconds
    double spread{0};                      //!< of ln(heldOut / seconds), by rows of other networks

    /** @return whether training adds to the time */
    bool IsTraining() const
    {
        return kind == "training" || kind == "backward";
    }

    /** @return error of the estimate without rows of the network, as a logarithm */
    double GetHeldOutError() const
    {
        return std::log(heldOut / seconds);
    }
};

/** A stack of a device, and what was measured with it. */
struct Group
{
    DeviceSpec spec;          //!< with the stack for both kinds of pass
    std::string stack;        //!< its name
    std::vector<Row*> rows;   //!< measured
    Figures figures;          //!< by the fit
    double inferenceSpread{}; //!< of ln(estimated / true)
    double trainingSpread{};  //!< likewise

    /** @return the stack */
    StackSpec& Get()
    {
        return spec.stacks[stack];
    }

    /** @return networks that were measured */
    std::set<std::string> GetNetworks() const
    {
        std::set<std::string> networks;
        for (const Row* row : rows)
        {
            networks.insert(row->network);
        }
        return networks;
    }
};

/** What was thought of a kind of processor before the fit. */
struct Judgement
{
    Figures mean;   //!< of stacks
    Figures spread; //!< among them, standard deviations
};

/**
 * @param spec a device
 * @param row what was measured
 * @return the same by estimate, seconds
 */
double
Estimate(const DeviceSpec& spec, const Row& row)
{
    const LayerCost cost =
        EstimateLayerCosts(*row.graph,
                           spec,
                           row.batch,
                           row.kind == "inference" ? PassKind::INFERENCE : PassKind::TRAINING);
    const auto sum = [](const std::vector<double>& seconds) {
        return std::accumulate(seconds.begin(), seconds.end(), 0.0);
    };
    return (row.kind == "backward" ? 0 : sum(cost.forwardSeconds)) +
           (row.IsTraining() ? sum(cost.backwardSeconds) : 0);
}

/**
 * @param figures logarithms
 * @param stack gets the figures, of three digits as device files have them
 */
void
Put(const Figures& figures, StackSpec& stack)
{
    for (int i = 0; i < OPERATOR_FIGURES; ++i)
    {
        stack.figures[i] = std::stod(Table::Rounded(std::exp(figures[i]), 3));
    }
}

/**
 * What is least: squares of ln(estimated / measured) over the error of a row, and of the distances
 * of all figures to those expected over their spread.
 */
class Misfit : public Eigen::DenseFunctor<double>
{
  public:
    /**
     * @param group whose figures are fitted
     * @param rows to fit them to
     * @param expected figures
     * @param spread of the figures
     * @param rateSpread of all rates of compute together
     * @param rowSpread of rows
     */
    Misfit(const Group& group,
           const std::vector<Row*>& rows,
           const Figures& expected,
           const Figures& spread,
           double rateSpread,
           double rowSpread)
        : DenseFunctor(OPERATOR_FIGURES + 1, int(rows.size()) + OPERATOR_FIGURES + 1),
          m_spec(group.spec),
          m_name(group.stack),
          m_rows(rows),
          m_expected(expected),
          m_spread(spread),
          m_rateSpread(rateSpread),
          m_rowSpread(rowSpread)
    {
    }

    /**
     * @param steps from the figures expected, in spreads; at last that of all rates together
     * @return figures
     */
    Figures GetFigures(const Eigen::VectorXd& steps) const
    {
        Figures figures = m_expected + m_spread.cwiseProduct(steps.head(OPERATOR_FIGURES));
        figures.head(LINEAR + 1).array() += m_rateSpread * steps[OPERATOR_FIGURES];
        return figures;
    }

    /**
     * @param steps as GetFigures
     * @param misfits set to what is squared
     * @return 0
     */
    int operator()(const Eigen::VectorXd& steps, Eigen::VectorXd& misfits) const
    {
        const Figures figures = GetFigures(steps);
        auto& stack = m_spec.stacks[m_name];
        for (int i = 0; i < OPERATOR_FIGURES; ++i)
        {
            stack.figures[i] = std::exp(figures[i]);
        }
        misfits.head(OPERATOR_FIGURES + 1) = steps;
        for (std::size_t i = 0; i < m_rows.size(); ++i)
        {
            misfits[OPERATOR_FIGURES + 1 + i] =
                std::log(Estimate(m_spec, *m_rows[i]) / m_rows[i]->seconds) / m_rowSpread;
        }
        return 0;
    }

  private:
    mutable DeviceSpec m_spec;       //!< with the figures tried last
    std::string m_name;              //!< of the stack in it
    const std::vector<Row*>& m_rows; //!< to fit to
    const Figures& m_expected;       //!< figures
    const Figures& m_spread;         //!< of figures
    double m_rateSpread;             //!< of all rates together
    double m_rowSpread;              //!< of rows
};

/** Fits the figures of stacks to published times of whole networks and to profiles. */
class CostFit : public Experiment
{
  public:
    /** @param options of the scenario, to be parsed by Run */
    explicit CostFit(ScenarioOptions& options);

  private:
    void Read() override;
    void Simulate() override;
    void Print() const override;
    std::string Write(ResultsFolder& folder) const override;

    /** @return how far estimates are off, by device and kind of pass */
    Table Summarise() const;

    /** Read rows that were published. */
    void ReadRows();

    /**
     * Read the profiles of a device: a row for the forward and for the backward pass of each.
     * @param spec the device
     */
    void ReadProfiles(const DeviceSpec& spec);

    /** Read what is thought of processors before the fit. */
    void ReadJudgements();

    /**
     * @param network name of a model
     * @param side pixels of its input; empty: as in its file
     * @return the model
     */
    std::shared_ptr<const DnnGraph> FindGraph(const std::string& network, const std::string& side);

    /**
     * @param group a stack
     * @return its figures as far as other stacks tell
     */
    Figures Expect(const Group& group) const;

    /**
     * @param group a stack
     * @param rows of it, to fit to
     * @param expected its figures as far as other stacks tell
     * @return its figures
     */
    Figures Fit(const Group& group, const std::vector<Row*>& rows, const Figures& expected) const;

    /**
     * @param group a stack
     * @param isTraining whether of rows of training
     * @param without rows of this network
     * @return standard deviation of the error of its estimates, as a logarithm
     */
    double GetSpread(const Group& group, bool isTraining, const std::string& without) const;

    /**
     * Put the fit into the device files.
     * @param group a stack
     */
    void WriteDevice(const Group& group) const;

    std::string m_traces;                          //!< the traces folder
    std::string m_file;                            //!< rows that were published
    std::string m_device;                          //!< whose file is written; empty: all
    bool m_isWriting{false};                       //!< whether device files are
    double m_rateSpread{0};                        //!< of all rates of a stack together
    double m_rowSpread{0};                         //!< of rows
    std::map<std::string, Judgement> m_judgements; //!< by processor
    std::map<std::string, std::shared_ptr<const DnnGraph>> m_graphs; //!< by name and side
    std::vector<std::unique_ptr<Row>> m_rows;                        //!< measured
    std::vector<Group> m_groups;                                     //!< stacks
    double m_spread{0};                                              //!< of all held-out estimates
    double m_strangerSpread{0}; //!< of estimates by other stacks alone
};

CostFit::CostFit(ScenarioOptions& options)
    : Experiment(options)
{
    AddTracesOption(options);
    options.Bind("rows=published/device-figures.csv", m_file)
        .Help("file of measured times, in the traces folder or by path");
    options.Bind("device=", m_device).Help("write the file of this device alone (empty: all)");
    options.Bind("write=false", m_isWriting).Help("put the figures into the device files");
    options.AddOut();
}

std::shared_ptr<const DnnGraph>
CostFit::FindGraph(const std::string& network, const std::string& side)
{
    auto& graph = m_graphs[network + "/" + side];
    if (!graph)
    {
        const std::string file =
            ns3::edgepipe::FindTracesFile("network", network, "models", m_traces);
        DnnGraph read = ReadDnnGraph(file);
        if (!side.empty())
        {
            read = ScaleInput(read, ReadInputSide(file), std::stoul(side));
        }
        graph = std::make_shared<const DnnGraph>(std::move(read));
    }
    return graph;
}

void
CostFit::ReadRows()
{
    const std::string path = fs::exists(m_file) ? m_file : (fs::path(m_traces) / m_file).string();
    const std::string header = "device,stack,framework,network,side,kind,batch,seconds,source,note";
    Require(fs::exists(path),
            "--rows: found " + QuoteForMessage(m_file) +
                ", expected a file, by path or in the traces folder");
    TextLines lines(path);
    bool isHeaderRead = false;
    for (std::string_view line; lines.Next(line);)
    {
        if (line[0] == '#')
        {
            continue;
        }
        if (!isHeaderRead)
        {
            lines.Check(line == header,
                        "found " + QuoteBriefly(line) + ", expected \"" + header + "\"");
            isHeaderRead = true;
            continue;
        }
        const auto fields = SplitFields(line);
        lines.Check(fields.size() == 10,
                    "found " + std::to_string(fields.size()) + " fields, expected 10");
        auto row = std::make_unique<Row>();
        row->device = fields[0];
        row->stack = fields[1];
        row->framework = fields[2];
        row->network = fields[3];
        row->side = fields[4];
        row->kind = fields[5];
        const std::set<std::string> kinds{"inference", "forward", "backward", "training"};
        lines.CheckField(kinds.count(row->kind) > 0,
                         "kind",
                         fields[5],
                         JoinWords(kinds, ", ", " or "));
        const auto parseWhole = [&lines](const char* name, std::string_view text, double most) {
            const double value = lines.ParseNumber(name, text, 1, most, "a whole number from 1 on");
            lines.CheckField(value == std::floor(value), name, text, "a whole number from 1 on");
            return uint32_t(value);
        };
        if (!row->side.empty())
        {
            row->side = std::to_string(parseWhole("side", fields[4], 10000));
        }
        row->batch = parseWhole("batch", fields[6], 1e6);
        row->seconds = lines.ParseNumber("seconds", fields[7], 1e-9, 1e9);
        row->source = fields[8];
        row->note = fields[9];
        if (!row->stack.empty())
        {
            row->graph = FindGraph(row->network, row->side);
            const bool isKnown =
                std::any_of(m_groups.begin(), m_groups.end(), [&row](const Group& group) {
                    return group.spec.name == row->device + "@" + row->stack;
                });
            lines.Check(isKnown,
                        "found stack " + QuoteForMessage(row->stack) + " of device " +
                            QuoteForMessage(row->device) +
                            ", expected one of a device file, or "
                            "none");
        }
        m_rows.push_back(std::move(row));
    }
}

void
CostFit::ReadProfiles(const DeviceSpec& spec)
{
    std::set<fs::path> files;
    std::error_code ignored;
    for (const auto& entry :
         fs::directory_iterator(fs::path(m_traces) / "profiles" / spec.name, ignored))
    {
        files.insert(entry.path());
    }
    for (const auto& file : files)
    {
        if (file.extension() != ".csv")
        {
            continue;
        }
        const std::string stem = file.stem().string();
        const std::string network = stem.substr(0, stem.rfind(".b"));
        const auto graph = FindGraph(network, "");
        const LayerCost cost = ReadLayerProfile(file.string(), *graph);
        for (const auto& [kind, seconds] :
             {std::pair{"forward", &cost.forwardSeconds}, {"backward", &cost.backwardSeconds}})
        {
            const double sum = std::accumulate(seconds->begin(), seconds->end(), 0.0);
            if (sum > 0)
            {
                m_rows.push_back(
                    std::make_unique<Row>(Row{spec.name,
                                              spec.trainingStack,
                                              "",
                                              network,
                                              "",
                                              kind,
                                              cost.batch,
                                              sum,
                                              file.lexically_relative(m_traces).string(),
                                              PROFILE,
                                              graph}));
            }
        }
    }
}

void
CostFit::ReadJudgements()
{
    const JsonField root =
        ReadJsonFile((fs::path(m_traces) / "published/operator-figures.json").string());
    root.CheckFormat("edgepipe-operator-figures 1");
    m_rateSpread = root.GetField("rateSpread").GetPositiveNumber();
    m_rowSpread = root.GetField("rowSpread").GetPositiveNumber();
    for (const std::string processor : {"gpu", "arm", "x86"})
    {
        const JsonField field = root.GetField("processors").GetField(processor);
        Judgement judgement{Figures(OPERATOR_FIGURES), Figures(OPERATOR_FIGURES)};
        for (int i = 0; i < OPERATOR_FIGURES; ++i)
        {
            const JsonField figure = field.GetField(GetOperatorFigureNames()[i]);
            judgement.mean[i] = std::log(figure.GetField("value").GetPositiveNumber());
            judgement.spread[i] = figure.GetField("spread").GetPositiveNumber();
        }
        m_judgements[processor] = judgement;
    }
}

void
CostFit::Read()
{
    m_traces = FindTracesFolder(m_options);
    ReadJudgements();
    std::set<fs::path> files;
    for (const auto& entry : fs::directory_iterator(fs::path(m_traces) / "devices"))
    {
        files.insert(entry.path());
    }
    std::set<std::string> devices;
    for (const auto& file : files)
    {
        if (file.extension() == ".json")
        {
            const DeviceSpec spec = ReadDeviceSpec(file.string());
            devices.insert(spec.name);
            ReadProfiles(spec);
            for (const auto& [stack, ignored] : spec.stacks)
            {
                m_groups.push_back({ReadDeviceSpec(file.string(), stack), stack, {}, {}});
            }
        }
    }
    Require(m_device.empty() || devices.count(m_device) > 0,
            "--device: found " + QuoteForMessage(m_device) + ", expected " +
                JoinWords(devices, ", ", " or "));
    ReadRows();
    for (auto& group : m_groups)
    {
        for (const auto& row : m_rows)
        {
            if (row->graph && row->device + "@" + row->stack == group.spec.name)
            {
                group.rows.push_back(row.get());
            }
        }
    }
}

Figures
CostFit::Expect(const Group& group) const
{
    const std::string processor = group.spec.stacks.at(group.stack).processor;
    const Figures& judged = m_judgements.at(processor).mean;
    // First what stacks of such processors have in common, then what this software has.
    const auto add = [&](Figures from, double weight, bool isSameStack) {
        Figures sum = Figures::Zero(OPERATOR_FIGURES);
        for (const auto& other : m_groups)
        {
            if (&other != &group && !other.rows.empty() && other.figures.size() > 0 &&
                other.spec.stacks.at(other.stack).processor == processor &&
                (!isSameStack || other.stack == group.stack))
            {
                const double networks = double(std::min(MOST_NETWORKS, other.GetNetworks().size()));
                sum += networks * (other.figures - from);
                weight += networks;
            }
        }
        return Figures(from + sum / weight);
    };
    return add(add(judged, JUDGED_NETWORKS, false), 1, true);
}

Figures
CostFit::Fit(const Group& group, const std::vector<Row*>& rows, const Figures& expected) const
{
    const auto& judgement = m_judgements.at(group.spec.stacks.at(group.stack).processor);
    if (rows.empty())
    {
        return expected;
    }
    Eigen::NumericalDiff<Misfit> misfit(
        Misfit(group, rows, expected, judgement.spread, m_rateSpread, m_rowSpread),
        1e-8);
    Eigen::VectorXd steps = Eigen::VectorXd::Zero(OPERATOR_FIGURES + 1);
    Eigen::LevenbergMarquardt<Eigen::NumericalDiff<Misfit>> solver(misfit);
    solver.setXtol(1e-6);
    solver.setFtol(1e-8);
    solver.minimize(steps);
    return misfit.GetFigures(steps);
}

double
CostFit::GetSpread(const Group& group, bool isTraining, const std::string& without) const
{
    if (std::all_of(group.rows.begin(), group.rows.end(), [&without](const Row* row) {
            return row->network == without;
        }))
    {
        return m_strangerSpread;
    }
    double squares = SPREAD_ROWS * m_spread * m_spread;
    double weight = SPREAD_ROWS;
    for (const Row* row : group.rows)
    {
        if (row->network != without && row->IsTraining() == isTraining)
        {
            squares += row->GetHeldOutError() * row->GetHeldOutError();
            weight += 1;
        }
    }
    return std::sqrt(squares / weight);
}

void
CostFit::Simulate()
{
    for (auto& group : m_groups)
    {
        group.figures = Fit(group, group.rows, Expect(group));
    }
    for (int round = 1; round < ROUNDS; ++round)
    {
        std::vector<Figures> fitted;
        for (const auto& group : m_groups)
        {
            fitted.push_back(Fit(group, group.rows, Expect(group)));
        }
        for (std::size_t i = 0; i < m_groups.size(); ++i)
        {
            m_groups[i].figures = fitted[i];
        }
    }
    const auto square = [](double one) { return one * one; };
    double squares = 0;
    double strangerSquares = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < m_groups.size(); ++i)
    {
        Group& group = m_groups[i];
        Follow(double(i), double(m_groups.size()), group.spec.name);
        const Figures expected = Expect(group);
        Put(expected, group.Get());
        for (const Row* row : group.rows)
        {
            strangerSquares += square(std::log(Estimate(group.spec, *row) / row->seconds));
        }
        for (const auto& network : group.GetNetworks())
        {
            std::vector<Row*> others;
            std::copy_if(group.rows.begin(),
                         group.rows.end(),
                         std::back_inserter(others),
                         [&network](const Row* row) { return row->network != network; });
            Put(Fit(group, others, expected), group.Get());
            for (Row* row : group.rows)
            {
                if (row->network == network)
                {
                    row->heldOut = Estimate(group.spec, *row);
                    squares += square(row->GetHeldOutError());
                    ++count;
                }
            }
        }
        Put(group.figures, group.Get());
        for (Row* row : group.rows)
        {
            row->estimate = Estimate(group.spec, *row);
        }
    }
    m_spread = std::sqrt(squares / double(std::max<std::size_t>(1, count)));
    m_strangerSpread = std::sqrt(strangerSquares / double(std::max<std::size_t>(1, count)));
    for (auto& group : m_groups)
    {
        group.inferenceSpread = GetSpread(group, false, "");
        group.trainingSpread = GetSpread(group, true, "");
        for (Row* row : group.rows)
        {
            row->spread = GetSpread(group, row->IsTraining(), row->network);
        }
        if (m_isWriting && (m_device.empty() || group.spec.name == m_device + "@" + group.stack))
        {
            WriteDevice(group);
        }
    }
}

void
CostFit::WriteDevice(const Group& group) const
{
    const std::string name = group.spec.name.substr(0, group.spec.name.find('@'));
    const auto path = fs::path(m_traces) / "devices" / (name + ".json");
    auto device = nlohmann::ordered_json::parse(ReadTextFile(path.string()));
    auto& stack = device["stacks"][group.stack];
    const auto& fitted = group.spec.stacks.at(group.stack);
    for (int i = 0; i < OPERATOR_FIGURES; ++i)
    {
        stack["figures"][GetOperatorFigureNames()[i]] = fitted.figures[i];
    }
    stack["spread"] = {{"inference", std::stod(Table::Rounded(group.inferenceSpread, 2))},
                       {"training", std::stod(Table::Rounded(group.trainingSpread, 2))}};
    stack["source"] =
        group.rows.empty()
            ? "estimate: no figures of its own; cost-fit from other devices and stacks"
            : "measured by others or in profiles: cost-fit to " +
                  FormatCount(group.rows.size(), "time", "times") + " of " +
                  FormatCount(group.GetNetworks().size(), "network", "networks") +
                  ", and to other devices and stacks";
    ResultsFolder folder(path.parent_path().string(), "--traces");
    folder.Write(path.filename().string(),
                 [&device](std::ostream& os) { os << device.dump(2) << "\n"; });
    folder.Commit();
}

/** Rows of a device and kind together. */
struct Summary
{
    std::string device;           //!< type
    std::string kind;             //!< inference or training
    std::vector<const Row*> rows; //!< of it

    /**
     * @param isGood of a row
     * @return share of rows that are
     */
    template <typename IsGood>
    double GetShare(IsGood isGood) const
    {
        return double(std::count_if(rows.begin(), rows.end(), isGood)) / double(rows.size());
    }
};

/// @return how far a row's held-out estimate is off, as a share
double
GetError(const Row& row)
{
    return row.heldOut / row.seconds - 1;
}

Table
CostFit::Summarise() const
{
    std::map<std::pair<std::string, std::string>, Summary> summaries;
    Summary published{"all published", "both", {}};
    for (const auto& row : m_rows)
    {
        if (!row->graph)
        {
            continue;
        }
        const bool isProfile = row->note == PROFILE;
        const std::string device = row->device + (isProfile ? ", profiles" : "");
        const std::string kind = row->IsTraining() ? "training" : "inference";
        auto& summary = summaries[{device, kind}];
        summary.device = device;
        summary.kind = kind;
        summary.rows.push_back(row.get());
        if (!isProfile)
        {
            published.rows.push_back(row.get());
        }
    }
    using One = const Summary;
    const std::vector<Column<Summary>> columns{
        {"", "device", &Summary::device},
        {"", "kind", &Summary::kind},
        {"", "rows", [](One& one) { return one.rows.size(); }},
        {"",
         "fit within 15%",
         [](One& one) {
             return FormatPercent(one.GetShare([](const Row* row) {
                 return std::abs(row->estimate / row->seconds - 1) <= 0.15;
             }));
         }},
        {"",
         "held out: mean",
         [](One& one) {
             double sum = 0;
             for (const Row* row : one.rows)
             {
                 sum += row->GetHeldOutError();
             }
             return FormatPercent(std::expm1(sum / double(one.rows.size())));
         }},
        {"",
         "within 25%",
         [](One& one) {
             return FormatPercent(
                 one.GetShare([](const Row* row) { return std::abs(GetError(*row)) <= 0.25; }));
         }},
        {"",
         "in 90% interval",
         [](One& one) {
             return FormatPercent(one.GetShare([](const Row* row) {
                 return std::abs(row->GetHeldOutError()) <= NINETY_PERCENT * row->spread;
             }));
         }},
    };
    Sheet<Summary> sheet(columns);
    for (const auto& [key, summary] : summaries)
    {
        sheet.Add(summary);
    }
    if (!published.rows.empty())
    {
        sheet.Add(published);
    }
    return sheet.GetShown();
}

void
CostFit::Print() const
{
    Summarise().Print(std::cout);
    const auto others =
        std::count_if(m_rows.begin(), m_rows.end(), [](const auto& row) { return !row->graph; });
    Note({"Held out: estimated by a fit without the network's rows; the mean is geometric.",
          FormatCount(others, "row is", "rows are") + " not compared with: results.csv says why."});
}

std::string
CostFit::Write(ResultsFolder& folder) const
{
    using One = const Row;
    const auto isCompared = [](One& row) { return row.graph != nullptr; };
    std::vector<Row> rows;
    for (const auto& row : m_rows)
    {
        rows.push_back(*row);
    }
    const std::vector<Column<Row>> columns{
        {"device", &Row::device},
        {"stack", &Row::stack},
        {"framework", &Row::framework},
        {"network", &Row::network},
        {"side", &Row::side},
        {"kind", &Row::kind},
        {"batch", &Row::batch},
        {"measuredSeconds", &Row::seconds},
        {"estimatedSeconds", [=](One& row) { return When(isCompared(row), row.estimate); }},
        {"error", [=](One& row) { return When(isCompared(row), row.estimate / row.seconds - 1); }},
        {"heldOutSeconds", [=](One& row) { return When(isCompared(row), row.heldOut); }},
        {"heldOutError", [=](One& row) { return When(isCompared(row), GetError(row)); }},
        {"spread", [=](One& row) { return When(isCompared(row), row.spread); }},
        {"source", &Row::source},
        {"note", &Row::note},
    };
    folder.Write("results.csv", AddRunColumns(MakeSheet(columns, rows).GetFile()));
    folder.Write("summary.csv", [this](std::ostream& os) { Summarise().WriteCsv(os); });
    folder.Write("run.json", FormatRunFile(m_options, {}, nlohmann::ordered_json::object()));
    return "results.csv, summary.csv, run.json";
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunScenario("cost-fit", argc, argv, [](int argc, char* argv[]) {
        ScenarioOptions options("cost-fit",
                                "Fit what layers cost on devices to measured times of whole "
                                "networks, and show how far estimates are off.");
        return CostFit(options).Run(argc, argv);
    });
}
