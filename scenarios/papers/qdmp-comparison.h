/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_QDMP_COMPARISON_H
#define EDGEPIPE_QDMP_COMPARISON_H

#include "papers/published-qdmp.h"
#include "papers/qdmp-outcome.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/// Differences above this share are to be explained.
constexpr double QDMP_TOLERANCE = 0.15;

/** One way to read a table: which of our columns stand for the paper's five. */
struct QdmpReading
{
    std::string name;                                         //!< for people
    std::vector<std::pair<std::string, std::string>> columns; //!< theirs, ours
};

/**
 * @return `as read` takes dads without the input and throughput by its formula; `as printed`
 *         takes DADS to count the input and cloud-only to be serial, since table 2's DADS keeps
 *         layers on the device and table 3's cloud-only column is 1 / table 2's
 */
const std::vector<QdmpReading>& GetQdmpReadings();

/** How an order of ours compares with the paper's. */
struct OrderComparison
{
    std::vector<std::string> reversed; //!< pairs that the paper orders and ours orders otherwise
    std::vector<std::string> other;    //!< pairs whose order, or tie, is not the paper's to the
                                       //!< digits printed
};

/**
 * Compare the order of figures pair by pair.
 *
 * Figures that the paper prints differently are ordered, since rounding keeps the order. Those
 * printed the same have no known order.
 *
 * @param theirs by name, as printed
 * @param ours in the same order
 * @param digit the last one printed
 * @param equal share of a figure by which ours may differ and count as equal
 * @return how they compare
 */
OrderComparison CompareOrder(const std::vector<std::pair<std::string, double>>& theirs,
                             const std::vector<double>& ours,
                             double digit,
                             double equal = 1e-9);

/** A figure of the paper beside ours. */
struct QdmpComparison
{
    std::string figure;  //!< such as table2 or figure8
    std::size_t model;   //!< index in the models
    std::string network; //!< name
    std::string planner; //!< one of GetQdmpPlanners
    std::string unit;    //!< of both
    double theirs;       //!< as printed, or a ratio of figures as printed
    double ours;         //!< the same of ours

    /** @return ours / theirs - 1; none if theirs is 0 */
    std::optional<double> GetDifference() const;
};

/** How our order of planners in a cell compares with the paper's. */
struct QdmpOrder
{
    std::string figure;         //!< table2 or table3
    std::size_t model;          //!< index in the models
    std::string network;        //!< name
    std::string reading;        //!< name of a QdmpReading
    OrderComparison comparison; //!< of its five columns
};

/**
 * @param models what the paper says of the models of the outcome
 * @param outcome ours
 * @return tables 2, 3 and 6 and the ratios of figures 7 to 10
 */
std::vector<QdmpComparison> CompareQdmp(const std::vector<PublishedQdmpModel>& models,
                                        const QdmpOutcome& outcome);

/**
 * @param comparisons of CompareQdmp
 * @return the orders in tables 2 and 3
 */
std::vector<QdmpOrder> CompareQdmpOrders(const std::vector<QdmpComparison>& comparisons);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_QDMP_COMPARISON_H */
