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

/** Figures by network or device, then by planner. */
using FiguresByPlanner = std::map<std::string, std::map<std::string, double>>;

/** What the QDMP paper says of one model. */
struct PublishedQdmpModel
{
    std::string name;                               //!< as the paper names it
    std::string file;                               //!< the stem of its file in traces/models
    uint32_t layers;                                //!< as the paper counts them
    FiguresByPlanner latencySeconds;                //!< table 2, by network, > 0
    FiguresByPlanner framesPerSecond;               //!< table 3, by network, > 0
    FiguresByPlanner decisionSeconds;               //!< tables 1 and 4, by device, > 0
    std::map<std::string, double> mebibitsPerFrame; //!< table 6, by network, of qdmp, 2^20 bit
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
 * Reads the tables (doc/formats.rst does not cover this file, its keys are those of the structs).
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
