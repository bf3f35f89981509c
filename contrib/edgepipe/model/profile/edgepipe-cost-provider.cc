/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-cost-provider.h"

#include "edgepipe-cost-draw.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <iomanip>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>

namespace ns3::edgepipe
{

namespace
{

/// Winograd's transform of a 3x3 kernel has 16 to 36 weights in place of 9.
constexpr double WINOGRAD_WEIGHTS = 3;

/// Channels per group from which a grouped convolution runs at its full rate.
constexpr double FULL_GROUP = 32;

/// FLOP for each number of its output up to which an operator can be as cheap as its name says.
constexpr double MOST_CHEAP_FLOP = 32;

/** Which figures of a stack apply to a layer. */
struct LayerClass
{
    OperatorFigure rate;      //!< of its FLOP; OPERATOR_FIGURES: they are hidden behind its data
    OperatorFigure bandwidth; //!< of its tensors
    OperatorFigure backward;  //!< backward over forward
};

/**
 * @param graph a model
 * @param layer one of its layers
 * @return its figures
 */
LayerClass
Classify(const DnnGraph& graph, const DnnLayer& layer)
{
    static const std::map<std::string, LayerClass> classes{
        {"conv2d", {CONVOLUTION, ELEMENTWISE, BACKWARD_CONVOLUTION}},
        {"grouped_conv2d", {GROUPED_CONVOLUTION, ELEMENTWISE, BACKWARD_CONVOLUTION}},
        {"depthwise_conv2d", {DEPTHWISE_CONVOLUTION, ELEMENTWISE, BACKWARD_DEPTHWISE}},
        {"linear", {LINEAR, ELEMENTWISE, BACKWARD_LINEAR}},
        {"attention", {LINEAR, ELEMENTWISE, BACKWARD_LINEAR}},
        {"recurrent", {LINEAR, ELEMENTWISE, BACKWARD_LINEAR}},
        {"pool", {OPERATOR_FIGURES, POOLING, BACKWARD_POOLING}},
        {"batch_norm", {OPERATOR_FIGURES, BATCH_NORMALIZATION, BACKWARD_BATCH_NORMALIZATION}},
        {"lrn", {OPERATOR_FIGURES, RESPONSE_NORMALIZATION, BACKWARD_ELEMENTWISE}}};
    const auto found = classes.find(layer.operatorName);
    LayerClass is = found == classes.end()
                        ? LayerClass{OPERATOR_FIGURES, ELEMENTWISE, BACKWARD_ELEMENTWISE}
                        : found->second;
    if (is.rate == CONVOLUTION && layer.inputs.size() == 1 && layer.outputBytes > 0 &&
        layer.channels > 0 && graph.layers[layer.inputs[0]].channels > 0)
    {
        const DnnLayer& input = graph.layers[layer.inputs[0]];
        // FLOP = 2 x numbers of the output x channels of the input x positions of the kernel.
        const double outputs = layer.CountOutputs();
        const double area = std::floor(layer.flop / (2 * outputs * input.channels));
        const bool keepsSize = outputs * input.channels == input.CountOutputs() * layer.channels;
        is.rate = area == 1                ? CONVOLUTION_1X1
                  : area == 9 && keepsSize ? CONVOLUTION_3X3
                                           : CONVOLUTION;
    }
    return is;
}

/**
 * @param layer a layer
 * @param stack what runs it
 * @return bytes of its weights as the stack stores them, over those of the model
 */
double
GetStoredShare(const DnnLayer& layer, const StackSpec& stack)
{
    const double outputs = layer.CountOutputs();
    const double bytesOfNumber = layer.parameters > 0
                                     ? static_cast<double>(layer.parameterBytes) / layer.parameters
                                 : outputs > 0 ? layer.outputBytes / outputs
                                               : 4;
    return bytesOfNumber > 0 ? std::min(1., stack.weightBytes / bytesOfNumber) : 1;
}

} // namespace

LayerCost
EstimateLayerCosts(const DnnGraph& graph, const DeviceSpec& spec, uint32_t batch, PassKind kind)
{
    const bool isTraining = kind == PassKind::TRAINING;
    const StackSpec& stack = spec.GetStack(kind);
    const auto& figures = stack.figures;
    const bool isGpu = stack.processor == "gpu";
    const double overhead = figures[LAYER_OVERHEAD_SECONDS];
    const auto getCacheFactor = [&figures](double bytes) {
        const double ratio = bytes / figures[CACHE_BYTES];
        return 1 / (1 + (figures[CACHE_SPEEDUP] - 1) / (1 + ratio * ratio));
    };
    const auto add = [&](double launch, double computing, double moving) {
        if (!isGpu)
        {
            return launch + computing + moving;
        }
        // (computing^1.5 + moving^1.5)^(2/3); std::pow takes three times as long.
        const double root =
            std::cbrt(computing * std::sqrt(computing) + moving * std::sqrt(moving));
        return std::max(launch, root * root);
    };
    LayerCost cost;
    cost.model = graph.name;
    cost.device = spec.name;
    cost.origin = "estimated";
    cost.source = "roofline of device " + spec.name + ", " + stack.version;
    cost.batch = batch;
    cost.logSpread = isTraining ? stack.trainingSpread : stack.inferenceSpread;
    for (const DnnLayer& layer : graph.layers)
    {
        const std::string& name = layer.operatorName;
        const bool isFused = stack.fusesActivations && (name == "relu" || name == "activation" ||
                                                        (name == "batch_norm" && !isTraining));
        const bool isCheap = layer.flop <= MOST_CHEAP_FLOP * layer.CountOutputs();
        const bool isFree = isCheap && (isFused || name == "input" || name == "flatten" ||
                                        (name == "dropout" && !isTraining));
        double forward = 0;
        double backward = 0;
        double fixed = 0;
        if (!isFree)
        {
            LayerClass is = Classify(graph, layer);
            double tensors = batch * static_cast<double>(layer.outputBytes);
            const double outputs = std::max(1., batch * layer.CountOutputs());
            for (std::size_t input : layer.inputs)
            {
                tensors += batch * static_cast<double>(graph.layers[input].outputBytes);
            }
            const double stored = layer.parameterBytes * GetStoredShare(layer, stack);
            const double weights =
                stored * (is.rate == CONVOLUTION_3X3 && !isGpu ? WINOGRAD_WEIGHTS : 1);
            double moving = (tensors * getCacheFactor(tensors) / figures[is.bandwidth] +
                             weights * getCacheFactor(stored) /
                                 figures[is.rate == LINEAR ? LINEAR_WEIGHTS : is.bandwidth]) /
                            spec.memoryBandwidthBytesPerSecond;
            const double peak = stack.tensorCoreGain * spec.peakFlopPerSecond;
            const double product = batch * (layer.flop / (figures[LINEAR] * peak));
            double computing = 0;
            if (is.rate == OPERATOR_FIGURES && product > moving)
            {
                // Whatever it is, it hides products of matrices.
                moving = product;
                is.backward = BACKWARD_LINEAR;
            }
            else if (is.rate != OPERATOR_FIGURES && layer.flop > 0)
            {
                double rate = figures[is.rate] * peak;
                if (is.rate == GROUPED_CONVOLUTION)
                {
                    // Channels per group, for a 3x3 kernel.
                    const double group = layer.flop / (2 * outputs / batch) / 9;
                    rate *= std::sqrt(std::min(1., group / FULL_GROUP));
                }
                computing =
                    batch * (layer.flop / rate) * (1 + figures[SATURATION_OUTPUTS] / outputs);
            }
            forward = add(overhead, computing, moving);
            if (isTraining && !(isCheap && (name == "add" || name == "cat")))
            {
                const bool isFirst = layer.inputs.size() == 1 &&
                                     graph.layers[layer.inputs[0]].operatorName == "input";
                const double ratio = figures[is.backward] * (isFirst && is.rate < LINEAR ? 0.5 : 1);
                // It launches two products: gradients by weights and gradients by inputs.
                backward =
                    add(isGpu ? 1.5 * overhead : overhead, ratio * computing, ratio * moving);
            }
            fixed = isGpu ? std::clamp(2 * overhead - forward, 0., overhead) : overhead;
        }
        cost.forwardSeconds.push_back(forward);
        cost.backwardSeconds.push_back(backward);
        cost.fixedSeconds.push_back(fixed);
    }
    cost.isolatedForwardSeconds = cost.forwardSeconds;
    cost.isolatedBackwardSeconds = cost.backwardSeconds;
    return cost;
}

namespace
{

namespace fs = std::filesystem;

/// Standard deviation of ln(true / estimated) of inference timed in training mode: root mean square
/// of the logarithm of training over evaluation mode, six networks (doc/validation/costs.rst).
constexpr double TRAINING_MODE_SPREAD = 0.26;

/// Standard deviations on either side of a 90 % interval.
constexpr double NINETY_PERCENT = 1.645;

/**
 * @param stack that estimates a pass
 * @return standard deviation of ln(true / estimated) of an operator's layers together, and of a
 *         layer among them; by the layers of all profiles, weighted by time, up to 0.31 on a CPU
 * and 0.72 on GPUs
 */
double
GetLayerSpread(const StackSpec& stack)
{
    return stack.processor == "gpu" ? 0.7 : 0.35;
}

/** Profiles of a model on a device type, by batch. */
using Profiles = std::map<uint32_t, fs::path>;

/**
 * @param folder that holds a device type's profiles
 * @param model name of a model
 * @param kind of pass: MODEL.bN.csv for training, MODEL.bN.evaluation.csv for inference
 * @return its profiles
 */
Profiles
ListProfiles(const fs::path& folder, const std::string& model, PassKind kind)
{
    Profiles files;
    const std::string begin = model + ".b";
    const std::string_view expected = kind == PassKind::TRAINING ? "" : ".evaluation";
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
    {
        const std::string stem = entry.path().stem().string();
        if (entry.path().extension() != ".csv" || stem.rfind(begin, 0) != 0)
        {
            continue;
        }
        uint32_t batch = 0;
        const char* last = stem.data() + stem.size();
        const auto [end, error] = std::from_chars(stem.data() + begin.size(), last, batch);
        if (error == std::errc() && std::string_view(end, last - end) == expected && batch > 0)
        {
            files[batch] = entry.path();
        }
    }
    return files;
}

/**
 * @param tracesDirectory the traces folder
 * @param graph the model
 * @param spec a device type
 * @param profile its batch, and the file
 * @return the costs in the profile
 * @throws InputError if it cannot be used
 */
LayerCost
ReadProfile(const std::string& tracesDirectory,
            const DnnGraph& graph,
            const DeviceSpec& spec,
            const Profiles::value_type& profile)
{
    const auto& [batch, file] = profile;
    const auto known = fs::path(tracesDirectory) / "devices" / (spec.name + ".json");
    std::error_code error;
    Require(!fs::exists(known, error) || ReadDeviceSpec(known.string()) == spec,
            "device type " + QuoteForMessage(spec.name) + ": found other figures than those of " +
                known.string() + ", which has been profiled, expected another name");
    LayerCost cost = ReadLayerProfile(file.string(), graph);
    cost.source = file.lexically_relative(tracesDirectory).string();
    Require(cost.device == spec.name,
            file.string() + ": device: found " + QuoteForMessage(cost.device) + ", expected " +
                QuoteForMessage(spec.name));
    Require(cost.batch == batch,
            file.string() + ": batch: found " + std::to_string(cost.batch) + ", expected " +
                std::to_string(batch));
    Require(cost.mode == PassKind::INFERENCE || file.stem().extension() != ".evaluation",
            file.string() + ": mode: found training, expected evaluation as the file is called");
    return cost;
}

/**
 * @param below costs of a batch
 * @param above costs of a larger one
 * @param batch in between
 * @param kind of pass they are for; the result is of its mode if both are
 * @return its costs, linear between both for every layer
 */
LayerCost
Interpolate(const LayerCost& below, const LayerCost& above, uint32_t batch, PassKind kind)
{
    LayerCost cost = below;
    cost.origin = "interpolated";
    const auto describe = [](const LayerCost& one) {
        return one.source + " (" + one.origin + (one.runs.empty() ? "" : ", ") + one.runs + ")";
    };
    cost.source = describe(below) + ", " + describe(above);
    cost.runs.clear();
    cost.mode = above.mode == kind ? below.mode : above.mode;
    cost.header.clear();
    cost.batch = batch;
    cost.negativeValues = below.negativeValues + above.negativeValues;
    const double share = double(batch - below.batch) / (above.batch - below.batch);
    for (const auto seconds : {&LayerCost::forwardSeconds,
                               &LayerCost::backwardSeconds,
                               &LayerCost::isolatedForwardSeconds,
                               &LayerCost::isolatedBackwardSeconds,
                               &LayerCost::forwardSpreadSeconds,
                               &LayerCost::backwardSpreadSeconds})
    {
        auto& mine = cost.*seconds;
        const auto& theirs = above.*seconds;
        mine.resize(std::min(mine.size(), theirs.size())); // optional columns may be missing
        std::transform(mine.begin(), mine.end(), theirs.begin(), mine.begin(), [=](auto a, auto b) {
            return a + share * (b - a);
        });
    }
    return cost;
}

/**
 * @param cost in a profile, or between two
 * @param kind of pass that it is for
 * @return the cost with what its origin and source say of mode and runs
 * @throws InputError for training by evaluation mode
 */
LayerCost
Label(LayerCost cost, PassKind kind)
{
    Require(kind == PassKind::INFERENCE || cost.mode == PassKind::TRAINING,
            cost.source + ": mode: found evaluation, expected a profile of training mode to train "
                          "with (profile_model.py --mode training)");
    if (!cost.runs.empty() || cost.origin == "measured")
    {
        cost.source += " (" + (cost.runs.empty() ? "runs not said" : cost.runs) + ")";
    }
    if (kind == PassKind::INFERENCE)
    {
        std::fill(cost.backwardSeconds.begin(), cost.backwardSeconds.end(), 0);
        std::fill(cost.isolatedBackwardSeconds.begin(), cost.isolatedBackwardSeconds.end(), 0);
        if (cost.mode == PassKind::TRAINING)
        {
            cost.origin = "estimated";
            cost.source = "from passes in training mode: " + cost.source;
            cost.logSpread = TRAINING_MODE_SPREAD;
        }
    }
    return cost;
}

} // namespace

std::map<std::string, LayerCost>
FindLayerCosts(const std::string& tracesDirectory,
               const DnnGraph& graph,
               const std::vector<DeviceSpec>& specs,
               uint32_t batch,
               PassKind kind)
{
    std::map<std::string, LayerCost> costs;
    const uint32_t draw = GetCostDraw();
    std::vector<DeviceSpec> types;
    for (const DeviceSpec& spec : specs)
    {
        AddDeviceType(types, spec);
        const fs::path folder = fs::path(tracesDirectory) / "profiles" / spec.name;
        // A file called as one of training mode may be an old one of evaluation mode, and estimates
        // inference if it is not.
        const Profiles training = ListProfiles(folder, graph.name, PassKind::TRAINING);
        const Profiles evaluation = ListProfiles(folder, graph.name, PassKind::INFERENCE);
        Profiles all = evaluation;
        all.insert(training.begin(), training.end());
        const auto read = [&](const Profiles& profiles) -> std::optional<LayerCost> {
            const auto readOne = [&](const auto& one) {
                return ReadProfile(tracesDirectory, graph, spec, one);
            };
            const auto above = profiles.lower_bound(batch);
            if (above != profiles.end() && above->first == batch)
            {
                return Label(readOne(*above), kind);
            }
            if (above != profiles.begin() && above != profiles.end())
            {
                const LayerCost below = readOne(*std::prev(above));
                return Label(Interpolate(below, readOne(*above), batch, kind), kind);
            }
            return std::nullopt;
        };
        auto found = read(kind == PassKind::TRAINING ? training : evaluation);
        found = found ? found : read(all);
        LayerCost& cost = costs[spec.name];
        if (found)
        {
            cost = *found;
        }
        else
        {
            cost = EstimateLayerCosts(graph, spec, batch, kind);
            if (!all.empty())
            {
                cost.source +=
                    "; its profiles are of batch " + std::to_string(all.begin()->first) +
                    (all.size() == 1 ? "" : " to " + std::to_string(all.rbegin()->first)) +
                    ", not " + std::to_string(batch);
            }
        }
        const auto stack =
            spec.stacks.find(kind == PassKind::TRAINING ? spec.trainingStack : spec.inferenceStack);
        cost.stack = stack == spec.stacks.end() ? "" : stack->second.Describe();
        if (cost.logSpread > 0)
        {
            std::ostringstream interval;
            const double factor = std::exp(NINETY_PERCENT * cost.logSpread);
            interval << std::fixed << std::setprecision(1) << "; 90 % within /" << factor << " to x"
                     << factor;
            cost.source += interval.str();
        }
        if (draw > 0)
        {
            DrawCosts(cost, graph, found ? 0 : GetLayerSpread(spec.GetStack(kind)), kind, draw);
        }
    }
    return costs;
}

} // namespace ns3::edgepipe
