/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What deciding a two-way cut costs: QdmpPlanner against one minimum cut of the whole graph by each
 * of Boost.Graph's algorithms, on the models of traces/models and on long networks of their kind.
 *
 *   two-way-cut-benchmark                 every case; fails if a limit is exceeded
 *   two-way-cut-benchmark --short         less of it, with a wider limit on growth, for the tests
 */

#include "measured-run.h"

#include "ns3/edgepipe-cost-provider.h"
#include "ns3/edgepipe-two-way-cut-cost.h"
#include "ns3/edgepipe-two-way-cut-planner.h"
#include "ns3/edgepipe-two-way-cut-problem-builder.h"

namespace
{

/// Most time of a decision after a change of bandwidth, over that on a model never seen before.
constexpr double WARM_LIMIT = 0.005;
/// Most share of the instructions of Boykov-Kolmogorov at 10,000 layers.
constexpr double SHARE_LIMIT = 0.1;
/// Most share of its time on models, whose decisions take as long as what every planner does before
/// and after.
constexpr double MODEL_SHARE_LIMIT = 0.4;
/// Most growth of the decision's time per layer from 100 to 100,000 layers.
constexpr double GROWTH_LIMIT = 2;
/// A short run, on a busy machine, may grow by so many times as much.
constexpr double SHORT_SLACK = 3;
/// Most relative difference between latencies that must be equal.
constexpr double LATENCY_LIMIT = 1e-9;

const std::string TRACES = EDGEPIPE_ROOT "/traces";

/// @return it, between a Raspberry Pi 4B and a server over 4G
TwoWayCutProblem
ReadModel(const std::string& name)
{
    const DnnGraph graph = ReadDnnGraph(TRACES + "/models/" + name + ".json");
    const auto cost = [&graph](const std::string& type) {
        const DeviceSpec spec = ReadDeviceSpec(TRACES + "/devices/" + type + ".json");
        return FindLayerCosts(TRACES, graph, {spec}, 1, PassKind::INFERENCE).at(type);
    };
    return BuildTwoWayCutProblem(graph,
                                 cost("raspberry-pi-4b"),
                                 cost("rtx-2080-ti"),
                                 {5.85e6, 5.85e6});
}

/// @return chains and blocks of four parallel chains by turns, as in GoogLeNet
TwoWayCutProblem
MakeLongModel(std::size_t layers)
{
    std::mt19937_64 engine(layers);
    const auto draw = [&engine] { return (engine() >> 11) * 0x1p-53; };
    TwoWayCutProblem problem;
    problem.inputBytes = 600000;
    problem.uplinkBitsPerSecond = problem.downlinkBitsPerSecond = 5.85e6 * layers / 100;
    const auto add = [&](std::vector<std::size_t> inputs) {
        const double seconds = draw() * 0.01;
        problem.layers.Edit().push_back({"l" + std::to_string(problem.layers.size()),
                                         std::move(inputs),
                                         engine() % 500000,
                                         seconds,
                                         seconds / 20});
        return problem.layers.size() - 1;
    };
    std::size_t last = add({});
    while (problem.layers.size() < layers)
    {
        last = add({last});
        last = add({last});
        if (problem.layers.size() + 20 > layers)
        {
            continue;
        }
        std::vector<std::size_t> ends;
        for (const std::size_t length : {3, 6, 6, 4})
        {
            std::size_t end = last;
            for (std::size_t i = 0; i < length; ++i)
            {
                end = add({end});
            }
            ends.push_back(end);
        }
        last = add(ends);
    }
    return problem;
}

/// @return a planner that finds the best partition as one minimum cut of the whole graph
Ptr<TwoWayCutPlanner>
MakeWholeGraphPlanner(const std::string& algorithm)
{
    const auto planner = FindByName<TwoWayCutPlanner>("planner", "dads");
    planner->SetAttribute("CountInput", BooleanValue(true));
    planner->SetAttribute("Belief", StringValue("in-context"));
    planner->SetAttribute("Algorithm", StringValue(algorithm));
    return planner;
}

/** A case to measure. */
struct Case
{
    std::string name;         //!< for the table
    TwoWayCutProblem problem; //!< the problem
};

} // namespace

