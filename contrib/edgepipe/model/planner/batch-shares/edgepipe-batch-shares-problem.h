/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_BATCH_SHARES_PROBLEM_H
#define EDGEPIPE_BATCH_SHARES_PROBLEM_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

class JsonTable;

/** Measurements of a worker of data-parallel training. */
struct BatchSharesNode
{
    std::string name;        //!< unique in its problem
    double opsPerSecond;     //!< operations finished per second, >= 0
    double memoryBytesInUse; //!< bytes, >= 0
    /// Response times, s, >= 0: of the first node only, or of every node in order, its own 0.
    std::vector<double> latenciesSeconds;
    double communicationSeconds{0}; //!< gradient exchange, s, >= 0; only for `optimal`
};

/**
 * The batch shares problem: how many samples of a mini-batch each worker computes.
 *
 * T.-J. Sun, T.-T. Ngo and E.-N. Huh call it BS_i in "BalanceNet Orchestrator: A KQV-based Dynamic
 * Task Allocation for Distributed Deep Learning"; their base batch B is read as the batch of all
 * workers together.
 */
struct BatchSharesProblem
{
    uint64_t baseBatch{0};              //!< samples of all workers together, >= number of nodes
    std::vector<BatchSharesNode> nodes; //!< at least 1
    bool normalize{false};  //!< whether `bno` scales its shares so that they sum to the base batch
    double opsPerSample{0}; //!< operations to train on one sample; only for `optimal`
    std::string model{};    //!< name of the network; empty: unknown
};

/** Samples of every worker. */
struct BatchSharesPlan
{
    std::vector<uint64_t> batches; //!< by node, samples, >= 1
};

/// Largest base batch, samples, whose products with a share keep every digit.
constexpr uint64_t LARGEST_BASE_BATCH = uint64_t{1} << 40;

/**
 * Refuses a problem that violates a constraint of BatchSharesProblem.
 *
 * @param problem any problem
 * @throws InputError naming what is wrong
 */
void ValidateBatchSharesProblem(const BatchSharesProblem& problem);

/**
 * @param table reader or writer
 * @param problem read or written (doc/reference/problems.rst, "Batch shares problem and plan")
 * @throws InputError when reading a malformed problem or one ValidateBatchSharesProblem refuses
 */
void ListFields(JsonTable& table, BatchSharesProblem& problem);

/**
 * @param table reader or writer
 * @param plan read or written (doc/reference/problems.rst, "Batch shares problem and plan")
 * @param problem its problem
 * @throws InputError when reading a plan that is malformed or names what the problem lacks
 */
void ListFields(JsonTable& table, BatchSharesPlan& plan, const BatchSharesProblem& problem);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_BATCH_SHARES_PROBLEM_H */
