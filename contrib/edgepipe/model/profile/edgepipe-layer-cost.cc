/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-layer-cost.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"
#include "ns3/edgepipe-text-lines.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <string_view>

namespace ns3::edgepipe
{

namespace
{

/** Reads one profile, line by line. */
class ProfileReader
{
  public:
    /**
     * @param path the file, for messages
     * @param graph the model
     */
    ProfileReader(const std::string& path, const DnnGraph& graph)
        : m_path(path),
          m_lines(path),
          m_graph(graph),
          m_isSeen(graph.layers.size(), false)
    {
        for (std::size_t i = 0; i < graph.layers.size(); ++i)
        {
            m_indices[graph.layers[i].name] = i;
        }
    }

    /** @return the costs in the file */
    LayerCost Read()
    {
        for (std::string_view line; m_lines.Next(line);)
        {
            if (line[0] == '#')
            {
                ReadHeader(line);
            }
            else if (m_columns.empty())
            {
                CheckHeader();
                ReadColumns(line);
            }
            else
            {
                ReadRow(line);
            }
        }
        Require(!m_columns.empty(), m_path + ": the line with the column names is missing");
        auto missing = std::find(m_isSeen.begin(), m_isSeen.end(), false);
        if (missing != m_isSeen.end())
        {
            const std::string& name = m_graph.layers[missing - m_isSeen.begin()].name;
            throw InputError(m_path + ": layer " + QuoteForMessage(name) + " of model " +
                             m_graph.name + " has no row");
        }
        FindMode();
        FindSpreads();
        return m_cost;
    }

  private:
    /** @param line a line "# key: value" */
    void ReadHeader(std::string_view line)
    {
        m_lines.Check(line.find(':') != std::string_view::npos,
                      "found " + QuoteBriefly(line) + ", expected \"# key: value\"");
        std::string_view value = line.substr(1);
        const std::string key(TakeField(value, ':'));
        m_lines.Check(m_cost.header.emplace(key, TrimBlanks(value)).second,
                      "header key " + QuoteForMessage(key) + " is given twice");
    }

    /**
     * @param key a required header key
     * @return its value
     */
    const std::string& GetHeader(const std::string& key) const
    {
        auto found = m_cost.header.find(key);
        Require(found != m_cost.header.end(),
                m_path + ": header line \"# " + key + ": ...\" is missing");
        return found->second;
    }

    /**
     * @param key a header key
     * @param expected what should stand there
     */
    void ExpectHeader(bool isSo, const std::string& key, const std::string& expected) const
    {
        Require(isSo,
                m_path + ": " + key + ": found " + QuoteForMessage(GetHeader(key)) + ", expected " +
                    expected);
    }

    /** Checks the header, before the line of columns. */
    void CheckHeader()
    {
        const bool isOld = GetHeader("format") == "edgepipe-profile 1";
        ExpectHeader(isOld || GetHeader("format") == "edgepipe-profile 2",
                     "format",
                     "\"edgepipe-profile 2\"");
        m_cost.model = GetHeader("model");
        ExpectHeader(m_cost.model == m_graph.name, "model", QuoteForMessage(m_graph.name));
        m_cost.device = GetHeader("device");
        m_cost.origin = GetHeader("origin");
        ExpectHeader(m_cost.origin == "measured" || m_cost.origin == "published" ||
                         m_cost.origin == "estimated",
                     "origin",
                     "measured, published or estimated");
        const std::string& batch = GetHeader("batch");
        auto [end, error] =
            std::from_chars(batch.data(), batch.data() + batch.size(), m_cost.batch);
        ExpectHeader(error == std::errc() && end == batch.data() + batch.size() && m_cost.batch > 0,
                     "batch",
                     "a positive integer");
        if (!isOld || m_cost.header.count("mode") > 0)
        {
            const std::string& mode = GetHeader("mode");
            ExpectHeader(mode == "training" || mode == "evaluation",
                         "mode",
                         "training or evaluation");
            m_cost.mode = mode == "training" ? PassKind::TRAINING : PassKind::INFERENCE;
        }
        m_cost.source = m_path;
    }

