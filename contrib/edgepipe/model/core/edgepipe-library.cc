/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-library.h"

#include "edgepipe-input-error.h"

#include <dlfcn.h>

namespace ns3
{
namespace edgepipe
{

void
OpenLibrary(const std::string& what, const std::string& path)
{
    if (!dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL))
    {
        throw InputError(what,
                         "\"" + path + "\" (" + dlerror() + ")",
                         "a shared library built against this edgepipe");
    }
}

} // namespace edgepipe
} // namespace ns3
