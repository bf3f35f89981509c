/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LANGUAGE_PROBLEM_H
#define EDGEPIPE_LANGUAGE_PROBLEM_H

#include "ns3/edgepipe-language-device.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

class JsonTable;

/** A device that a language model may be spread over. */
struct LanguageNode
{
    std::string name;             //!< unique in its problem
    double layerSeconds{0};       //!< of a token in one whole layer, s, > 0
    double headSeconds{0};        //!< of a token's logits, s, >= 0
    double memoryBytes{0};        //!< for weights and cache, >= 0
    double messageSeconds{0};     //!< of its host for an activation, s, >= 0
    double uplinkBitsPerSecond;   //!< payload, > 0
    double downlinkBitsPerSecond; //!< payload, > 0
    WeightDisk disk{};            //!< of what the memory does not hold
};

/**
 * The language model problem: which device computes how much of every layer, or which layers.
 *
 * Requests arrive at the first node, so every plan begins there.
 */
struct LanguageProblem
{
    std::string model{};             //!< name; empty: unknown
    bool isTensorSplit{false};       //!< whether each layer is split; otherwise layers are
    bool isHeadLast{false};          //!< whether the last node computes the head; else the first
    uint32_t amount{0};              //!< layers, or parts of every layer, to be shared out; > 0
    uint32_t layers{0};              //!< of the model; > 0
    uint32_t clients{0};             //!< nodes, from the first on, that hold nothing: 0 or 1
    double partBytes{0};             //!< weights and cache of one of amount, bytes
    double firstBytes{0};            //!< what the first node holds beside, bytes
    double lastBytes{0};             //!< what the node of the head holds beside, bytes
    double hopBytes{0};              //!< from a node with layers to the next
    double closingBytes{0};          //!< from the last node to the first
    double delaySeconds{0};          //!< of every link, s
    std::vector<LanguageNode> nodes; //!< at least 1
};

/** A node's share of a plan. */
struct LanguagePart
{
    std::size_t node; //!< index in the problem
    uint32_t amount;  //!< of LanguageProblem::amount, > 0, but for clients
};

/** Shares in the order of the exchange pattern, the first node first; others may be left out. */
struct LanguagePlan
{
    std::vector<LanguagePart> parts; //!< their amounts add up
};

/**
 * @param problem any problem
 * @throws InputError naming what is wrong
 */
void ValidateLanguageProblem(const LanguageProblem& problem);

/**
 * @param problem a valid problem
 * @param plan any plan
 * @throws InputError naming what is wrong
 */
void ValidateLanguagePlan(const LanguageProblem& problem, const LanguagePlan& plan);

/**
 * @param problem a problem
 * @param amount that a node holds
 * @param isFirst whether requests arrive there
 * @param isHead whether it computes the head
 * @return bytes that it needs
 */
double GetLanguageBytes(const LanguageProblem& problem, uint32_t amount, bool isFirst, bool isHead);

/** What a plan would take, without queues. */
struct LanguagePlanCost
{
    double latencySeconds{0}; //!< of a token
    double periodSeconds{0};  //!< between tokens of different streams, of the slowest node or hop
    bool fits{true};          //!< into every memory
};

/**
 * Cost of a split by layers: L = sum of computation and hops; period = the largest of either. Of a
 * split by tensors: the slowest node's computation, since what is exchanged is the same.
 *
 * @param problem a valid problem
 * @param plan a valid plan
 * @return its cost
 */
LanguagePlanCost GetLanguagePlanCost(const LanguageProblem& problem, const LanguagePlan& plan);

/**
 * @param problem a valid problem
 * @param from index of a node
 * @param to index of another
 * @param bytes of a message
 * @return its time: rate of the narrower link, delay, and both hosts, s
 */
double GetLanguageHopSeconds(const LanguageProblem& problem,
                             std::size_t from,
                             std::size_t to,
                             double bytes);

/**
 * @param table reader or writer
 * @param problem read or written (doc/reference/problems.rst, "Language model problem and plan")
 * @throws InputError when reading a malformed problem or one ValidateLanguageProblem refuses
 */
void ListFields(JsonTable& table, LanguageProblem& problem);

/**
 * @param table reader or writer
 * @param plan read or written
 * @param problem its problem
 * @throws InputError when reading a plan that is malformed or names what the problem lacks
 */
void ListFields(JsonTable& table, LanguagePlan& plan, const LanguageProblem& problem);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LANGUAGE_PROBLEM_H */
