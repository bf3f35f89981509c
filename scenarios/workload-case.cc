/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/flow-errors.h"
#include "lib/workload.h"
#include "runs/progress.h"

#include "ns3/edgepipe-random-streams.h"
#include "ns3/rng-seed-manager.h"

#include <sstream>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

using Json = nlohmann::ordered_json;

/// Most times that a case is lengthened.
constexpr uint32_t MOST_TRIES = 5;

/// Largest seed of draws.
constexpr uint32_t LARGEST_SEED = 39999;

/**
 * @param text options of a case, see --case
 * @return names and values, in order
 * @throws InputError if a word is not NAME=VALUE, or a name occurs twice
 */
std::vector<std::pair<std::string, std::string>>
SplitOptions(const std::string& text)
{
    std::vector<std::pair<std::string, std::string>> values;
    std::istringstream words(text);
    const char between = text.find('\t') == std::string::npos ? ' ' : '\t';
    for (std::string word; std::getline(words, word, between);)
    {
        if (word.empty())
        {
            continue;
        }
        const auto equals = word.find('=');
        Require(equals != std::string::npos, "found \"" + word + "\", expected NAME=VALUE");
        const std::string name = word.substr(0, equals);
        Require(!AnyOf(values, [&](auto& one) { return one.first == name; }),
                "found a second " + name + ", expected it once");
        values.emplace_back(name, word.substr(equals + 1));
    }
    return values;
}

/**
 * Set options, each of which replaces one of its name.
 *
 * @param more names and values
 * @param values that they are set in, by name
 */
void
SetOptions(const std::vector<std::pair<std::string, std::string>>& more,
           std::vector<std::pair<std::string, std::string>>& values)
{
    for (const auto& [name, value] : more)
    {
        const auto old = FindIf(values, [&name = name](auto& one) { return one.first == name; });
        (old ? *old : values.emplace_back(name, value)).second = value;
    }
}

/// Begins the name of a level that leaves out one of ListFlowRules.
const std::string WITHOUT = "flow-";

/**
 * @param network of a case
 * @param level flow, packet, flow-RULE, or ideal: wires of 1 Tbit/s
 * @return the case's network at that level
 */
NetworkOptions
MakeNetwork(NetworkOptions network, const std::string& level)
{
    if (level != "ideal")
    {
        network.fidelity = level.find(WITHOUT) == 0 ? "flow" : level;
        return network;
    }
    NetworkOptions ideal;
    ideal.mtuBytes = network.mtuBytes;
    ideal.Set("Bandwidth", RateStepsValue(1e12), "Delay", TimeValue(Time()));
    return ideal;
}

/**
 * @param outcome of a simulation
 * @return its answered requests: device, number, end and duration of each, s
 */
Json
ListAnswered(const CaseOutcome& outcome)
{
    Json found = Json::array();
    for (const auto& one : outcome.answered)
    {
        found.push_back({one.device, one.number, one.ended.GetSeconds(), one.seconds});
    }
    return found;
}

/**
 * Simulate a case with consecutive run numbers, from ns-3's current one on; once, if the second
 * turns out like the first.
 *
 * @param made the case
 * @param network that joins the devices
 * @param runs most simulations
 * @param isEach whether to list answered requests
 * @param longer is set to CaseOutcome::longer of the last that needs it
 * @return their outcomes
 */
Json
Simulate(Workload& made,
         const NetworkOptions& network,
         uint32_t runs,
         bool isEach,
         std::vector<std::pair<std::string, std::string>>& longer)
{
    Json found = Json::array();
    const uint64_t first = RngSeedManager::GetRun();
    Json certain;
    for (uint32_t run = 0; run < runs; ++run)
    {
        RngSeedManager::SetRun(first + run);
        const Stopwatch watch;
        const CaseOutcome outcome = made.Simulate(0, network, {});
        longer = outcome.longer.empty() ? longer : outcome.longer;
        const Json drawn{outcome.seconds, outcome.bytesMoved, outcome.end.GetTimeStep()};
        if (run == 1 && drawn == certain)
        {
            break;
        }
        certain = run == 0 ? drawn : certain;
        found.push_back({{"isFinished", outcome.isFinished},
                         {"seconds", outcome.seconds},
                         {"perSecond", outcome.perSecond},
                         {"requests", outcome.requests},
                         {"bytesMoved", outcome.bytesMoved},
                         {"events", outcome.events},
                         {"endSeconds", outcome.end.GetSeconds()},
                         {"decisionSeconds", outcome.decisionSeconds},
                         {"simulationSeconds", watch.GetSeconds()},
                         {"peakMemoryBytes", GetPeakMemoryBytes()},
                         {"diagnosis", outcome.diagnosis}});
        if (isEach && !outcome.answered.empty())
        {
            found.back()["answered"] = ListAnswered(outcome);
            found.back()["isClosedLoop"] = outcome.isClosedLoop;
            found.back()["isSaturated"] = outcome.isSaturated;
        }
        for (const auto& [column, cell] : outcome.columns)
        {
            found.back()["columns"][column] = cell;
        }
    }
    RngSeedManager::SetRun(first);
    return found;
}

