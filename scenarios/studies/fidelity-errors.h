/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FIDELITY_ERRORS_H
#define EDGEPIPE_FIDELITY_ERRORS_H

#include "studies/fidelity-case.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** The same case run in both fidelities. */
struct FidelityComparison
{
    std::string options;            //!< see FidelityCase::Make
    std::string workload;           //!< name of the scenario
    std::string link;               //!< such as lan
    std::size_t setting{0};         //!< cases of the same one differ by the planner only
    double limit{0};                //!< largest difference that is good enough, a share
    std::size_t devices{0};         //!< how many there are
    std::size_t stages{0};          //!< how many the plan uses; 0 where there are none
    FidelityRun packet;             //!< packet level
    FidelityRun flow;               //!< flow level
    double idealSeconds{0};         //!< over wires of 1 Tbit/s, s; 0 if it was not run
    double GetDifference() const;   //!< flow over packet time, less 1
    double GetNetworkShare() const; //!< share of the packet time owed to the network
    bool IsFinished() const;        //!< whether both runs finished
};

/** Links that are judged together, and how close flow level is meant to come on them. */
struct FidelityGoal
{
    std::string name;               //!< of the kind
    std::vector<std::string> links; //!< that are of it
    double median;                  //!< of the differences' absolutes, a share
    double p95;                     //!< likewise
    double worst;                   //!< likewise
};

/** @return every kind of link, in the order of tables; each link is of one */
const std::vector<FidelityGoal>& GetFidelityGoals();

/**
 * @param link such as lan
 * @return its kind
 */
const FidelityGoal& FindFidelityGoal(const std::string& link);

/** Pairs of planners that met the same setting. */
struct FidelityOrder
{
    uint64_t pairs{0};                 //!< that differ by more than 5 % at packet level
    uint64_t alike{0};                 //!< of them, ordered the same by flow level
    std::vector<std::string> reversed; //!< the others, for people
};

/**
 * @param comparisons those that have not finished are left out
 * @return how alike the two fidelities order them
 */
FidelityOrder CompareOrders(const std::vector<FidelityComparison>& comparisons);

/**
 * Print the distribution of the differences by kind of link and workload, and how alike planners
 * are ordered.
 *
 * @param comparisons of drawn cases
 */
void PrintFidelityErrors(const std::vector<FidelityComparison>& comparisons);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_FIDELITY_ERRORS_H */
