/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RUN_PAGE_H
#define RUN_PAGE_H

#include "lib/scenario-options.h"

#include "ns3/edgepipe-results-folder.h"

namespace ns3::edgepipe
{

/** Curves on the page of a run. */
struct RunCurves
{
    std::string file{};            //!< of the run, CSV; empty: none are drawn
    std::string over{};            //!< its column along the horizontal axis
    std::vector<std::string> of{}; //!< columns to choose from, initially the first
    std::vector<std::string> by{}; //!< columns that identify a curve
    std::string expected{};        //!< column drawn beside the first one, dashed; empty: none
};

/**
 * @param options of a run
 * @param without options that do not affect the results, to leave out
 * @return the shell command that repeats the run
 */
std::string FormatCommand(const ScenarioOptions& options, const std::vector<std::string>& without);

/**
 * The page of one run, `report.html`: a self-contained file of HTML, SVG and script for a browser.
 * It has curves, if any; the table of results.csv or else of the first CSV file; a drawing of any
 * of its columns; the timeline; the sources of layer costs; and the command that repeats the run.
 * It has no wall-clock times, so equal runs have equal pages.
 *
 * @param options of the run
 * @param folder with its files, such as results.csv, run.json and timeline.json
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
