/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-attribute-list.h"

#include "ns3/edgepipe-input-error.h"

namespace ns3
{
namespace edgepipe
{

void
AttributeList::Add(const std::string& name, const AttributeValue& value)
{
    m_attributes.emplace_back(name, value.Copy());
}

void
AttributeList::Apply(ObjectBase& object) const
{
    for (const auto& [name, value] : m_attributes)
    {
        if (!object.SetAttributeFailSafe(name, *value))
        {
            throw InputError("attribute: found no \"" + name + "\" of " +
                             object.GetInstanceTypeId().GetName() +
                             " that takes such a value, expected one that it has");
        }
    }
}

} // namespace edgepipe
} // namespace ns3
