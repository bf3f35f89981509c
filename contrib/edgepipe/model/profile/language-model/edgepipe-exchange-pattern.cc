/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-exchange-pattern.h"

#include "ns3/edgepipe-expression.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-ranges.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace ns3::edgepipe
{

namespace
{

/// Keys of each kind of step, its own first.
const std::map<std::string, std::vector<const char*>> STEP_KEYS{
    {"compute", {"compute", "on", "weights", "share", "layers", "rows"}},
    {"send", {"send", "from", "to", "messages"}},
    {"wait", {"wait"}},
    {"repeat", {"repeat", "as", "do"}},
};

/// Most steps of a pass: beyond, a pattern is a mistake.
constexpr std::size_t MOST_STEPS = 20000000;

/**
 * @param model the model
 * @param nodes how many
 * @return values of names that do not depend on formats or tokens
 */
std::map<std::string, double>
MakeNames(const LanguageModel& model, std::size_t nodes)
{
    return {{"d", model.width},
            {"h", model.hidden},
            {"k", model.GetCacheWidth()},
            {"L", model.layers},
            {"V", model.vocabulary},
            {"E", model.experts},
            {"A", model.activeExperts},
            {"n", static_cast<double>(nodes)},
            {"query", model.GetQueryWeights()},
            {"output", model.GetOutputWeights()},
            {"up", model.experts > 0 ? 0 : model.GetUpWeights()},
            {"down", model.experts > 0 ? 0 : model.GetDownWeights()}};
}

} // namespace

/** Writes the steps of one pass. */
class ExchangePattern::Writer
{
  public:
    /**
     * @param model the model
     * @param shares what nodes hold
     * @param names values of names
     */
    Writer(const LanguageModel& model,
           const ExchangeShares& shares,
           std::map<std::string, double> names)
        : m_model(model),
          m_shares(shares),
          m_names(std::move(names)),
          m_program(shares.Count()),
          m_sent(shares.Count(), std::vector<uint32_t>(shares.Count())),
          m_awaited(m_sent)
    {
    }

    /** @param lines steps to write */
    void Write(const std::vector<Line>& lines)
    {
        for (const Line& line : lines)
        {
            double times = 0;
            try
            {
                line.kind == "repeat"    ? void(times = Find(line, "repeat", 0))
                : line.kind == "compute" ? Compute(line)
                : line.kind == "send"    ? Send(line)
                                         : Wait(line);
            }
            catch (const InputError& error)
            {
                line.field.FailWith(error.what());
            }
            const auto name = line.values.find("as");
            const auto getSizes = [this] {
                return Map(m_program, [](auto& one) { return one.size(); });
            };
            std::vector<std::vector<std::size_t>> begins{getSizes()};
            ++m_depth;
            for (double i = 0; i < times; ++i)
            {
                if (name != line.values.end())
                {
                    m_names[name->second] = i;
                }
                Write(line.body);
                begins.push_back(getSizes());
            }
            if (--m_depth == 0)
            {
                MarkLaps(begins);
            }
        }
    }

    /** @return the steps, once nothing is left to write */
    ExchangeProgram Finish()
    {
        for (std::size_t node = 0; node < m_program.size(); ++node)
        {
            for (std::size_t peer = 0; peer < m_program.size(); ++peer)
            {
                Require(m_sent[peer][node] == m_awaited[node][peer],
                        "node " + std::to_string(node) + " never waits for " +
                            std::to_string(m_sent[peer][node] - m_awaited[node][peer]) +
                            " messages of node " + std::to_string(peer) +
                            ", expected a wait after them");
            }
            const auto& steps = m_program[node];
            Require(node == 0 || steps.empty() || steps.front().kind == ExchangeStep::WAIT,
                    "node " + std::to_string(node) +
                        " begins before it hears of a pass, expected a wait for a message first");
        }
        return std::move(m_program);
    }

  private:
    /**
     * @param a a step
     * @param b another
     * @return whether they do the same
     */
    static bool IsAlike(const ExchangeStep& a, const ExchangeStep& b)
    {
        const auto tell = [](const ExchangeStep& step) {
            return std::tie(step.kind,
                            step.operation,
                            step.layers,
                            step.calls,
                            step.weights,
                            step.share,
                            step.rows,
                            step.peer,
                            step.bytes);
        };
        const auto isSame = [](auto& one, auto& other) { return one.first == other.first; };
        return tell(a) == tell(b) && std::equal(a.awaited.begin(),
                                                a.awaited.end(),
                                                b.awaited.begin(),
                                                b.awaited.end(),
                                                isSame);
    }

    /**
     * Mark the laps of a repeat if all are alike.
     * @param begins step of every node at which each begins, and the last one ends
     */
    void MarkLaps(const std::vector<std::vector<std::size_t>>& begins)
    {
        const std::size_t laps = begins.size() - 1;
        for (std::size_t node = 0; node < m_program.size(); ++node)
        {
            const auto steps = m_program[node].begin();
            const auto first = steps + begins.front()[node];
            const auto second = laps > 0 ? steps + begins[1][node] : first;
            bool isAlike = first != second;
            for (std::size_t lap = 1; lap < laps && isAlike; ++lap)
            {
                isAlike = std::equal(first,
                                     second,
                                     steps + begins[lap][node],
                                     steps + begins[lap + 1][node],
                                     IsAlike);
            }
            for (std::size_t lap = 0; lap < laps && isAlike; ++lap)
            {
                steps[begins[lap][node]].laps = laps - lap;
                steps[begins[lap][node]].lapSteps = second - first;
            }
        }
    }

    /**
     * @param line a step
     * @param key of an expression
     * @param otherwise value where the step has none
     * @param least that it may be
     * @return its value
     */
    double Find(const Line& line, const std::string& key, double otherwise, double least = 0) const
    {
        const auto text = line.values.find(key);
        const double value =
            text == line.values.end() ? otherwise : EvaluateExpression(text->second, m_names);
        Require(value >= least,
                key + ": found " + std::to_string(value) + ", expected " + std::to_string(least) +
                    " or more");
        return value;
    }

    /**
     * @param line a step
     * @param key of nodes: root, workers, all, others or an expression
     * @param other the sender, which others leaves out
     * @return the nodes
     */
    std::vector<std::size_t> ListNodes(const Line& line, const std::string& key, std::size_t other)
    {
        const std::size_t nodes = m_program.size();
        const std::string& text = line.values.at(key);
        if (text == "root")
        {
            return {0};
        }
        if (text == "workers" || text == "all" || text == "others")
        {
            return Filter(CountUp(nodes), [&](std::size_t node) {
                return !(text == "workers" && node == 0) && !(text == "others" && node == other);
            });
        }
        const double node = EvaluateExpression(text, m_names);
        Require(node >= 0 && node < nodes && node == std::floor(node),
                key + ": found node " + std::to_string(node) +
                    ", expected a whole number from 0 to " + std::to_string(nodes - 1));
        return {static_cast<std::size_t>(node)};
    }

    /** @param node whose shares names stand for */
    void Enter(std::size_t node)
    {
        m_names["s"] = m_shares.shares[node];
        m_names["layers"] = m_shares.layers[node];
        m_names["self"] = static_cast<double>(node);
    }

    /**
     * @param node takes it
     * @param step the step
     */
    void Add(std::size_t node, ExchangeStep step)
    {
        Require(++m_steps <= MOST_STEPS, "found too many steps, expected 20 million or fewer");
        m_program[node].push_back(std::move(step));
    }

    /** @param line a step that computes */
    void Compute(const Line& line)
    {
        const std::string& what = line.values.at("compute");
        const auto& operations = GetLanguageOperationNames();
        const auto found = std::find(operations.begin(), operations.end(), what);
        Require(what == "layers" || found != operations.end(),
                "compute: found \"" + what +
                    "\", expected block, head, attention, experts or layers");
        for (const std::size_t node : ListNodes(line, "on", 0))
        {
            Enter(node);
            ExchangeStep step{ExchangeStep::COMPUTE};
            step.layers = Find(line, "layers", what == "layers" ? m_shares.layers[node] : 1);
            step.share = Find(line, "share", m_shares.shares[node]);
            if (step.layers == 0 || step.share == 0)
            {
                continue;
            }
            const double block = m_model.GetBlockWeights();
            const auto add = [&](LanguageOperation operation) {
                step.operation = operation;
                if (operation == EXPERT_OPERATION
                        ? m_model.experts > 0
                        : operation != BLOCK_OPERATION || step.weights > 0)
                {
                    Add(node, step);
                }
                step.calls = 1;
            };
            if (what == "layers")
            {
                step.weights = block;
                add(BLOCK_OPERATION);
                add(ATTENTION_OPERATION);
                add(EXPERT_OPERATION);
                continue;
            }
            const auto operation = static_cast<LanguageOperation>(found - operations.begin());
            if (operation == BLOCK_OPERATION)
            {
                step.weights = Find(line, "weights", block);
                step.calls = step.weights / block;
            }
            else if (operation == HEAD_OPERATION)
            {
                step.weights = m_model.GetHeadWeights();
                step.rows = Find(line, "rows", m_names.at("r"));
            }
            add(operation);
        }
    }

    /** @param line a step that sends */
    void Send(const Line& line)
    {
        for (const std::size_t from : ListNodes(line, "from", 0))
        {
            Enter(from);
            for (const std::size_t to : ListNodes(line, "to", from))
            {
                m_names["theirs"] = m_shares.layers[to];
                // Shares that are no binary fractions must not add a byte.
                const double bytes = std::ceil(Find(line, "send", 0) - 1e-6);
                const double messages = Find(line, "messages", 1);
                for (double i = 0; i < messages && from != to && bytes > 0; ++i)
                {
                    ExchangeStep step{ExchangeStep::SEND};
                    step.peer = to;
                    step.bytes = static_cast<uint64_t>(bytes);
                    Add(from, step);
                    ++m_sent[from][to];
                }
            }
        }
    }

    /** @param line a step that waits */
    void Wait(const Line& line)
    {
        for (const std::size_t node : ListNodes(line, "wait", 0))
        {
            ExchangeStep step{ExchangeStep::WAIT};
            for (uint32_t peer = 0; peer < m_program.size(); ++peer)
            {
                if (m_sent[peer][node] > m_awaited[node][peer])
                {
                    m_awaited[node][peer] = m_sent[peer][node];
                    step.awaited.emplace_back(peer, m_sent[peer][node]);
                }
            }
            if (!step.awaited.empty())
            {
                Add(node, step);
            }
        }
    }

    const LanguageModel& m_model;                 //!< the model
    const ExchangeShares& m_shares;               //!< what nodes hold
    std::map<std::string, double> m_names;        //!< values of names
    ExchangeProgram m_program;                    //!< so far
    std::vector<std::vector<uint32_t>> m_sent;    //!< messages, by sender and receiver
    std::vector<std::vector<uint32_t>> m_awaited; //!< of these, by receiver and sender
    std::size_t m_steps{0};                       //!< so far
    uint32_t m_depth{0};                          //!< repeats that are being written
};

ExchangePattern::ExchangePattern(const std::string& path)
{
    const JsonField root = ReadJsonFile(path);
    root.CheckFormat("edgepipe-exchange 1");
    root.CheckKeys({"format",
                    "name",
                    "source",
                    "split",
                    "clients",
                    "messages",
                    "promptTokens",
                    "streams",
                    "rounds",
                    "parameters",
                    "pass"});
    m_name = root.GetField("name").GetFileStem();
    root.GetField("source").GetName();
    const JsonField split = root.GetField("split");
    m_isTensorSplit = split.GetString() == "tensors";
    split.Expect(m_isTensorSplit || split.GetString() == "layers", "\"tensors\" or \"layers\"");
    m_messageFormat = root.GetField("messages").GetString();
    GetValueBytes(root.GetField("messages").GetPlace(), m_messageFormat);
    if (const auto clients = root.FindField("clients"))
    {
        m_clients = clients->GetInteger(0, 1);
    }
    if (const auto tokens = root.FindField("promptTokens"))
    {
        m_promptTokens = tokens->GetInteger(1, 1000000);
    }
    if (const auto streams = root.FindField("streams"))
    {
        m_streams = streams->GetText();
    }
    if (const auto rounds = root.FindField("rounds"))
    {
        m_hasRounds = rounds->GetBoolean();
    }
    if (const auto parameters = root.FindField("parameters"))
    {
        for (const auto& [name, value] : parameters->GetMembers())
        {
            m_parameters[name] = value.GetNumber(0);
        }
    }
    m_lines = ReadLines(root.GetField("pass"));
}

std::vector<ExchangePattern::Line>
ExchangePattern::ReadLines(const JsonField& field)
{
    std::vector<Line> lines;
    for (const JsonField& entry : field.GetElements())
    {
        Line line{entry, "", {}, {}};
        for (const auto& [key, value] : entry.GetMembers())
        {
            line.kind = STEP_KEYS.count(key) > 0 ? key : line.kind;
            if (key != "do")
            {
                line.values[key] = value.GetText();
            }
        }
        entry.Expect(!line.kind.empty(), "a step with compute, send, wait or repeat");
        entry.CheckKeys(STEP_KEYS.at(line.kind));
        if (line.kind == "repeat")
        {
            line.body = ReadLines(entry.GetField("do"));
        }
        for (const char* key : {"on", "from", "to"})
        {
            const auto& keys = STEP_KEYS.at(line.kind);
            if (std::find(keys.begin(), keys.end(), std::string(key)) != keys.end())
            {
                entry.GetField(key);
            }
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

uint32_t
ExchangePattern::CountStreams(const LanguageModel& model, uint32_t nodes) const
{
    auto names = MakeNames(model, nodes);
    names.insert(m_parameters.begin(), m_parameters.end());
    const double streams = EvaluateExpression(m_streams, names);
    Require(streams >= 1 && streams == std::floor(streams) && streams <= 1024,
            m_name + ": streams: found " + std::to_string(streams) +
                ", expected a whole number from 1 to 1024");
    return static_cast<uint32_t>(streams);
}

ExchangeProgram
ExchangePattern::Compile(const LanguageModel& model,
                         const LanguageFormats& formats,
                         const ExchangeShares& shares,
                         uint32_t tokens,
                         uint32_t rows) const
{
    auto names = MakeNames(model, shares.Count());
    names["q"] = formats.messages;
    names["t"] = tokens;
    names["r"] = rows;
    names.insert(m_parameters.begin(), m_parameters.end());
    Writer writer(model, shares, std::move(names));
    writer.Write(m_lines);
    try
    {
        return writer.Finish();
    }
    catch (const InputError& error)
    {
        throw InputError("exchange pattern " + m_name + ": " + error.what());
    }
}

} // namespace ns3::edgepipe
