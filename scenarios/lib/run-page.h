/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RUN_PAGE_H
#define RUN_PAGE_H

#include "lib/scenario-options.h"

#include "ns3/edgepipe-results-folder.h"

namespace ns3::edgepipe
{

/** Lines that the page of a run draws. */
struct RunCurves
{
    std::string file{};            //!< of the run, CSV; empty: none are drawn
    std::string over{};            //!< its column along the horizontal axis
    std::vector<std::string> of{}; //!< columns to choose from, the first at first
    std::vector<std::string> by{}; //!< columns that tell a line from the others
    std::string expected{};        //!< column drawn beside the first one, dashed; empty: none
};

/**
 * @param options of a run
 * @param without options that change nothing of what is done again
 * @return the command that does it again, for a shell
 */
std::string FormatCommand(const ScenarioOptions& options, const std::vector<std::string>& without);

/**
 * The page of one run, `report.html`: a file of HTML, SVG and script that needs nothing else and
 * opens in a browser. It has lines, if asked for, the table of results.csv, or of the first CSV
 * there is, a drawing of any of its columns, the timeline, where layer costs come from, and the
 * command that does the run again; nothing of wall-clock time, so that equal runs have equal pages.
 *
 * @param options of the run
 * @param folder with its files, results.csv, run.json and timeline.json among them where it has
 * them
 * @param curves to draw
 * @param notes paragraphs below the table
 * @param stalls when cases stalled, s, by name
 * @return the page
 */
std::string FormatRunPage(const ScenarioOptions& options,
                          const ResultsFolder& folder,
                          const RunCurves& curves,
                          const std::vector<std::string>& notes,
                          const std::map<std::string, double>& stalls);

} // namespace ns3::edgepipe

#endif /* RUN_PAGE_H */
