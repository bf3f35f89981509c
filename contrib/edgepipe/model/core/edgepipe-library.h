/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LIBRARY_H
#define EDGEPIPE_LIBRARY_H

#include <string>

namespace ns3::edgepipe
{

/**
 * Open a library for the rest of the program, so that the strategies in it, such as planners,
 * register their TypeIds and FindByName finds them.
 *
 * @param what the option that names it, for the message, such as "--library"
 * @param path of a shared library, as dlopen takes it
 * @throws InputError if it cannot be opened
 */
void OpenLibrary(const std::string& what, const std::string& path);

/** @return the folder of the module's library, to find files installed with it */
std::string GetLibraryFolder();

/** @return the version of edgepipe, as run.json records it */
std::string GetEdgepipeVersion();

/** @return the version of ns-3 that edgepipe was built with, "unknown" if the build did not say */
std::string GetNs3Version();

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LIBRARY_H */
