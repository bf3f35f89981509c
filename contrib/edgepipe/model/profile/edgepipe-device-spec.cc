/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-device-spec.h"

#include "edgepipe-traces-folder.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-json-reader.h"
#include "ns3/edgepipe-ranges.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace ns3::edgepipe
{

namespace
{

/**
 * @param parent the object that holds the figure
 * @param key the figure's key
 * @return the figure's value; a figure must also say its source
 */
JsonField
GetFigure(const JsonField& parent, const std::string& key)
{
    JsonField figure = parent.GetField(key);
    figure.CheckKeys({"value", "source"});
    figure.GetField("source").GetName();
    return figure.GetField("value");
}

/**
 * @param field an element of "stacks"
 * @return the stack
 */
StackSpec
ReadStack(const JsonField& field)
{
    const auto& names = GetOperatorFigureNames();
    field.CheckKeys({"version",
                     "source",
                     "processor",
                     "family",
                     "kind",
                     "precision",
                     "fusesActivations",
                     "weightBytes",
                     "tensorCoreGain",
                     "spread",
                     "figures"});
    field.GetField("source").GetName();
    const JsonField spread = field.GetField("spread");
    spread.CheckKeys({"inference", "training"});
    const JsonField figures = field.GetField("figures");
    figures.CheckKeys({names.begin(), names.end()});
    const JsonField processor = field.GetField("processor");
    const std::vector<std::string> processors{"gpu", "arm", "x86"};
    processor.Expect(std::count(processors.begin(), processors.end(), processor.GetString()) > 0,
                     JoinWords(processors, ", ", " or "));
    const auto family = field.FindField("family");
    const auto kind = field.FindField("kind");
    const auto precision = field.FindField("precision");
    const std::vector<std::string> kinds{"eager", "compiled", "engine"};
    if (kind)
    {
        kind->Expect(std::count(kinds.begin(), kinds.end(), kind->GetString()) > 0,
                     JoinWords(kinds, ", ", " or "));
    }
    StackSpec stack{field.GetField("version").GetName(),
                    processor.GetString(),
                    family ? family->GetName() : "",
                    kind ? kind->GetString() : "",
                    precision ? precision->GetName() : "",
                    field.GetField("fusesActivations").GetBoolean(),
                    field.GetField("weightBytes").GetPositiveNumber(),
                    field.GetField("tensorCoreGain").GetNumber(1),
                    spread.GetField("inference").GetNumber(0),
                    spread.GetField("training").GetNumber(0),
                    {}};
    std::transform(names.begin(), names.end(), stack.figures.begin(), [&figures](const char* name) {
        return figures.GetField(name).GetPositiveNumber();
    });
    return stack;
}

} // namespace

bool
StackSpec::operator==(const StackSpec& other) const
{
    const auto tie = [](const StackSpec& stack) {
        return std::tie(stack.processor,
                        stack.fusesActivations,
                        stack.weightBytes,
                        stack.tensorCoreGain,
                        stack.inferenceSpread,
                        stack.trainingSpread,
                        stack.figures);
    };
    return tie(*this) == tie(other);
}

std::string
StackSpec::Describe() const
{
    return kind + (kind.empty() || precision.empty() ? "" : ", ") + precision;
}

const std::array<const char*, OPERATOR_FIGURES>&
GetOperatorFigureNames()
{
    static const std::array<const char*, OPERATOR_FIGURES> names{"convolution3x3",
                                                                 "convolution1x1",
                                                                 "convolution",
                                                                 "groupedConvolution",
                                                                 "depthwiseConvolution",
                                                                 "linear",
                                                                 "elementwise",
                                                                 "pooling",
                                                                 "batchNormalization",
                                                                 "responseNormalization",
                                                                 "linearWeights",
                                                                 "backwardConvolution",
                                                                 "backwardDepthwise",
                                                                 "backwardLinear",
                                                                 "backwardElementwise",
                                                                 "backwardPooling",
                                                                 "backwardBatchNormalization",
                                                                 "layerOverheadSeconds",
                                                                 "saturationOutputs",
                                                                 "cacheSpeedup",
                                                                 "cacheBytes"};
    return names;
}

const StackSpec&
DeviceSpec::GetStack(PassKind kind) const
{
    const auto stack = stacks.find(kind == PassKind::TRAINING ? trainingStack : inferenceStack);
    Require(stack != stacks.end(),
            "device type " + QuoteForMessage(name) +
                ": found no stack to estimate costs with, expected a profile of the model, or "
                "\"stacks\" in its file");
    if (kind == PassKind::TRAINING && stack->second.kind == "engine")
    {
        const auto able = Filter(stacks, [](auto& one) { return one.second.kind != "engine"; });
        throw InputError(
            "device type " + QuoteForMessage(name) + ": found stack " + stack->first +
            ", an engine for inference, expected one that trains: " +
            (able.empty()
                 ? "it has none"
                 : JoinWords(Map(able, [](auto& one) { return one.first; }), ", ", " or ")));
    }
    return stack->second;
}

bool
DeviceSpec::operator==(const DeviceSpec& other) const
{
    const auto tie = [](const DeviceSpec& spec) {
        return std::tie(spec.name,
                        spec.peakFlopPerSecond,
                        spec.memoryBytes,
                        spec.usableMemoryBytes,
                        spec.memoryBandwidthBytesPerSecond,
                        spec.idleWatts,
                        spec.loadWatts,
                        spec.stacks,
                        spec.inferenceStack,
                        spec.trainingStack);
    };
    return tie(*this) == tie(other);
}

std::size_t
AddDeviceType(std::vector<DeviceSpec>& types, const DeviceSpec& spec)
{
    const auto known = std::find_if(types.begin(), types.end(), [&spec](const auto& other) {
        return other.name == spec.name;
    });
    const std::size_t place = known - types.begin();
    Require(known == types.end() || *known == spec,
            "device type " + QuoteForMessage(spec.name) +
                ": found two with different figures, expected a name for each");
    if (known == types.end())
    {
        types.push_back(spec);
    }
    return place;
}

DeviceSpec
ReadDeviceSpec(const std::string& path, const std::string& stack)
{
    JsonField root = ReadJsonFile(path);
    root.CheckFormat("edgepipe-device 2");
    const std::vector<const char*> required{"description",
                                            "peakFlopPerSecond",
                                            "memoryBytes",
                                            "usableMemoryBytes",
                                            "memoryBandwidthBytesPerSecond",
                                            "idleWatts",
                                            "loadWatts"};
    std::vector<const char*> keys{"format", "name", "stack", "stacks"};
    keys.insert(keys.begin() + 2, required.begin(), required.end());
    root.CheckKeys(keys);
    std::vector<const char*> missing;
    std::copy_if(required.begin(),
                 required.end(),
                 std::back_inserter(missing),
                 [&root](const char* key) { return !root.FindField(key); });
    if (!missing.empty())
    {
        root.FailWith("missing " + JoinWords(missing) +
                      "; traces/capture/device_figures.py measures and writes a whole file");
    }
    DeviceSpec spec;
    spec.name = root.GetField("name").GetFileStem();
    spec.description = root.GetField("description").GetString();
    spec.peakFlopPerSecond = GetFigure(root, "peakFlopPerSecond").GetPositiveNumber();
    spec.memoryBytes = GetFigure(root, "memoryBytes").GetInteger(1);
    spec.usableMemoryBytes = GetFigure(root, "usableMemoryBytes").GetInteger(1, spec.memoryBytes);
    spec.memoryBandwidthBytesPerSecond =
        GetFigure(root, "memoryBandwidthBytesPerSecond").GetPositiveNumber();
    spec.idleWatts = GetFigure(root, "idleWatts").GetNumber(0);
    spec.loadWatts = GetFigure(root, "loadWatts").GetNumber(0);
    std::vector<std::string> names;
    if (const auto stacks = root.FindField("stacks"))
    {
        for (const auto& [name, field] : stacks->GetMembers())
        {
            spec.stacks[name] = ReadStack(field);
            names.push_back(name);
        }
        const JsonField chosen = root.GetField("stack");
        chosen.CheckKeys({"inference", "training"});
        for (const auto& [kind, name] :
             {std::pair{"inference", &spec.inferenceStack}, {"training", &spec.trainingStack}})
        {
            const JsonField field = chosen.GetField(kind);
            *name = field.GetString();
            field.Expect(spec.stacks.count(*name) > 0, "one of the file's stacks");
        }
    }
    if (!stack.empty())
    {
        Require(spec.stacks.count(stack) > 0,
                path + ": stacks: found none that is called " + QuoteForMessage(stack) +
                    ", expected " + (names.empty() ? "one" : JoinWords(names, ", ", " or ")));
        spec.inferenceStack = spec.trainingStack = stack;
        spec.name += "@" + stack;
    }
    return spec;
}

DeviceSpec
FindDeviceSpec(const std::string& what, const std::string& type, const std::string& traces)
{
    const std::size_t at = type.rfind('@');
    const bool isFile = at == std::string::npos || type.find('/', at) != std::string::npos;
    const std::string stack = isFile ? "" : type.substr(at + 1);
    Require(isFile || !stack.empty(),
            what + ": found " + QuoteForMessage(type) + ", expected a stack's name after the @");
    const auto file = FindTracesFile(what, isFile ? type : type.substr(0, at), "devices", traces);
    DeviceSpec spec = ReadDeviceSpec(file);
    const bool isSelected = spec.inferenceStack == stack && spec.trainingStack == stack;
    return stack.empty() || isSelected ? spec : ReadDeviceSpec(file, stack);
}

} // namespace ns3::edgepipe
