/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/attribute-defaults.h"

#include "ns3/abort.h"
#include "ns3/config.h"

namespace ns3::edgepipe
{

namespace
{

/// Of all our types.
const std::string PREFIX = "ns3::edgepipe::";

} // namespace

AttributeDefaults::~AttributeDefaults()
{
    for (auto i = m_before.rbegin(); i != m_before.rend(); ++i)
    {
        Config::SetDefault(PREFIX + i->first, *i->second);
    }
}

void
AttributeDefaults::Set(const std::string& name, const AttributeValue& value)
{
    m_before.emplace_back(name, Find(name).initialValue);
    Config::SetDefault(PREFIX + name, value);
}

TypeId::AttributeInformation
AttributeDefaults::Find(const std::string& name)
{
    const auto colons = name.rfind("::");
    const TypeId type = TypeId::LookupByName(PREFIX + name.substr(0, colons));
    for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
    {
        if (type.GetAttribute(i).name == name.substr(colons + 2))
        {
            return type.GetAttribute(i);
        }
    }
    NS_ABORT_MSG("no attribute " << name);
}

} // namespace ns3::edgepipe