/** @return how sweeps vary each workload, by name */
Json
DescribeWorkloads()
{
    Json all = Json::object();
    for (const auto& name : ListWorkloads())
    {
        const WorkloadSweep sweep = FindByName<Workload>("workload", name)->GetSweep();
        all[name] = {{"count", sweep.count},
                     {"planner", sweep.planner},
                     {"perDevice", sweep.perDevice},
                     {"units", sweep.units},
                     {"planners", sweep.planners},
                     {"draws", sweep.draws},
                     {"copies", sweep.copies}};
    }
    return all;
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunScenario("workload-case", argc, argv, [](int argc, char* argv[]) {
        ScenarioOptions options("workload-case",
                                "Run one case of any workload, as studies do, and print, as JSON, "
                                "the figures that all workloads have.");
        std::string text;
        std::vector<std::string> levels;
        uint32_t runs;
        bool isEach;
        uint32_t values;
        uint32_t seed;
        options.Bind("case=", text)
            .Help("options of a scenario without their dashes, separated by spaces, workload=NAME "
                  "among them; empty: print how sweeps vary each workload");
        options.Bind("levels=flow", levels)
            .Help("levels to simulate, planned once: flow, packet, ideal (wires of 1 Tbit/s), or "
                  "flow-RULE, without a rule of --without; separated by commas");
        options.Bind("runs=1", runs, 1, 1000)
            .Help("simulations of each level, with consecutive run numbers; one if the second is "
                  "like the first");
        options.Bind("requests=false", isEach)
            .Help("whether to print every answered request, and to lengthen the warm-up until all "
                  "devices have begun");
        options.Bind("values=0", values, 0, 100000000)
            .Help("without --case: how many random numbers from 0 to 1 to print as well, by which "
                  "cases are drawn");
        options.Bind("seed=1", seed, 0, LARGEST_SEED).Help("seed of the numbers of --values");
        options.Need({"levels", "runs", "requests"}, "case", "a case");
        options.Need({"seed"}, "values", "a number");
        AddTracesOption(options);
        options.Parse(argc, argv);
        const auto rules = ListFlowRules();
        const auto names = Map(rules, [](const auto& rule) { return rule.first; });
        Json found;
        std::map<std::string, LayerCost> costs;
        if (text.empty())
        {
            options.EndDryRun();
            found["workloads"] = DescribeWorkloads();
            found["rules"] = names;
            const auto uniform =
                MakeRandomVariable<UniformRandomVariable>(random_streams::FIDELITY_DRAW.Get(seed));
            found["values"] = Json::array();
            for (; values > 0; --values)
            {
                found["values"].push_back(uniform->GetValue());
            }
        }
        else
        {
            std::string name;
            auto words = SplitOptions(text);
            std::optional<ConfiguredWorkload> configured;
            const auto configure = [&] {
                const auto isName = [](auto& one) { return one.first == "workload"; };
                const auto named = FindIf(words, isName);
                name = named ? named->second : ListWorkloads().front();
                auto values = Filter(words, std::not_fn(isName));
                values.emplace(values.begin(), "traces", FindTracesFolder(options));
                configured.emplace(name, values);
            };
            configure();
            // Plan by measured values as printed in the case's text: their last digit may matter.
            if (const auto measured = (*configured)->GetMeasured(); !measured.empty())
            {
                SetOptions(measured, words);
                configure();
            }
            options.EndDryRun();
            Json simulated;
            std::size_t stages = 0;
            uint64_t planningPeak = 0;
            for (uint32_t tries = 0;; ++tries)
            {
                Workload& made = *configured->Get();
                stages = made.CountStages();
                planningPeak = GetPeakMemoryBytes();
                std::vector<std::pair<std::string, std::string>> longer;
                const bool mayLengthen = isEach && tries < MOST_TRIES;
                for (const auto& level : levels)
                {
                    AttributeDefaults defaults;
                    if (level.find(WITHOUT) == 0)
                    {
                        const auto rule = rules.find(level.substr(WITHOUT.size()));
                        options.Expect("levels",
                                       rule != rules.end(),
                                       WITHOUT + "RULE with a rule of " + JoinWords(names));
                        defaults.Set(rule->second, BooleanValue(false));
                    }
                    simulated[level] =
                        Simulate(made, MakeNetwork(made.GetNetwork(), level), runs, isEach, longer);
                    if (mayLengthen && !longer.empty())
                    {
                        break;
                    }
                }
                if (!mayLengthen || longer.empty())
                {
                    break;
                }
                SetOptions(longer, words);
                configure();
            }
            const ConfiguredWorkload& made = *configured;
            costs = made->GetLayerCosts();
            const NetworkOptions& network = made->GetNetwork();
            const std::string between = text.find('\t') == std::string::npos ? " " : "\t";
            const auto join = [](auto& word) { return word.first + "=" + word.second; };
            found = {{"case", JoinWords(Map(words, join), between)},
                     {"workload", name},
                     {"link", network.GetLinkName()},
                     {"fidelity", network.fidelity},
                     {"devices", made->CountDevices()},
                     {"stages", stages},
                     {"planningPeakMemoryBytes", planningPeak}};
            found["note"] = DescribeFlowErrors(options, name, network);
            for (const auto& [column, cell] : ListRunColumns(&network))
            {
                found["columns"][column] = cell;
            }
            found["levels"] = simulated;
        }
        found["run"] = Json::parse(FormatRunFile(options, costs, Json::object()));
        std::cout << found.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
        return 0;
    });
}