    /** @param line the line with the names of the columns */
    void ReadColumns(std::string_view line)
    {
        for (const std::string_view column : SplitFields(line))
        {
            m_columns.emplace_back(column);
        }
        std::map<std::string, std::vector<double>*> seconds = {
            {"forwardSeconds", &m_cost.forwardSeconds},
            {"backwardSeconds", &m_cost.backwardSeconds},
            {"isolatedForwardSeconds", &m_cost.isolatedForwardSeconds},
            {"isolatedBackwardSeconds", &m_cost.isolatedBackwardSeconds},
            {"forwardSpreadSeconds", &m_cost.forwardSpreadSeconds},
            {"backwardSpreadSeconds", &m_cost.backwardSpreadSeconds}};
        const std::vector<std::string> others = {"layer", "operator"};
        for (const std::string& column : m_columns)
        {
            m_lines.Check(std::count(m_columns.begin(), m_columns.end(), column) <= 1,
                          "column " + QuoteForMessage(column) + " is given twice");
            auto found = seconds.find(column);
            m_targets.push_back(found == seconds.end() ? nullptr : found->second);
            if (m_targets.back())
            {
                m_targets.back()->resize(m_graph.layers.size());
            }
            else if (std::find(others.begin(), others.end(), column) == others.end())
            {
                m_lines.Fail("unknown column " + QuoteForMessage(column));
            }
        }
        for (const char* required : {"layer", "forwardSeconds", "backwardSeconds"})
        {
            m_lines.Check(std::find(m_columns.begin(), m_columns.end(), required) !=
                              m_columns.end(),
                          "column \"" + std::string(required) + "\" is missing");
        }
    }

    /** @param line a row of figures */
    void ReadRow(std::string_view line)
    {
        const auto fields = SplitFields(line);
        m_lines.Check(fields.size() == m_columns.size(),
                      "found " + std::to_string(fields.size()) + " fields, expected " +
                          std::to_string(m_columns.size()));
        std::size_t column =
            std::find(m_columns.begin(), m_columns.end(), "layer") - m_columns.begin();
        auto index = m_indices.find(std::string(fields[column]));
        m_lines.Check(index != m_indices.end(),
                      "found layer " + QuoteBriefly(fields[column]) +
                          ", expected a layer of model " + m_graph.name);
        m_lines.Check(!m_isSeen[index->second],
                      "layer " + QuoteBriefly(fields[column]) + " is given twice");
        m_isSeen[index->second] = true;
        for (std::size_t i = 0; i < fields.size(); ++i)
        {
            if (m_targets[i])
            {
                (*m_targets[i])[index->second] = ReadSeconds(fields[i], m_columns[i]);
            }
        }
    }

    /**
     * @param field a field
     * @param column the name of its column
     * @return its seconds, 0 for a negative value
     */
    double ReadSeconds(std::string_view field, const std::string& column)
    {
        constexpr double most = std::numeric_limits<double>::max();
        const double seconds = m_lines.ParseNumber(column, field, -most, most, "seconds");
        if (seconds < 0)
        {
            ++m_cost.negativeValues;
            return 0;
        }
        return seconds;
    }

    /** Finds the mode of an old file, and checks that of a new one. */
    void FindMode()
    {
        const auto isZero = [](double seconds) { return seconds == 0; };
        const auto& backward = m_cost.backwardSeconds;
        const auto& forward = m_cost.forwardSeconds;
        const bool isForwardOnly = std::all_of(backward.begin(), backward.end(), isZero);
        const bool isNothing = isForwardOnly && std::all_of(forward.begin(), forward.end(), isZero);
        if (!m_cost.mode)
        {
            m_cost.mode = isForwardOnly && !isNothing ? PassKind::INFERENCE : PassKind::TRAINING;
            return;
        }
        ExpectHeader(isForwardOnly || m_cost.mode == PassKind::TRAINING,
                     "mode",
                     "training, since there are backward passes");
        ExpectHeader(!isForwardOnly || isNothing || m_cost.mode == PassKind::INFERENCE,
                     "mode",
                     "evaluation, since backwardSeconds are 0 for every layer");
    }

