/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-closed-cut.h"

#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 sees an uninitialized boost::optional inside Boost.Graph's edge iterators.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <boost/graph/edmonds_karp_max_flow.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <cmath>

namespace ns3::edgepipe
{

namespace
{

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using Capacity = int64_t;
using EdgeProperties = boost::property<
    boost::edge_capacity_t,
    Capacity,
    boost::property<boost::edge_residual_capacity_t,
                    Capacity,
                    boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>;
using VertexProperties = boost::property<
    boost::vertex_color_t,
    boost::default_color_type,
    boost::property<boost::vertex_distance_t,
                    long,
                    boost::property<boost::vertex_predecessor_t, Traits::edge_descriptor>>>;
using Graph = boost::
    adjacency_list<boost::vecS, boost::vecS, boost::directedS, VertexProperties, EdgeProperties>;

/** The latency graph of some nodes. */
class LatencyGraph
{
  public:
    /**
     * @param nodes the nodes
     * @param algorithm solves it
     */
    LatencyGraph(const std::vector<ClosedCutNode>& nodes, MinCutAlgorithm algorithm)
        : m_algorithm(algorithm),
          m_source(nodes.size()),
          m_sink(nodes.size() + 1),
          m_graph(nodes.size() + 2)
    {
        double deviceSeconds = 0;
        double serverSeconds = 0;
        for (const ClosedCutNode& node : nodes)
        {
            deviceSeconds += node.deviceSeconds;
            serverSeconds += node.serverSeconds;
        }
        // No minimum cut holds an arc dearer than everything on one side. Capping such arcs, e.g.
        // of a very slow link, keeps the unit fine.
        m_dearest = std::max(2 * std::min(deviceSeconds, serverSeconds), 1e-200);
        double total = 0;
        for (const ClosedCutNode& node : nodes)
        {
            total += std::min(node.deviceSeconds, m_dearest) +
                     std::min(node.tensorSeconds, m_dearest) +
                     (std::isinf(node.serverSeconds) ? 0 : std::min(node.serverSeconds, m_dearest));
        }
        int exponent = 0;
        std::frexp(total, &exponent);
        m_scale = std::ldexp(1, std::min(50 - exponent, 1000));
        // Rounding adds at most half a unit to each of a node's up to three costs.
        m_infinite = (Capacity{1} << 51) + 2 * static_cast<Capacity>(nodes.size());
        for (std::size_t i = 0; i < nodes.size(); ++i)
        {
            const ClosedCutNode& node = nodes[i];
            if (node.serverSeconds > 0)
            {
                Join(m_source, i, Count(node.serverSeconds), 0);
            }
            if (node.deviceSeconds > 0)
            {
                Join(i, m_sink, Count(node.deviceSeconds), 0);
            }
            // Push-relabel recognises reverse arcs by their capacity of 0.
            if (node.consumers.size() == 1 && m_algorithm != MinCutAlgorithm::PUSH_RELABEL)
            {
                Join(i, node.consumers[0], Count(node.tensorSeconds), m_infinite);
            }
            else if (!node.consumers.empty())
            {
                const std::size_t tensor = boost::add_vertex(m_graph);
                Join(i, tensor, Count(node.tensorSeconds), 0);
                for (const uint32_t consumer : node.consumers)
                {
                    Join(tensor, consumer, m_infinite, 0);
                    Join(consumer, i, m_infinite, 0);
                }
            }
        }
    }

    /** Computes the residual capacities. */
    void Solve()
    {
        switch (m_algorithm)
        {
        case MinCutAlgorithm::BOYKOV_KOLMOGOROV:
            boost::boykov_kolmogorov_max_flow(m_graph, m_source, m_sink);
            break;
        case MinCutAlgorithm::PUSH_RELABEL:
            boost::push_relabel_max_flow(m_graph, m_source, m_sink);
            break;
        case MinCutAlgorithm::EDMONDS_KARP:
            boost::edmonds_karp_max_flow(m_graph, m_source, m_sink);
            break;
        }
    }

    /** @return by vertex, whether the source reaches it in the residual graph of Solve */
    std::vector<bool> FindSourceSide() const
    {
        std::vector<bool> isReached(boost::num_vertices(m_graph), false);
        std::vector<std::size_t> toVisit{m_source};
        isReached[m_source] = true;
        while (!toVisit.empty())
        {
            const std::size_t vertex = toVisit.back();
            toVisit.pop_back();
            const auto [begin, end] = boost::out_edges(vertex, m_graph);
            for (auto edge = begin; edge != end; ++edge)
            {
                const std::size_t next = boost::target(*edge, m_graph);
                if (!isReached[next] &&
                    boost::get(boost::edge_residual_capacity, m_graph, *edge) > 0)
                {
                    isReached[next] = true;
                    toVisit.push_back(next);
                }
            }
        }
        return isReached;
    }

  private:
    /**
     * @param from a vertex
     * @param to another
     * @param forth capacity of the arc
     * @param back capacity of the arc back
     */
    void Join(std::size_t from, std::size_t to, Capacity forth, Capacity back)
    {
        const auto there = boost::add_edge(from, to, m_graph).first;
        const auto home = boost::add_edge(to, from, m_graph).first;
        boost::put(boost::edge_capacity, m_graph, there, forth);
        boost::put(boost::edge_capacity, m_graph, home, back);
        boost::put(boost::edge_reverse, m_graph, there, home);
        boost::put(boost::edge_reverse, m_graph, home, there);
    }

    /**
     * @param seconds a cost
     * @return it in units
     */
    Capacity Count(double seconds) const
    {
        return std::isinf(seconds)
                   ? m_infinite
                   : static_cast<Capacity>(std::llrint(std::min(seconds, m_dearest) * m_scale));
    }

    MinCutAlgorithm m_algorithm; //!< solves it
    std::size_t m_source;        //!< stands for the device
    std::size_t m_sink;          //!< stands for the server
    double m_scale{1};           //!< units per second
    double m_dearest{0};         //!< cap on finite costs, seconds
    Capacity m_infinite{0};      //!< more than all finite capacities together
    Graph m_graph;               //!< vertices of the nodes first
};

} // namespace

std::vector<bool>
FindMinimumClosedCut(const std::vector<ClosedCutNode>& nodes, MinCutAlgorithm algorithm)
{
    LatencyGraph graph(nodes, algorithm);
    graph.Solve();
    std::vector<bool> isOnDevice = graph.FindSourceSide();
    isOnDevice.resize(nodes.size());
    return isOnDevice;
}

} // namespace ns3::edgepipe
