/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-library.h"

#include "edgepipe-input-error.h"

#include <dlfcn.h>
#include <filesystem>

namespace ns3::edgepipe
{

void
OpenLibrary(const std::string& what, const std::string& path)
{
    // dlopen looks for a name without a slash in system folders only.
    std::error_code ignored;
    const bool isHere = std::filesystem::is_regular_file(path, ignored);
    const std::string found = isHere ? std::filesystem::absolute(path).string() : path;
    if (!dlopen(found.c_str(), RTLD_NOW | RTLD_GLOBAL))
    {
        throw InputError(what,
                         "\"" + path + "\" (" + dlerror() + ")",
                         "a shared library built against this edgepipe");
    }
}

std::string
GetLibraryFolder()
{
    Dl_info self{};
    dladdr(reinterpret_cast<void*>(&GetLibraryFolder), &self);
    return std::filesystem::path(self.dli_fname ? self.dli_fname : "").parent_path();
}

std::string
GetEdgepipeVersion()
{
    return EDGEPIPE_VERSION;
}

std::string
GetNs3Version()
{
    return EDGEPIPE_NS3_VERSION;
}

} // namespace ns3::edgepipe
