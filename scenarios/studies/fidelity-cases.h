/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FIDELITY_CASES_H
#define EDGEPIPE_FIDELITY_CASES_H

#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** A training run by which flow level is compared with packet level. */
struct FidelityCase
{
    /// Options of the scenario pipeline-training, such as "model=alexnet link=p2p", separated by
    /// blanks; what is missing has that scenario's default.
    std::string options;
    bool isQuick{false}; //!< whether it belongs to the small selection for a first look
};

/**
 * The grid: models, planners, device counts, schedules and links chosen so that much of an
 * iteration is spent on the network, and in the ways in which a network can be hard: many flows
 * on one link, both directions of a wire in use, long round trips, rates that change under way.
 *
 * @return the cases, those of one link side by side
 */
const std::vector<FidelityCase>& GetFidelityCases();

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_FIDELITY_CASES_H */
