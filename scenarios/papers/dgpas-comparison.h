/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DGPAS_COMPARISON_H
#define EDGEPIPE_DGPAS_COMPARISON_H

#include "papers/dgpas-cases.h"
#include "papers/published-dgpas.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** A cell of the paper's table 3 beside ours, over one network. */
struct DgpasComparison
{
    std::size_t model;                //!< index in the models
    std::size_t method;               //!< index in the methods
    DgpasHelp help;                   //!< NONE but for DGPAS_Co
    std::string row;                  //!< of table 3; empty if the paper has no such row
    std::optional<double> theirs;     //!< seconds
    MeanInterval ours;                //!< seconds, simulated
    std::optional<double> theirRatio; //!< theirs over their DGPAS
    std::optional<double> toFaithful; //!< ours over our faithful grdqn without help
    std::optional<double> toImproved; //!< ours over our improved grdqn without help
};

/** How the order of ours compares with that of table 3, for one model. */
struct DgpasOrder
{
    std::size_t model;                 //!< index in the models
    std::string variant;               //!< of grdqn that stands for DGPAS, a method's name
    std::size_t pairs;                 //!< compared
    std::vector<std::string> reversed; //!< pairs that theirs orders and ours orders otherwise
};

/**
 * @param published what the paper says, of the models of the cases
 * @param methods the rows
 * @param cases what was simulated
 * @param network index of the one to compare over
 * @return table 3: a cell for every method that finished, and for grdqn with help two more
 */
std::vector<DgpasComparison> CompareDgpas(const PublishedDgpas& published,
                                          const std::vector<DgpasMethod>& methods,
                                          const DgpasCases& cases,
                                          std::size_t network);

/**
 * @param published what the paper says
 * @param methods the rows
 * @param comparisons of CompareDgpas
 * @return the order of the planners of table 3, by model and variant of grdqn
 */
std::vector<DgpasOrder> CompareDgpasOrders(const PublishedDgpas& published,
                                           const std::vector<DgpasMethod>& methods,
                                           const std::vector<DgpasComparison>& comparisons);

/**
 * By how much less time a variant of grdqn takes than other planners, as the average of table 3:
 * the mean of 1 - grdqn / other over models and the planners of table 3.
 *
 * @param published what the paper says
 * @param methods the rows
 * @param comparisons of CompareDgpas
 * @param variant name of a method
 * @return a share; none if nothing can be compared
 */
std::optional<double> GetDgpasReduction(const PublishedDgpas& published,
                                        const std::vector<DgpasMethod>& methods,
                                        const std::vector<DgpasComparison>& comparisons,
                                        const std::string& variant);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_DGPAS_COMPARISON_H */
