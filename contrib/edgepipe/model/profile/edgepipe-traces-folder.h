/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TRACES_FOLDER_H
#define EDGEPIPE_TRACES_FOLDER_H

#include <string>

namespace ns3::edgepipe
{

/**
 * @return the folder of models, profiles, devices, clusters and links: $EDGEPIPE_TRACES, if set;
 *         else traces in the working directory, if it has models or none is installed; else the
 *         one installed with the module
 */
std::string GetTracesFolder();

/**
 * @param what the option, for the message, such as "--model"
 * @param name path of a file, or the name of one in the traces folder, such as "alexnet"
 * @param folder of such files in the traces folder, such as "models"; its subfolders, such as
 *        "models/transformers", are searched too
 * @param traces the traces folder
 * @return the path of the file
 * @throws InputError listing the known names, if there is no such file
 */
std::string FindTracesFile(const std::string& what,
                           const std::string& name,
                           const std::string& folder,
                           const std::string& traces = GetTracesFolder());

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TRACES_FOLDER_H */
