/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_SERVE_CASES_H
#define EDGEPIPE_SERVE_CASES_H

#include <cstddef>
#include <functional>

namespace ns3::edgepipe
{

/**
 * Run the cases of a campaign in copies of this process, which spares each the start of a program.
 * Each line of standard input is a case in JSON: `words`, its arguments; `folder`, into which its
 * stdout, stderr, usage (seconds, and kB of memory at most), attempts and, last, its status are
 * written; `seconds`, after which it is killed with status 124, 0: never; `retries`, further
 * attempts of a case that fails. At the end of the input, what was begun is finished.
 *
 * @param name of the program
 * @param most cases that run at once
 * @param run what a case does with its arguments
 * @return the exit status
 */
int ServeCases(const char* name,
               std::size_t most,
               const std::function<int(int argc, char* argv[])>& run);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_SERVE_CASES_H */
