/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_GUARDIAN_H
#define EDGEPIPE_GUARDIAN_H

#include <sys/types.h>
#include <vector>

namespace ns3::edgepipe
{

/**
 * Become the guardian of a program; never returns.
 *
 * @param words of the command, then a null pointer
 * @param streams the program's standard input, output and error
 * @param started pipe for errno if it cannot be run
 * @param report pipe for its exit status, as of waitpid
 * @param parent the process that has started this one
 */
[[noreturn]] void BeGuardian(const std::vector<char*>& words,
                             const int (&streams)[3],
                             int started,
                             int report,
                             pid_t parent);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_GUARDIAN_H */
