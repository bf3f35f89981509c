// SPDX-License-Identifier: GPL-2.0-only

#ifndef TWO_WAY_CUT_ORACLE_H
#define TWO_WAY_CUT_ORACLE_H

#include "test.h"

#include <array>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <limits>

/** The least latency of a problem, found without anything that planners use. */
class TwoWayCutOracle
{
  public:
    using Problem = TwoWayCutProblem;

    explicit TwoWayCutOracle(const Problem& problem)
        : m_problem(problem),
          m_count(problem.layers.size()),
          m_readers(m_count)
    {
        for (std::size_t i = 0; i < m_count; ++i)
        {
            for (const std::size_t input : problem.layers[i].inputs)
            {
                m_readers[input].push_back(i);
            }
        }
    }

    /** @return the least latency of all closed partitions of at most 20 layers, seconds */
    double Enumerate() const
    {
        double best = std::numeric_limits<double>::infinity();
        for (uint32_t onDevice = 0; onDevice < uint32_t{1} << m_count; ++onDevice)
        {
            const double seconds = GetSeconds(onDevice);
            best = seconds < best ? seconds : best;
        }
        return best;
    }

    /** @return the least bottleneck of all closed partitions of at most 20 layers, seconds */
    double EnumerateBottlenecks() const
    {
        double best = std::numeric_limits<double>::infinity();
        for (uint32_t onDevice = 0; onDevice < uint32_t{1} << m_count; ++onDevice)
        {
            const auto parts = GetParts(onDevice);
            best = std::min(best, *std::max_element(parts.begin(), parts.end()));
        }
        return best;
    }

    /** @return the least latency as the maximum flow of the whole graph, whole nanoseconds */
    int64_t FindMaximumFlow() const
    {
        // A layer is vertex i, its output vertex n + i; the frame needs no vertex of its own, since
        // it is on the device, but what is sent of it does.
        const std::size_t upload = 2 * m_count;
        const std::size_t device = upload + 1;
        const std::size_t server = upload + 2;
        Graph graph(server + 1);
        const int64_t never = int64_t{1} << 50;
        Join(graph, device, upload, std::llrint(GetUploadSeconds(m_problem.inputBytes) * 1e9));
        for (std::size_t i = 0; i < m_count; ++i)
        {
            const auto& layer = m_problem.layers[i];
            const double result = m_readers[i].empty() ? GetResultSeconds(i) : 0;
            Join(graph, device, i, std::llrint((layer.serverSeconds + result) * 1e9));
            Join(graph, i, server, std::llrint(layer.deviceSeconds * 1e9));
            Join(graph, i, m_count + i, std::llrint(GetUploadSeconds(layer.outputBytes) * 1e9));
            for (const std::size_t reader : m_readers[i])
            {
                Join(graph, m_count + i, reader, never);
                Join(graph, reader, i, never);
            }
            if (layer.inputs.empty())
            {
                Join(graph, upload, i, never);
            }
        }
        return boost::push_relabel_max_flow(graph, device, server);
    }

  private:
    using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
    using Graph = boost::adjacency_list<
        boost::vecS,
        boost::vecS,
        boost::directedS,
        boost::no_property,
        boost::property<
            boost::edge_capacity_t,
            int64_t,
            boost::property<boost::edge_residual_capacity_t,
                            int64_t,
                            boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;

    static void Join(Graph& graph, std::size_t from, std::size_t to, int64_t capacity)
    {
        const auto there = boost::add_edge(from, to, graph).first;
        const auto home = boost::add_edge(to, from, graph).first;
        boost::put(boost::edge_capacity, graph, there, capacity);
        boost::put(boost::edge_reverse, graph, there, home);
        boost::put(boost::edge_reverse, graph, home, there);
    }

    double GetUploadSeconds(uint64_t bytes) const
    {
        return bytes * 8.0 / m_problem.uplinkBitsPerSecond;
    }

    double GetResultSeconds(std::size_t layer) const
    {
        return m_problem.countResult
                   ? m_problem.layers[layer].outputBytes * 8.0 / m_problem.downlinkBitsPerSecond
                   : 0;
    }

    /** @return the latency of a set of layers on the device; infinite if it is not closed */
    double GetSeconds(uint32_t onDevice) const
    {
        const auto parts = GetParts(onDevice);
        const bool isSplit = onDevice + 1 < uint32_t{1} << m_count;
        const int messages = isSplit ? 1 + m_problem.countResult : 0;
        return parts[0] + parts[1] + parts[2] + messages * m_problem.delaySeconds;
    }

    /** @return the time on the device, on the way and on the server; infinite if not closed */
    std::array<double, 3> GetParts(uint32_t onDevice) const
    {
        std::array<double, 3> parts{};
        bool isFrameSent = false;
        for (std::size_t i = 0; i < m_count; ++i)
        {
            const auto& layer = m_problem.layers[i];
            uint32_t readers = 0;
            for (const std::size_t reader : m_readers[i])
            {
                readers |= uint32_t{1} << reader;
            }
            if (onDevice >> i & 1)
            {
                parts[0] += layer.deviceSeconds;
                parts[1] += readers & ~onDevice ? GetUploadSeconds(layer.outputBytes) : 0;
                continue;
            }
            if (readers & onDevice)
            {
                parts.fill(std::numeric_limits<double>::infinity());
                return parts;
            }
            parts[1] += readers ? 0 : GetResultSeconds(i);
            parts[2] += layer.serverSeconds;
            isFrameSent |= layer.inputs.empty();
        }
        parts[1] += isFrameSent ? GetUploadSeconds(m_problem.inputBytes) : 0;
        return parts;
    }

    const Problem& m_problem;                        //!< the problem
    std::size_t m_count;                             //!< of layers
    std::vector<std::vector<std::size_t>> m_readers; //!< by layer
};

#endif /* TWO_WAY_CUT_ORACLE_H */
