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
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <unsupported/Eigen/LevenbergMarquardt>
#include <unsupported/Eigen/NumericalDiff>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

namespace fs = std::filesystem;

using Figures = Eigen::VectorXd; //!< logarithms, by OperatorFigure

/// Standard deviations on either side of a 90 % interval.
constexpr double NINETY_PERCENT = 1.645;

/// Weight of a family's spread in a stack's spread, in rows.
constexpr double SPREAD_ROWS = 4;

/// Weight of the judgement before the fit, in networks of other stacks.
constexpr double JUDGED_NETWORKS = 3;

/// Largest weight of another stack, in networks.
constexpr std::size_t MOST_NETWORKS = 3;

/// Rounds of fitting all stacks, each to its rows and to the other stacks.
constexpr int ROUNDS = 3;

/// Note of a row that is the sum of a profile.
const std::string PROFILE = "profile";

/** A measured time. */
struct Row
{
    std::string device;    //!< type
    std::string stack;     //!< of the device; empty: not compared
    std::string framework; //!< as the source calls it
    std::string network;   //!< model
    std::string side;      //!< of the input, pixels; empty: as in the model file
    std::string kind;      //!< inference, forward or backward (of training), training
    uint32_t batch;        //!< samples
    double seconds;        //!< of the pass
    std::string source;    //!< where it was published or measured
    std::string note;      //!< remark on it
    std::shared_ptr<const DnnGraph> graph; //!< of the network; null: not compared
    double estimate{0};                    //!< by the fit to all rows, seconds
    double heldOut{0};                     //!< by a fit without rows of the network, seconds
    double spread{0};                      //!< of ln(heldOut / seconds), without the network

    /** @return whether the time includes a backward pass */
    bool IsTraining() const
    {
        return kind == "training" || kind == "backward";
    }

    /** @return error of the held-out estimate, as a logarithm */
    double GetHeldOutError() const
    {
        return std::log(heldOut / seconds);
    }
};

/** A stack of a device, and the rows measured with it. */
struct Group
{
    DeviceSpec spec;          //!< with the stack for both kinds of pass
    std::string stack;        //!< its name
    std::vector<Row*> rows;   //!< measured
    Figures figures;          //!< by the fit
    double inferenceSpread{}; //!< of ln(estimated / true), inference
    double trainingSpread{};  //!< the same, training

    /** @return the stack */
    StackSpec& Get()
    {
        return spec.stacks[stack];
    }

    /** @return measured networks */
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

/** Errors of the estimates for a family of stacks, as logarithms. */
struct Errors
{
    double squares{0};         //!< sum over held-out estimates
    double strangerSquares{0}; //!< sum over estimates from other stacks alone
    double rows{0};            //!< number of rows
};

/** Judgement of a kind of processor before the fit: logarithms of figures. */
struct Judgement
{
    Figures mean;   //!< of stacks
    Figures spread; //!< standard deviations among stacks
};

/**
 * @param spec a device
 * @param row a measured time
 * @return its estimate, seconds
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
 * @param stack set to the figures, rounded to three digits as in device files
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
 * @param folder a folder, which need not exist
 * @param extension of files
 * @return paths of such files in it
 */
std::set<fs::path>
ListFiles(const fs::path& folder, const std::string& extension)
{
    std::set<fs::path> files;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
    {
        if (entry.path().extension() == extension)
        {
            files.insert(entry.path());
        }
    }
    return files;
}

/// @return square
double
Square(double one)
{
    return one * one;
}

/** Residuals for Eigen's least-squares solver. */
struct Misfit : Eigen::DenseFunctor<double>
{
    using Function = std::function<void(const Eigen::VectorXd&, Eigen::VectorXd&)>;

    /**
     * @param inputs number of inputs
     * @param values number of residuals
     * @param function sets the residuals
     */
    Misfit(int inputs, std::size_t values, Function function)
        : DenseFunctor(inputs, int(values)),
          evaluate(std::move(function))
    {
    }

    /**
     * @param inputs to try
     * @param misfits set to the residuals
     * @return 0
     */
    int operator()(const Eigen::VectorXd& inputs, Eigen::VectorXd& misfits) const
    {
        evaluate(inputs, misfits);
        return 0;
    }

