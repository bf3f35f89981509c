/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LANGUAGE_PARTS_H
#define EDGEPIPE_LANGUAGE_PARTS_H

#include "edgepipe-language-problem.h"

#include <limits>
#include <optional>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @param problem a problem
 * @return the clients' empty parts
 */
LanguagePlan BeginPlan(const LanguageProblem& problem);

/**
 * @param problem a problem
 * @param most nodes
 * @return nodes that may hold layers, in their order
 * @throws InputError if it is not split by layers, or has more nodes
 */
std::vector<std::size_t> ListHolders(const LanguageProblem& problem,
                                     std::size_t most = std::numeric_limits<std::size_t>::max());

/**
 * @param problem a problem
 * @param node index of a node
 * @param amount that it holds
 * @param isHead whether it computes the head
 * @param seconds that it computes
 * @return the same with weights read from its disk; none: it cannot hold so much
 */
std::optional<double> AddDisk(const LanguageProblem& problem,
                              std::size_t node,
                              uint32_t amount,
                              bool isHead,
                              double seconds);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LANGUAGE_PARTS_H */
