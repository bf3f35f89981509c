/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-library-folder.h"

#include <dlfcn.h>
#include <filesystem>

namespace ns3
{
namespace edgepipe
{

std::string
GetLibraryFolder()
{
    Dl_info self{};
    dladdr(reinterpret_cast<void*>(&GetLibraryFolder), &self);
    return std::filesystem::path(self.dli_fname ? self.dli_fname : "").parent_path();
}

} // namespace edgepipe
} // namespace ns3