    Function evaluate; //!< sets the residuals
};

/** Rows of one device and kind. */
struct Summary
{
    std::string device;           //!< type
    std::string kind;             //!< inference or training
    std::vector<const Row*> rows; //!< measured
};

/// @return relative error of a row's held-out estimate
double
GetError(const Row& row)
{
    return row.heldOut / row.seconds - 1;
}

/** Fits the figures of stacks to published times of whole networks and to profiles. */
class CostFit : public Experiment
{
  public:
    /** @param options of the scenario, to be parsed by Run */
    explicit CostFit(ScenarioOptions& options)
        : Experiment(options)
    {
        AddTracesOption(options);
        options.Bind("rows=published/device-figures.csv", m_file)
            .Help("file of measured times, in the traces folder or by path");
        options.Bind("device=", m_device)
            .Help(
                "device whose file alone is written, NAME@STACK for one of its stacks; empty: all");
        options.Bind("write=false", m_isWriting)
            .Help("write the fitted figures into the device files");
        options.AddOut();
    }

  private:
    void Read() override
    {
        m_traces = FindTracesFolder(m_options);
        const JsonField root =
            ReadJsonFile((m_traces / "published/operator-figures.json").string());
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
        std::set<std::string> devices;
        for (const auto& file : ListFiles(m_traces / "devices", ".json"))
        {
            const DeviceSpec spec = ReadDeviceSpec(file.string());
            devices.insert(spec.name);
            ReadProfiles(spec.name, spec.trainingStack);
            for (const auto& [stack, ignored] : spec.stacks)
            {
                ReadProfiles(spec.name, stack, "@" + stack);
                m_groups.push_back({ReadDeviceSpec(file.string(), stack), stack, {}, {}});
            }
        }
        const auto isNamed = [this](const Group& group) { return group.spec.name == m_device; };
        Require(m_device.empty() || devices.count(m_device) > 0 ||
                    std::any_of(m_groups.begin(), m_groups.end(), isNamed),
                "--device: found " + QuoteForMessage(m_device) + ", expected " +
                    JoinWords(devices, ", ", " or "));
        ReadRows();
        for (auto& group : m_groups)
        {
            for (auto& row : m_rows)
            {
                if (row.graph && row.device + "@" + row.stack == group.spec.name)
                {
                    group.rows.push_back(&row);
                }
            }
        }
    }