int
main(int argc, char* argv[])
{
    // With what every planner does before and after it decides.
    const auto decide = [](Ptr<TwoWayCutPlanner> planner) {
        const TwoWayCutProblem problem = MakeLongModel(10000);
        Measure([&] { planner->Plan(problem); });
    };
    const auto common = [] {
        const TwoWayCutProblem problem = MakeLongModel(10000);
        const auto plan = FindByName<TwoWayCutPlanner>("planner", "qdmp")->Plan(problem);
        Measure([&] {
            ValidateTwoWayCutProblem(problem);
            CheckTwoWayCut(problem, plan);
        });
    };
    const CountedWorks works{
        {"common", common},
        {"qdmp", [&] { decide(FindByName<TwoWayCutPlanner>("planner", "qdmp")); }},
        {"boykov-kolmogorov", [&] { decide(MakeWholeGraphPlanner("boykov-kolmogorov")); }}};
    if (RunCounted(argc, argv, works))
    {
        return 0;
    }
    const bool isShort = IsShort(argc, argv);
    const double slack = isShort ? SHORT_SLACK : 1;
    const std::vector<std::string> algorithms{"boykov-kolmogorov", "push-relabel", "edmonds-karp"};
    std::vector<Case> cases;
    for (const char* model : {"googlenet", "inception_v3"})
    {
        cases.push_back({model, ReadModel(model)});
    }
    for (const std::size_t layers : {100, 1000, 10000, 100000})
    {
        cases.push_back({std::to_string(layers) + " layers", MakeLongModel(layers)});
    }

    bool ok = true;
    Table table({"case",
                 "layers",
                 "qdmp",
                 "envelope",
                 "lookup",
                 algorithms[0],
                 algorithms[1],
                 algorithms[2]});
    const auto format = [](double seconds) { return Table::Rounded(seconds * 1e6) + " us"; };
    std::vector<double> secondsPerLayer;
    for (const Case& what : cases)
    {
        const std::size_t layers = what.problem.layers.size();
        const std::size_t repeats = std::max<std::size_t>(51, 200000 / layers / (isShort ? 5 : 1));
        const auto qdmp = FindByName<TwoWayCutPlanner>("planner", "qdmp");
        const TwoWayCutPlan plan = qdmp->Plan(what.problem);
        const double latency = EvaluateTwoWayCut(what.problem, plan).latencySeconds;
        // With what every planner does before and after it decides.
        const double cold = MeasureLeast([&] { qdmp->Plan(what.problem); }, repeats);
        const auto check = [&] {
            ValidateTwoWayCutProblem(what.problem);
            CheckTwoWayCut(what.problem, plan);
        };
        const double common = MeasureLeast(check, repeats);
        const double envelopeSeconds =
            MeasureLeast([&] { qdmp->PlanEveryBandwidth(what.problem); }, repeats / 5 + 1);
        const auto envelope = qdmp->PlanEveryBandwidth(what.problem);
        // Plans are made when first asked for; that a bandwidth moves to and fro is what is warm.
        std::size_t onDevice = 0;
        const auto lookUp = [&] {
            for (int i = -500; i < 500; ++i)
            {
                const double bandwidth = what.problem.uplinkBitsPerSecond * std::exp2(i / 100.0);
                onDevice += envelope->FindPlan(bandwidth).isOnDevice[layers / 2];
            }
        };
        lookUp();
        const double warm = MeasureLeast(lookUp, 21) / 1000;
        std::vector<std::string> row{what.name,
                                     std::to_string(layers),
                                     format(cold),
                                     format(envelopeSeconds),
                                     format(warm)};
        for (const std::string& algorithm : algorithms)
        {
            // Longer ones take minutes.
            const std::size_t most = algorithm == "boykov-kolmogorov" ? 100000
                                     : algorithm == "push-relabel"    ? 10000
                                                                      : 1000;
            if (layers > most + 10)
            {
                row.emplace_back("");
                continue;
            }
            const auto planner = MakeWholeGraphPlanner(algorithm);
            const double other =
                EvaluateTwoWayCut(what.problem, planner->Plan(what.problem)).latencySeconds;
            ok &= CheckAtMost(what.name + ", latency against " + algorithm,
                              std::abs(latency / other - 1),
                              LATENCY_LIMIT);
            const std::size_t times = layers > 1000 ? 5 : 21;
            const double seconds = MeasureLeast([&] { planner->Plan(what.problem); }, times);
            row.push_back(format(seconds));
            const bool isModel = what.name.find("layers") == std::string::npos;
            if (isModel && algorithm == "boykov-kolmogorov")
            {
                ok &= CheckAtMost(what.name + ", decision's share of " + algorithm + "'s",
                                  (cold - common) / (seconds - common),
                                  MODEL_SHARE_LIMIT);
            }
        }
        table.AddRow(row);
        ok &= CheckAtMost(what.name + ", lookup over a cold decision", warm / cold, WARM_LIMIT);
        if (what.name.find("layers") != std::string::npos)
        {
            secondsPerLayer.push_back((cold - common) / layers);
        }
    }
    ok &= CheckAtMost("growth of the decision's time per layer from 100 to 100,000 layers",
                      secondsPerLayer.back() / secondsPerLayer.front(),
                      GROWTH_LIMIT * slack);
    const double counted = CountInstructions("common");
    ok &= CheckAtMost("10,000 layers, decision's share of boykov-kolmogorov's instructions",
                      (CountInstructions("qdmp") - counted) /
                          (CountInstructions("boykov-kolmogorov") - counted),
                      SHARE_LIMIT);
    std::cout << "\nleast time of each:\n";
    table.Print(std::cout);
    return ok ? 0 : 1;
}
