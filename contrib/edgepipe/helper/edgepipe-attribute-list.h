/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ATTRIBUTE_LIST_H
#define EDGEPIPE_ATTRIBUTE_LIST_H

#include "ns3/attribute.h"
#include "ns3/object-base.h"
#include "ns3/ptr.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** Attributes for objects that are made later. */
class AttributeList
{
  public:
    /**
     * @param name of an attribute
     * @param value its value
     */
    void Add(const std::string& name, const AttributeValue& value);

    /**
     * @param object gets the attributes, in the order in which they were added
     * @throws InputError if it has none of a name, or one that takes no such value
     */
    void Apply(ObjectBase& object) const;

  private:
    std::vector<std::pair<std::string, Ptr<AttributeValue>>> m_attributes; //!< names and values
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ATTRIBUTE_LIST_H */