    void Simulate() override
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
        for (std::size_t i = 0; i < m_groups.size(); ++i)
        {
            Group& group = m_groups[i];
            Follow(double(i), double(m_groups.size()), group.spec.name);
            const Figures expected = Expect(group);
            auto& errors = m_errors[group.Get().family];
            Put(expected, group.Get());
            for (const Row* row : group.rows)
            {
                errors.strangerSquares +=
                    Square(std::log(Estimate(group.spec, *row) / row->seconds));
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
                        errors.squares += Square(row->GetHeldOutError());
                        ++errors.rows;
                    }
                }
            }
            Put(group.figures, group.Get());
            for (Row* row : group.rows)
            {
                row->estimate = Estimate(group.spec, *row);
            }
        }
        for (auto& group : m_groups)
        {
            group.inferenceSpread = GetSpread(group, false, "");
            group.trainingSpread = GetSpread(group, true, "");
            for (Row* row : group.rows)
            {
                row->spread = GetSpread(group, row->IsTraining(), row->network);
            }
            if (m_isWriting && (m_device.empty() || group.spec.name == m_device ||
                                group.spec.name == m_device + "@" + group.stack))
            {
                WriteDevice(group);
            }
        }
    }

    void Print() const override
    {
        Summarise().Print(std::cout);
        const auto others =
            std::count_if(m_rows.begin(), m_rows.end(), [](const auto& row) { return !row.graph; });
        Note({"Held out: estimated by a fit without the network's rows; the mean is geometric.",
              FormatCount(others, "row is", "rows are") +
                  " not compared with: results.csv says why."});
    }

    std::string Write(ResultsFolder& folder) const override
    {
        using One = const Row;
        const auto compared = [](auto get) {
            return [=](One& row) { return When(row.graph != nullptr, std::invoke(get, row)); };
        };
        const std::vector<Column<Row>> columns{
            {"device", &Row::device},
            {"stack", &Row::stack},
            {"framework", &Row::framework},
            {"network", &Row::network},
            {"side", &Row::side},
            {"kind", &Row::kind},
            {"batch", &Row::batch},
            {"measuredSeconds", &Row::seconds},
            {"estimatedSeconds", compared(&Row::estimate)},
            {"error", compared([](One& row) { return row.estimate / row.seconds - 1; })},
            {"heldOutSeconds", compared(&Row::heldOut)},
            {"heldOutError", compared(GetError)},
            {"spread", compared(&Row::spread)},
            {"source", &Row::source},
            {"note", &Row::note},
        };
        folder.Write("results.csv", AddRunColumns(MakeSheet(columns, m_rows).GetFile()));
        folder.Write("summary.csv", [this](std::ostream& os) { Summarise().WriteCsv(os); });
        folder.Write("run.json", FormatRunFile(m_options, {}, nlohmann::ordered_json::object()));
        return "results.csv, summary.csv, run.json";
    }

    /** @return errors of the estimates, by device and kind of pass */
    Table Summarise() const
    {
        std::map<std::pair<std::string, std::string>, Summary> summaries;
        Summary published{"all published", "both", {}};
        for (const auto& row : m_rows)
        {
            if (!row.graph)
            {
                continue;
            }
            const bool isProfile = row.note == PROFILE;
            const std::string device = row.device + (isProfile ? ", profiles" : "");
            const std::string kind = row.IsTraining() ? "training" : "inference";
            auto& summary = summaries[{device, kind}];
            summary.device = device;
            summary.kind = kind;
            summary.rows.push_back(&row);
            if (!isProfile)
            {
                published.rows.push_back(&row);
            }
        }
        using One = const Summary;
        const auto share = [](auto isGood) {
            return [isGood](One& one) {
                return double(std::count_if(one.rows.begin(), one.rows.end(), isGood)) /
                       double(one.rows.size());
            };
        };
        const auto mean = [](One& one) {
            const double sum = std::accumulate(
                one.rows.begin(),
                one.rows.end(),
                0.0,
                [](double all, const Row* row) { return all + row->GetHeldOutError(); });
            return std::expm1(sum / double(one.rows.size()));
        };
        Sheet<Summary> sheet({
            {"", "device", &Summary::device},
            {"", "kind", &Summary::kind},
            {"", "rows", [](One& one) { return one.rows.size(); }},
            {"",
             "fit within 15%",
             share(
                 [](const Row* row) { return std::abs(row->estimate / row->seconds - 1) <= 0.15; }),
             FormatPercent},
            {"", "held out: mean", mean, FormatPercent},
            {"",
             "within 25%",
             share([](const Row* row) { return std::abs(GetError(*row)) <= 0.25; }),
             FormatPercent},
            {"",
             "in 90% interval",
             share([](const Row* row) {
                 return std::abs(row->GetHeldOutError()) <= NINETY_PERCENT * row->spread;
             }),
             FormatPercent},
        });
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

    /**
     * Add a row for the forward and one for the backward pass of each profile, if it has one.
     *
     * @param device its type
     * @param stack of the device
     * @param suffix appended to the device in the folder's name
     */
    void ReadProfiles(const std::string& device,
                      const std::string& stack,
                      const std::string& suffix = "")
    {
        for (const auto& profile : ListFiles(m_traces / "profiles" / (device + suffix), ".csv"))
        {
            const std::string stem = profile.stem().string();
            const std::string network = stem.substr(0, stem.rfind(".b"));
            const auto graph = FindGraph(network, "");
            const LayerCost cost = ReadLayerProfile(profile.string(), *graph);
            for (const auto& [kind, seconds] :
                 {std::pair{cost.mode == PassKind::TRAINING ? "forward" : "inference",
                            &cost.forwardSeconds},
                  {"backward", &cost.backwardSeconds}})
            {
                const double sum = std::accumulate(seconds->begin(), seconds->end(), 0.0);
                if (sum > 0)
                {
                    m_rows.push_back({device,
                                      stack,
                                      "",
                                      network,
                                      "",
                                      kind,
                                      cost.batch,
                                      sum,
                                      profile.lexically_relative(m_traces).string(),
                                      PROFILE,
                                      graph});
                }
            }
        }
    }

    /** Read the published rows. */
    void ReadRows()
    {
        const std::string path = fs::exists(m_file) ? m_file : (m_traces / m_file).string();
        Require(fs::exists(path),
                "--rows: found " + QuoteForMessage(m_file) +
                    ", expected a file, by path or in the traces folder");
        TextLines lines(path);
        const std::string header =
            "device,stack,framework,network,side,kind,batch,seconds,source,note";
        const std::set<std::string> kinds{"inference", "forward", "backward", "training"};
        for (std::string_view line; lines.NextRow(header, line);)
        {
            const auto split = SplitFields(line);
            const std::vector<std::string> fields(split.begin(), split.end());
            lines.Check(fields.size() == 10,
                        "found " + std::to_string(fields.size()) + " fields, expected 10");
            lines.CheckField(kinds.count(fields[5]) > 0,
                             "kind",
                             fields[5],
                             JoinWords(kinds, ", ", " or "));
            const auto parseWhole = [&lines](const char* name, const auto& text, double most) {
                const char* expected = "a whole number from 1 on";
                const double value = lines.ParseNumber(name, text, 1, most, expected);
                lines.CheckField(value == std::floor(value), name, text, expected);
                return uint32_t(value);
            };
            const std::string side =
                fields[4].empty() ? "" : std::to_string(parseWhole("side", fields[4], 10000));
            m_rows.push_back({fields[0],
                              fields[1],
                              fields[2],
                              fields[3],
                              side,
                              fields[5],
                              parseWhole("batch", fields[6], 1e6),
                              lines.ParseNumber("seconds", fields[7], 1e-9, 1e9),
                              fields[8],
                              fields[9],
                              nullptr});
            Row& row = m_rows.back();
            if (!row.stack.empty())
            {
                row.graph = FindGraph(row.network, row.side);
                const bool isKnown =
                    std::any_of(m_groups.begin(), m_groups.end(), [&row](const Group& group) {
                        return group.spec.name == row.device + "@" + row.stack;
                    });
                lines.Check(isKnown,
                            "found stack " + QuoteForMessage(row.stack) + " of device " +
                                QuoteForMessage(row.device) +
                                ", expected one of a device file, or none");
            }
        }
    }

    /**
     * @param network name of a model
     * @param side pixels of its input; empty: as in its file
     * @return the model
     */
    std::shared_ptr<const DnnGraph> FindGraph(const std::string& network, const std::string& side)
    {
        auto& graph = m_graphs[network + "/" + side];
        if (!graph)
        {
            const std::string file =
                ns3::edgepipe::FindTracesFile("network", network, "models", m_traces.string());
            DnnGraph read = ReadDnnGraph(file);
            if (!side.empty())
            {
                read = ScaleInput(read, ReadInputSide(file), std::stoul(side));
            }
            graph = std::make_shared<const DnnGraph>(std::move(read));
        }
        return graph;
    }

    /**
     * @param group a stack
     * @return its figures as expected from the other stacks
     */
    Figures Expect(const Group& group) const
    {
        const StackSpec& mine = group.spec.stacks.at(group.stack);
        // First from stacks of this processor and family, then from this stack on other devices.
        const auto add = [&](const Figures& from, double weight, bool isSameStack) {
            Figures sum = Figures::Zero(OPERATOR_FIGURES);
            for (const auto& other : m_groups)
            {
                const StackSpec& theirs = other.spec.stacks.at(other.stack);
                if (&other != &group && !other.rows.empty() && other.figures.size() > 0 &&
                    theirs.processor == mine.processor && theirs.family == mine.family &&
                    (!isSameStack || other.stack == group.stack))
                {
                    const auto networks =
                        double(std::min(MOST_NETWORKS, other.GetNetworks().size()));
                    sum += networks * (other.figures - from);
                    weight += networks;
                }
            }
            return Figures(from + sum / weight);
        };
        return add(add(m_judgements.at(mine.processor).mean, JUDGED_NETWORKS, false), 1, true);
    }

    /**
     * Minimise the sum of squares of ln(estimated / measured) over the spread of rows, and of the
     * distances of all figures from those expected over their spreads.
     *
     * @param group a stack
     * @param rows of it, to fit to
     * @param expected its figures as expected from the other stacks
     * @return the fitted figures
     */
    Figures Fit(const Group& group, const std::vector<Row*>& rows, const Figures& expected) const
    {
        if (rows.empty())
        {
            return expected;
        }
        DeviceSpec spec = group.spec;
        auto& stack = spec.stacks[group.stack];
        const Figures& spread = m_judgements.at(stack.processor).spread;
        // Steps from the expected figures, in spreads; the last one is common to all compute rates.
        const auto getFigures = [&](const Eigen::VectorXd& steps) {
            Figures figures = expected + spread.cwiseProduct(steps.head(OPERATOR_FIGURES));
            figures.head(LINEAR + 1).array() += m_rateSpread * steps[OPERATOR_FIGURES];
            return figures;
        };
        Eigen::NumericalDiff<Misfit> misfit(
            Misfit(OPERATOR_FIGURES + 1,
                   rows.size() + OPERATOR_FIGURES + 1,
                   [&](const Eigen::VectorXd& steps, Eigen::VectorXd& misfits) {
                       const Figures figures = getFigures(steps);
                       for (int i = 0; i < OPERATOR_FIGURES; ++i)
                       {
                           stack.figures[i] = std::exp(figures[i]);
                       }
                       misfits.head(OPERATOR_FIGURES + 1) = steps;
                       for (std::size_t i = 0; i < rows.size(); ++i)
                       {
                           misfits[OPERATOR_FIGURES + 1 + i] =
                               std::log(Estimate(spec, *rows[i]) / rows[i]->seconds) / m_rowSpread;
                       }
                   }),
            1e-8);
        Eigen::VectorXd steps = Eigen::VectorXd::Zero(OPERATOR_FIGURES + 1);
        Eigen::LevenbergMarquardt<Eigen::NumericalDiff<Misfit>> solver(misfit);
        solver.setXtol(1e-6);
        solver.setFtol(1e-8);
        solver.minimize(steps);
        return getFigures(steps);
    }

    /**
     * @param group a stack
     * @param isTraining whether to take rows of training
     * @param without network whose rows are left out
     * @return standard deviation of the error of its estimates, as a logarithm
     */
    double GetSpread(const Group& group, bool isTraining, const std::string& without) const
    {
        const Errors& all = m_errors.at(group.spec.stacks.at(group.stack).family);
        const double rows = std::max(1.0, all.rows);
        double squares = SPREAD_ROWS * all.squares / rows;
        double weight = SPREAD_ROWS;
        bool isStranger = true;
        for (const Row* row : group.rows)
        {
            isStranger &= row->network == without;
            if (row->network != without && row->IsTraining() == isTraining)
            {
                squares += Square(row->GetHeldOutError());
                weight += 1;
            }
        }
        return std::sqrt(isStranger ? all.strangerSquares / rows : squares / weight);
    }

    /**
     * Write the fit of a stack into its device's file.
     * @param group a stack
     */
    void WriteDevice(const Group& group) const
    {
        const std::string name = group.spec.name.substr(0, group.spec.name.find('@'));
        const auto path = m_traces / "devices" / (name + ".json");
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
        folder.Write(path.filename().string(), device.dump(2) + "\n");
        folder.Commit();
    }

    fs::path m_traces;                             //!< the traces folder
    std::string m_file;                            //!< published rows
    std::string m_device;                          //!< whose file is written; empty: all
    bool m_isWriting{false};                       //!< whether to write device files
    double m_rateSpread{0};                        //!< of all rates of a stack together
    double m_rowSpread{0};                         //!< of rows
    std::map<std::string, Judgement> m_judgements; //!< by processor
    std::map<std::string, std::shared_ptr<const DnnGraph>> m_graphs; //!< by name and side
    std::vector<Row> m_rows;                                         //!< measured
    std::vector<Group> m_groups;                                     //!< stacks
    std::map<std::string, Errors> m_errors;                          //!< by family of stacks
};

} // namespace

int
main(int argc, char* argv[])
{
    return RunExperiment<CostFit>("cost-fit",
                                  "Fit the costs of layers on devices to measured times of whole "
                                  "networks, and show the errors of the estimates.",
                                  argc,
                                  argv);
}
