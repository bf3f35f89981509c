/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-layer-replay.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-json-reader.h"
#include "ns3/edgepipe-text-lines.h"

#include <algorithm>

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(LayerReplay);

namespace
{

constexpr std::string_view COLUMNS = "iteration,layer,forwardSeconds,backwardSeconds";
constexpr double LONGEST_PASS = 1e9;  // s, of a layer
constexpr double LARGEST_BATCH = 1e9; // samples

/**
 * @param lines of a recording
 * @param model that is expected; empty: any
 * @param batch set to that of the header; at first what is expected, 0: any
 * @param mode that is expected; made empty by a header that says it
 * @return its first line after the header
 */
std::string_view
ReadHeader(TextLines& lines, const std::string& model, uint32_t& batch, std::string& mode)
{
    const std::map<std::string_view, std::string> expected{
        {"model", model},
        {"mode", mode},
        {"batch", batch > 0 ? std::to_string(batch) : ""}};
    std::string_view line;
    while (lines.Next(line) && line.front() == '#')
    {
        std::string_view value = line.substr(1);
        const auto key = TrimBlanks(TakeField(value, ':'));
        const auto found = expected.find(key);
        if (found != expected.end() && !found->second.empty())
        {
            lines.CheckField(TrimBlanks(value) == found->second,
                             key,
                             TrimBlanks(value),
                             found->second);
            mode = key == "mode" ? "" : mode;
        }
        else if (key == "batch")
        {
            const double samples = lines.ParseNumber(key, TrimBlanks(value), 1, LARGEST_BATCH);
            batch = static_cast<uint32_t>(samples);
            lines.CheckField(batch == samples, key, TrimBlanks(value), "a whole number");
        }
    }
    lines.CheckFile(batch > 0, "found no batch, expected a line such as # batch: 8");
    return line;
}

} // namespace

TypeId
LayerReplay::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("File", "CSV file of recorded passes.", {&LayerReplay::m_file, ""})
        .Add("Order",
             "Which recorded pass is next: loop (all in order, again and again), hold (in "
             "order, then the last one) or blocks (blocks of consecutive passes, drawn with "
             "replacement).",
             {&LayerReplay::m_order, "loop"})
        .Add("BlockPasses",
             "Passes of a block; 1: each pass is drawn alone.",
             {&LayerReplay::m_blockPasses, 50, 1});
}

LayerReplay::LayerReplay()
    : m_draws(CreateObject<UniformRandomVariable>())
{
}

void
LayerReplay::Read(const std::string& model,
                  const std::vector<std::string>& layers,
                  uint32_t batch,
                  std::vector<LayerTimes> profile,
                  PassKind kind)
{
    Require(m_order == "loop" || m_order == "hold" || m_order == "blocks",
            "LayerReplay::Order: found " + QuoteForMessage(m_order) +
                ", expected loop, hold or blocks");
    m_layers = layers;
    m_profile = std::move(profile);
    std::map<std::string_view, std::size_t> indices;
    for (std::size_t i = 0; i < layers.size(); ++i)
    {
        indices[layers[i]] = i;
    }
    m_passes.clear();
    m_blocks.clear();
    m_isRecorded.assign(layers.size(), false);
    TextLines lines(m_file);
    m_batch = batch;
    const bool isTraining = kind == PassKind::TRAINING;
    std::string mode = isTraining ? "training" : "evaluation";
    std::string_view line = ReadHeader(lines, model, m_batch, mode);
    lines.CheckField(line == COLUMNS, "columns", line, COLUMNS);
    std::vector<LayerTimes> pass(layers.size());
    std::vector<bool> isSeen(layers.size(), false);
    double now = -1;
    const auto end = [&] {
        if (m_passes.empty())
        {
            m_isRecorded = isSeen;
        }
        const auto other = std::mismatch(isSeen.begin(), isSeen.end(), m_isRecorded.begin()).first;
        if (other != isSeen.end())
        {
            lines.Fail("iteration before: found other layers than in the first, such as " +
                       QuoteForMessage(layers[other - isSeen.begin()]));
        }
        m_passes.push_back(pass);
        isSeen.assign(layers.size(), false);
    };
    while (lines.Next(line))
    {
        const auto fields = SplitFields(line);
        lines.Check(fields.size() == 4,
                    "found " + std::to_string(fields.size()) + " fields, expected 4");
        const double iteration = lines.ParseNumber("iteration", fields[0], 0, 1e15);
        lines.CheckField(iteration >= now, "iteration", fields[0], "none before the last line's");
        if (iteration > now && now >= 0)
        {
            end();
        }
        now = iteration;
        const auto layer = indices.find(fields[1]);
        lines.CheckField(layer != indices.end() && !isSeen[layer->second],
                         "layer",
                         fields[1],
                         "layers of the model, each once in an iteration");
        isSeen[layer->second] = true;
        pass[layer->second] = {lines.ParseNumber("forwardSeconds", fields[2], 0, LONGEST_PASS),
                               lines.ParseNumber("backwardSeconds", fields[3], 0, LONGEST_PASS)};
    }
    lines.CheckFile(now >= 0, "found no row, expected at least an iteration");
    end();
    LayerTimes sums{0, 0};
    for (const auto& one : m_passes)
    {
        for (const LayerTimes& times : one)
        {
            sums = {sums[0] + times[0], sums[1] + times[1]};
        }
    }
    lines.CheckFile(isTraining ? mode.empty() || sums[1] > 0 || sums[0] == 0 : sums[1] == 0,
                    isTraining ? "found no backward pass, expected passes in training mode"
                               : "found backward passes, which are made in training mode, expected "
                                 "passes in evaluation mode");
}

double
LayerReplay::GetStretch(uint64_t pass, const std::vector<bool>& layers, Direction direction)
{
    const double profiled = Add(m_profile, layers, direction);
    return profiled > 0 ? Add(m_passes[Choose(pass)], layers, direction) / profiled : 1;
}

double
LayerReplay::Add(const std::vector<LayerTimes>& times,
                 const std::vector<bool>& layers,
                 Direction direction) const
{
    double seconds = 0;
    for (std::size_t i = 0; i < layers.size(); ++i)
    {
        if (!layers[i])
        {
            continue;
        }
        if (!m_isRecorded[i])
        {
            throw InputError(m_file + ": layer " + QuoteForMessage(m_layers[i]) +
                             " is missing, expected all that the device executes");
        }
        for (std::size_t side = direction == BACKWARD; side <= (direction != FORWARD); ++side)
        {
            seconds += times[i][side];
        }
    }
    return seconds;
}

std::size_t
LayerReplay::Choose(uint64_t pass)
{
    const std::size_t count = m_passes.size();
    if (m_order == "hold")
    {
        return std::min<uint64_t>(pass, count - 1);
    }
    if (m_order == "loop")
    {
        return pass % count;
    }
    const std::size_t length = std::min<std::size_t>(m_blockPasses, count);
    while (m_blocks.size() <= pass / length)
    {
        m_blocks.push_back(m_draws->GetInteger(0, count - length));
    }
    return m_blocks[pass / length] + pass % length;
}

int64_t
LayerReplay::AssignStreams(int64_t stream)
{
    m_draws->SetStream(stream);
    return 1;
}

} // namespace ns3::edgepipe
