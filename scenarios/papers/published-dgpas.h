/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PUBLISHED_DGPAS_H
#define EDGEPIPE_PUBLISHED_DGPAS_H

#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** A model of the DGPAS paper. */
struct PublishedDgpasModel
{
    std::string name; //!< as the paper names it
    std::string file; //!< the stem of its file in traces/models
};

/** A row of the DGPAS paper's table 3. */
struct PublishedDgpasMethod
{
    std::string name; //!< as the paper names it
    std::string kind; //!< dgpas (the paper's planner), planner (another), or execution (what is
                      //!< compared with assistance on)
    std::vector<double> seconds; //!< training time by model, > 0
};

/** What the DGPAS paper measured: J. Li et al., Computer Networks 271, 2025, section 5. */
struct PublishedDgpas
{
    std::string source;                        //!< where the figures come from
    std::vector<PublishedDgpasModel> models;   //!< in the order of table 3
    std::vector<PublishedDgpasMethod> methods; //!< in the order of table 3
};

/**
 * Reads the paper's figures (doc/reference/formats.rst does not cover this file, its keys are those of the
 * structs).
 *
 * @param path such as traces/published/dgpas.json
 * @return the figures
 * @throws InputError for a file that is unreadable or malformed, or a method that has not one
 *         figure per model
 */
PublishedDgpas ReadPublishedDgpas(const std::string& path);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PUBLISHED_DGPAS_H */
