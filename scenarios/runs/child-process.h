/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_CHILD_PROCESS_H
#define EDGEPIPE_CHILD_PROCESS_H

#include <cstdint>
#include <functional>
#include <string>

namespace ns3
{
namespace edgepipe
{

/** What work in a child process brought back. */
struct ChildReport
{
    std::string text;            //!< what the work returned
    uint64_t peakMemoryBytes{0}; //!< the most resident memory of the process, the program included
};

/**
 * Do work in a child process: it begins with this process's memory, and its peak is its own,
 * whatever was done before.
 *
 * @param work returns what is to be brought back; may be called by several threads at once, of a
 *        process whose threads do nothing else
 * @return what it brought back
 * @throws InputError if the work throws one, or the child is killed or cannot be started
 */
ChildReport RunInChild(const std::function<std::string()>& work);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_CHILD_PROCESS_H */
