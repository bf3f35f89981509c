/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/scenario-options.h"
#include "lib/traces-option.h"

#include "ns3/edgepipe-cost-provider.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-json-reader.h"
#include "ns3/edgepipe-traces-folder.h"
#include "ns3/edgepipe-training-memory.h"

#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/// Launches of an update on GPUs for each layer with weights, which others' trainings took.
constexpr double UPDATE_LAUNCHES = 3;

/** A pass of a batch through a network. */
struct Pass
{
    const DeviceSpec& spec; //!< with the stack for both kinds of pass
    const DnnGraph& graph;  //!< of the network
    std::string kind;       //!< see Passes
    uint32_t batch;         //!< samples

    /** @return estimated time of the pass, s */
    double Estimate() const
    {
        const PassKind mode = kind == "inference" ? PassKind::INFERENCE : PassKind::TRAINING;
        const LayerCost cost = EstimateLayerCosts(graph, spec, batch, mode);
        const auto sum = [](const auto& all) {
            return std::accumulate(all.begin(), all.end(), 0.);
        };
        return (kind == "backward" ? 0 : sum(cost.forwardSeconds)) +
               sum(cost.backwardSeconds) * (kind != "forward") +
               (kind == "training" ? EstimateUpdate() : 0);
    }

    /** @return estimated time of an update by SGD with momentum, s */
    double EstimateUpdate() const
    {
        const StackSpec& stack = spec.GetStack(PassKind::TRAINING);
        const double launches = stack.processor == "gpu" ? UPDATE_LAUNCHES : 0;
        double seconds = 0;
        for (const DnnLayer& layer : graph.layers)
        {
            seconds +=
                GetUpdatePasses(1) * layer.parameterBytes / spec.memoryBandwidthBytesPerSecond;
            seconds +=
                layer.parameterBytes > 0 ? launches * stack.figures[LAYER_OVERHEAD_SECONDS] : 0;
        }
        return seconds;
    }
};

/** Passes, and what they refer to by name. */
class Passes
{
  public:
    /**
     * @param list of objects with the keys device (NAME@STACK), network, side (optional), kind
     *        (inference, forward or backward of training, or training with the update), batch, and
     *        where the pass was asked for (place, optional)
     * @param traces the traces folder
     */
    Passes(const JsonField& list, const std::string& traces)
    {
        const std::set<std::string> kinds{"inference", "forward", "backward", "training"};
        for (const JsonField& one : list.GetElements())
        {
            one.CheckKeys({"place", "device", "network", "side", "kind", "batch"});
            const std::string device = one.GetField("device").GetString();
            const std::string network = one.GetField("network").GetString();
            const auto side = one.FindField("side");
            const auto named = one.FindField("place");
            const std::string place = named ? named->GetString() : one.GetPlace();
            const std::string kind = one.GetField("kind").GetString();
            one.GetField("kind").Expect(kinds.count(kind) > 0, JoinWords(kinds, ", ", " or "));
            if (m_specs.count(device) == 0)
            {
                m_specs[device] = FindDeviceSpec(place + ": device", device, traces);
            }
            const uint32_t pixels = side ? side->GetInteger(1, 10000) : 0;
            DnnGraph& graph = m_graphs[{network, pixels}];
            if (graph.layers.empty())
            {
                const auto file = FindTracesFile(place + ": network", network, "models", traces);
                graph = ReadDnnGraph(file);
                graph = side ? ScaleInput(graph, ReadInputSide(file), pixels) : graph;
            }
            m_passes.push_back({m_specs[device],
                                graph,
                                kind,
                                uint32_t(one.GetField("batch").GetInteger(1, 1000000))});
        }
    }

    /** @param figures of stacks, objects by the device's name as passes have it */
    void SetFigures(const JsonField& figures)
    {
        const auto& names = GetOperatorFigureNames();
        for (const auto& [device, mine] : figures.GetMembers())
        {
            const auto spec = m_specs.find(device);
            mine.Expect(spec != m_specs.end(), "figures of a device of the passes");
            for (auto& [name, stack] : spec->second.stacks)
            {
                for (int i = 0; i < OPERATOR_FIGURES; ++i)
                {
                    stack.figures[i] = mine.GetField(names[i]).GetPositiveNumber();
                }
            }
        }
    }

    /** Print estimated times, s, as a line of JSON. */
    void Print() const
    {
        std::vector<double> seconds;
        for (const Pass& pass : m_passes)
        {
            seconds.push_back(pass.Estimate());
        }
        std::cout << nlohmann::json(seconds).dump() << std::endl;
    }

  private:
    std::map<std::string, DeviceSpec> m_specs;                     //!< by name
    std::map<std::pair<std::string, uint32_t>, DnnGraph> m_graphs; //!< by name and side
    std::vector<Pass> m_passes;                                    //!< in their order
};

} // namespace

int
main(int argc, char* argv[])
{
    return RunScenario("estimate", argc, argv, [](int argc, char* argv[]) {
        ScenarioOptions options("estimate",
                                "Estimate how long passes of networks take on devices, without "
                                "profiles: prints the seconds of all passes, a line of JSON. For "
                                "each line of figures of stacks, {\"NAME@STACK\": {...}}, on "
                                "standard input it prints another, as cost-fit asks for.");
        std::string file;
        AddTracesOption(options);
        options.Bind("passes=", file)
            .Help("JSON file with a list of {\"device\": \"NAME@STACK\", \"network\": NAME, "
                  "\"kind\": inference, forward, backward or training, \"batch\": samples}, and "
                  "possibly \"side\", pixels of the input, and \"place\", for messages");
        options.Parse(argc, argv);
        Passes passes(file.empty() ? ParseJsonText("[]", "--passes") : ReadJsonFile(file),
                      FindTracesFolder(options));
        options.EndDryRun();
        passes.Print();
        for (std::string line; std::getline(std::cin, line);)
        {
            passes.SetFigures(ParseJsonText(line, "standard input"));
            passes.Print();
        }
        return 0;
    });
}