    /**
     * @param key a header key that may be missing
     * @param missing what it is then
     * @param least smallest value
     * @return its number
     */
    double GetNumber(const std::string& key, double missing, double least) const
    {
        const auto found = m_cost.header.find(key);
        if (found == m_cost.header.end())
        {
            return missing;
        }
        double value = 0;
        const std::string& text = found->second;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        ExpectHeader(error == std::errc() && end == text.data() + text.size() && value >= least &&
                         std::isfinite(value),
                     key,
                     "a number of " + std::to_string(int(least)) + " or more");
        return value;
    }

    /** Turns the interquartile ranges of repeats into the spreads of their medians. */
    void FindSpreads()
    {
        const double repeats = GetNumber("repeats", 1, 1);
        const double range = GetNumber("passSpreadSeconds", -1, 0);
        if (m_cost.header.count("repeats") > 0)
        {
            m_cost.runs = Describe(repeats, range);
        }
        // For normal repeats, the interquartile range is 1.349 standard deviations, and the
        // standard error of their median is sqrt(pi / 2 / repeats) standard deviations.
        for (auto* spreads : {&m_cost.forwardSpreadSeconds, &m_cost.backwardSpreadSeconds})
        {
            for (double& spread : *spreads)
            {
                spread *= std::sqrt(1.5707963267948966 / repeats) / 1.349;
            }
        }
    }

    /**
     * @param repeats passes timed
     * @param range interquartile range of the pass, s; negative: unknown
     * @return both for display
     */
    std::string Describe(double repeats, double range) const
    {
        char text[80];
        std::snprintf(text, sizeof(text), "%g run%s", repeats, repeats == 1 ? "" : "s");
        std::string runs = text;
        const auto& forward = m_cost.forwardSpreadSeconds;
        const auto& backward = m_cost.backwardSpreadSeconds;
        const bool isPass = range >= 0;
        if (!isPass && !forward.empty() && forward.size() == backward.size())
        {
            range = std::accumulate(forward.begin(), forward.end(), 0.0) +
                    std::accumulate(backward.begin(), backward.end(), 0.0);
        }
        if (range >= 0 && m_cost.GetSeconds() > 0)
        {
            std::snprintf(text,
                          sizeof(text),
                          ", interquartile %s %.2g %%",
                          isPass ? "range" : "ranges of layers together",
                          100 * range / m_cost.GetSeconds());
            runs += text;
        }
        return runs + (m_cost.header.count("busy") > 0 ? ", on a busy machine" : "");
    }

    std::string m_path;                           //!< for messages
    TextLines m_lines;                            //!< of the file
    const DnnGraph& m_graph;                      //!< the model
    std::map<std::string, std::size_t> m_indices; //!< layers by name
    std::vector<bool> m_isSeen;                   //!< which layers had a row
    std::vector<std::string> m_columns;           //!< names of the columns
    std::vector<std::vector<double>*> m_targets;  //!< where each column goes; may be null
    LayerCost m_cost;                             //!< costs read so far
};

} // namespace

double
LayerCost::GetSeconds() const
{
    return std::accumulate(forwardSeconds.begin(), forwardSeconds.end(), 0.0) +
           std::accumulate(backwardSeconds.begin(), backwardSeconds.end(), 0.0);
}

LayerCost
ReadLayerProfile(const std::string& path, const DnnGraph& graph)
{
    return ProfileReader(path, graph).Read();
}

} // namespace ns3::edgepipe
