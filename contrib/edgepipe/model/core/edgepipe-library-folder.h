/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LIBRARY_FOLDER_H
#define EDGEPIPE_LIBRARY_FOLDER_H

#include <string>

namespace ns3
{
namespace edgepipe
{

/** @return the folder that holds the module's library, from which it finds what lies beside it */
std::string GetLibraryFolder();

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_LIBRARY_FOLDER_H */
