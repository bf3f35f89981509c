// SPDX-License-Identifier: GPL-2.0-only
//
// What a decision by a program costs beside the program's own time: writing the problem, both ways
// through pipes, reading the plan. An echo planner in C++ answers at once; another in Python shows
// what reading and writing costs there. Medians; fails when the first takes too much of the other's
// time, but for --short, since machines under test are busy.
//
//   outside-planner-benchmark [--short]

#include "measured-run.h"

#include "ns3/edgepipe-cluster.h"
#include "ns3/edgepipe-cost-provider.h"
#include "ns3/edgepipe-dnn-graph.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/edgepipe-pipeline-problem-builder.h"
#include "ns3/edgepipe-problem-json.h"

#include <filesystem>

namespace
{

/// Most time of a decision by the C++ program over that by Python's.
constexpr double SHARE_LIMIT = 0.5;

/** A problem and its name. */
struct Case
{
    std::string name;        //!< for people
    PipelineProblem problem; //!< what is decided on
};

/** @return AlexNet on the fifteen devices of the DGPAS testbed */
PipelineProblem
MakeAlexNet()
{
    const std::string traces = EDGEPIPE_ROOT "/traces";
    const DnnGraph graph = ReadDnnGraph(traces + "/models/alexnet.json");
    const Cluster cluster = ReadCluster(traces + "/clusters/dgpas-testbed.json", traces);
    const auto costs = FindLayerCosts(traces, graph, cluster.specs, 32, PassKind::TRAINING);
    return BuildPipelineProblem(graph, cluster, costs, 32, 4, 900e6);
}

/** @return 1,000 layers on 64 devices of 8 types */
PipelineProblem
MakeLarge()
{
    constexpr std::size_t layers = 1000;
    constexpr std::size_t types = 8;
    PipelineProblem problem;
    problem.microBatches = 8;
    problem.bandwidthBitsPerSecond = 941.4e6 / 7;
    for (std::size_t i = 0; i < layers; ++i)
    {
        problem.layers.push_back({"features.block" + std::to_string(i), {}, 401408, 36864, 802816});
        if (i > 0)
        {
            problem.layers.back().inputs = {i - 1};
        }
    }
    for (std::size_t i = 0; i < 64; ++i)
    {
        problem.devices.push_back({"device-" + std::to_string(i),
                                   "type-" + std::to_string(i % types),
                                   uint64_t{8} << 30});
    }
    for (std::size_t type = 0; type < types; ++type)
    {
        LayerSeconds& seconds = problem.costs["type-" + std::to_string(type)];
        for (std::size_t i = 0; i < layers; ++i)
        {
            seconds.forwardSeconds.push_back(1e-3 * (type + 1) / (i + 3));
            seconds.backwardSeconds.push_back(2e-3 * (type + 1) / (i + 3));
        }
    }
    return problem;
}

/// @return the median time of a decision but for the first, seconds
double
TimeDecisions(const std::string& command, const PipelineProblem& problem, std::size_t decisions)
{
    const auto planner = FindByName<PipelinePlanner>("planner", "exec:" + command);
    std::vector<double> seconds;
    for (std::size_t i = 0; i <= decisions; ++i)
    {
        planner->Plan(problem);
        seconds.push_back(planner->GetDecisionSeconds());
    }
    seconds.erase(seconds.begin());
    return GetMedian(seconds);
}

int
Run(bool isShort, const std::string& program)
{
    char folder[] = "/tmp/edgepipe-XXXXXX";
    if (!mkdtemp(folder))
    {
        std::cerr << "no temporary folder\n";
        return 1;
    }
    const std::string plan = std::string(folder) + "/plan.json";
    const std::string python = std::string(folder) + "/echo.py";
    std::ofstream(python) << "import sys\nsys.path.insert(0, '" EDGEPIPE_ROOT "/analysis')\n"
                          << "from edgepipe import planner\n"
                          << "from edgepipe.problems import read_plan\n"
                          << "import json\nform = json.load(open('" << plan << "'))\n"
                          << "@planner\ndef echo(problem):\n"
                          << "    return read_plan(problem, form)\n";
    const std::size_t decisions = isShort ? 101 : 1001;
    Table table({"problem", "request", "C++ (ms)", "Python (ms)", "of it Python's"});
    bool isGood = true;
    for (const Case& one : {Case{"AlexNet, 15 devices", MakeAlexNet()},
                            Case{"1,000 layers, 64 devices of 8 types", MakeLarge()}})
    {
        const auto even = FindByName<PipelinePlanner>("planner", "even")->Plan(one.problem);
        std::ofstream(plan) << MakeAnswer(one.problem, even, "echo") << std::endl;
        const double echo = TimeDecisions(program + " " + plan, one.problem, decisions);
        const double parsed =
            TimeDecisions("/usr/bin/python3 " + python, one.problem, decisions / 5);
        isGood = isGood && echo <= SHARE_LIMIT * parsed;
        table.AddRow(
            {one.name,
             Table::Bytes(
                 FormatRequest<PipelineProblem, PipelinePlan>(one.problem, nullptr).size()),
             Table::Rounded(1e3 * echo),
             Table::Rounded(1e3 * parsed),
             Table::Rounded(1e3 * (parsed - echo))});
    }
    table.Print(std::cout);
    std::filesystem::remove_all(folder);
    return isGood || isShort ? 0 : 1;
}

} // namespace

/// @return 0 unless decisions took longer than they may
int
main(int argc, char* argv[])
{
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
    return Run(IsShort(argc, argv), (self.parent_path() / "echo-planner").string());
}
