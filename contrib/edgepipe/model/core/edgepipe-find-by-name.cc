/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-find-by-name.h"

#include <boost/core/demangle.hpp>

namespace ns3::edgepipe
{

std::string
GetClassName(const std::type_info& type)
{
    const std::string unnamed = "(anonymous namespace)::";
    std::string name = boost::core::demangle(type.name());
    const std::size_t at = name.find(unnamed);
    return at == std::string::npos ? name : name.erase(at, unnamed.size());
}

} // namespace ns3::edgepipe
