/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PUBLISHED_QDMP_H
#define EDGEPIPE_PUBLISHED_QDMP_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** Figures by network, then by planner. */
using FiguresByPlanner = std::map<std::string, std::map<std::string, double>>;

/** What the QDMP paper says of one model, as far as calibration needs it. */
struct PublishedQdmpModel
{
    std::string name;                //!< as the paper names it
    std::string file;                //!< the stem of its file in traces/models
    FiguresByPlanner latencySeconds; //!< table 2, by network, > 0
};

/** A network of the QDMP paper. */
struct PublishedQdmpNetwork
{
    std::string name;           //!< as the paper names it
    double uplinkBitsPerSecond; //!< table 5, > 0
};

/** The tables of S. Zhang et al., Proc. ACM IMWUT 4(2), 2020, section 5. */
struct PublishedQdmp
{
    std::string source;                         //!< where the figures come from
    std::vector<PublishedQdmpNetwork> networks; //!< in the order of table 5
    std::vector<PublishedQdmpModel> models;     //!< in the order of table 2
};

/**
 * Reads the tables and checks all of them: doc/reference/formats.rst does not cover this file, whose keys say
 * what they are.
 *
 * @param path such as traces/published/qdmp-tables.json
 * @return the tables
 * @throws InputError for a file that is unreadable or malformed, or whose latencies and
 *         throughputs are not of the same networks and planners
 */
PublishedQdmp ReadPublishedQdmp(const std::string& path);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PUBLISHED_QDMP_H */
