/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DATA_PARALLEL_MESSAGE_H
#define EDGEPIPE_DATA_PARALLEL_MESSAGE_H

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-message-body.h"
#include "ns3/edgepipe-tag.h"
#include "ns3/node-container.h"

#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3::edgepipe
{

/// Ports of the data-parallel training applications, see TensorSocket.
enum DataParallelPort : uint16_t
{
    DATA_PARALLEL_FIRST_NODE_PORT = 29, //!< metrics, and receipts of shares
    DATA_PARALLEL_REPORTER_PORT = 30,   //!< pings and shares
    DATA_PARALLEL_EXCHANGE_PORT = 31,   //!< gradients and weights
};

/// Ranks of the workers that train together, increasing; thousands share one list.
using DataParallelMembers = std::shared_ptr<const std::vector<uint32_t>>;

/// Payload of a notification, bytes.
constexpr uint64_t DATA_PARALLEL_NOTICE_BYTES = 16;

/** Identifies a task or a message of data-parallel training; sent as a 64-bit tag. */
struct DataParallelTag : PackedTag<DataParallelTag>
{
    /// Kinds of messages and tasks.
    enum Kind : uint8_t
    {
        HELLO,        //!< message: opens a connection
        GRADIENTS,    //!< message: gradients, or a chunk of their sum, to another worker
        WEIGHTS,      //!< message: new weights from the parameter server
        PING,         //!< message: requests an answer at once
        PONG,         //!< message: that answer
        METRICS,      //!< message: a worker's NodeMetrics to the first node
        SHARES,       //!< message: new shares from the first node, a ShareNotice
        SHARES_TAKEN, //!< message: a worker confirms new shares
        COMPUTE,      //!< task: forward and backward pass of a worker's share
        UPDATE,       //!< task: weight update
        PLANNING,     //!< task: a run of the planner
        JOIN,         //!< message: worker to first node, request to join
        LEAVE,        //!< message: worker to first node, request to leave
        REPORT,       //!< message: a worker's DeviceReport, on the link of its gradients
    };

    /**
     * @param kind of message or task
     * @param iteration that it belongs to
     * @param step of a ring all-reduce
     * @param version of the shares
     */
    DataParallelTag(Kind kind, uint32_t iteration = 0, uint32_t step = 0, uint32_t version = 0)
        : kind(kind),
          iteration(iteration),
          step(step),
          version(version)
    {
    }

    Kind kind;          //!< message or task
    uint32_t iteration; //!< from 0, below 2^24
    uint32_t step;      //!< of a ring all-reduce, from 0, below 2^15
    uint32_t version;   //!< of the shares; in gradients, the next iteration's; below 2^17

    /// Layout for Pack.
    static constexpr Field FIELDS[]{{&DataParallelTag::iteration, 24},
                                    {&DataParallelTag::step, 15},
                                    {&DataParallelTag::version, 17}};
    /// Descriptions, by Kind.
    static inline const std::vector<TagKind> KINDS{
        {"hello"},
        {"gradients", " of iteration %1, step %2"},
        {"weights", " of iteration %1"},
        {"ping"},
        {"answer to a ping"},
        {"metrics"},
        {"shares", ", version %3"},
        {"receipt of shares", ", version %3"},
        {"computing", " of iteration %1"},
        {"update", " of iteration %1"},
        {"planning"},
        {"request to join"},
        {"request to leave"},
        {"report on a link"},
    };
};

/** A worker's measurements since its last report. */
struct NodeMetrics
{
    double opsPerSecond{0};               //!< operations finished per second of computing
    uint64_t memoryBytesInUse{0};         //!< bytes in use in its memory
    double communicationSeconds{0};       //!< of the gradient exchange, s; 0 in a ring
    std::vector<double> latenciesSeconds; //!< to the first node, or to every node, s

    /// For error messages.
    static constexpr const char* NAME = "metrics";

    /**
     * Lists the fields, see MessageBody.
     * @param body writes or reads them
     */
    template <typename Body>
    void List(Body& body)
    {
        body("opsPerSecond", opsPerSecond)("memoryBytesInUse", memoryBytesInUse);
        body("communicationSeconds", communicationSeconds);
        body.Rest("latenciesSeconds", latenciesSeconds);
    }
};

/** Notice from the first node to a worker about its share. */
struct ShareNotice
{
    uint32_t version{0}; //!< of the shares, above 0
    uint64_t samples{0}; //!< the worker's share, samples; 0: it leaves
    /// Ranks of all members, increasing; none: as before.
    std::vector<uint32_t> members;

    /// For error messages.
    static constexpr const char* NAME = "shares";

    /**
     * Lists the fields, see MessageBody.
     * @param body writes or reads them
     */
    template <typename Body>
    void List(Body& body)
    {
        body("version", version)("samples", samples);
        body.Rest("members", members);
    }
};

/**
 * Maps workers of data-parallel training to nodes: ranks number the workers from 0, and messages go
 * from node to node.
 */
class WorkerRanks
{
  public:
    /** @param nodes of the workers, by rank, each once */
    explicit WorkerRanks(const NodeContainer& nodes)
    {
        for (auto node = nodes.Begin(); node != nodes.End(); ++node)
        {
            m_nodes.push_back((*node)->GetId());
            Require(m_ranks.emplace(m_nodes.back(), m_ranks.size()).second,
                    "workers: found node " + std::to_string(m_nodes.back()) +
                        " twice, expected each node once");
        }
        std::vector<uint32_t> all(m_nodes.size());
        std::iota(all.begin(), all.end(), 0);
        m_all = std::make_shared<const std::vector<uint32_t>>(std::move(all));
    }

    /** @return all ranks, increasing */
    const std::shared_ptr<const std::vector<uint32_t>>& GetAll() const
    {
        return m_all;
    }

    /** @return number of workers */
    uint32_t GetN() const
    {
        return m_nodes.size();
    }

    /**
     * @param rank of a worker
     * @return id of its node
     */
    uint32_t GetNode(uint32_t rank) const
    {
        return m_nodes[rank];
    }

    /**
     * @param node id of a node
     * @return rank of its worker; nothing if it has none
     */
    std::optional<uint32_t> FindRank(uint32_t node) const
    {
        const auto found = m_ranks.find(node);
        return found == m_ranks.end() ? std::nullopt : std::make_optional(found->second);
    }

  private:
    std::vector<uint32_t> m_nodes;                      //!< ids, by rank
    std::unordered_map<uint32_t, uint32_t> m_ranks;     //!< by id of the node
    std::shared_ptr<const std::vector<uint32_t>> m_all; //!< all ranks
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_DATA_PARALLEL_MESSAGE_H */
