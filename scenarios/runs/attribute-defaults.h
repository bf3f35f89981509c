/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ATTRIBUTE_DEFAULTS_H
#define EDGEPIPE_ATTRIBUTE_DEFAULTS_H

#include "ns3/abort.h"
#include "ns3/config.h"
#include "ns3/type-id.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Defaults of ns-3 attributes for objects made while this object lives; its destructor restores
 * the earlier ones, so that one simulation does not change the next.
 */
class AttributeDefaults
{
  public:
    AttributeDefaults() = default;

    ~AttributeDefaults()
    {
        for (auto i = m_before.rbegin(); i != m_before.rend(); ++i)
        {
            Config::SetDefault(PREFIX + i->first, *i->second);
        }
    }

    AttributeDefaults(const AttributeDefaults&) = delete;
    AttributeDefaults& operator=(const AttributeDefaults&) = delete;

    /**
     * @param name of an attribute of edgepipe, such as DataParallelWorker::Iterations
     * @param value its new default
     */
    void Set(const std::string& name, const AttributeValue& value)
    {
        m_before.emplace_back(name, Find(name).initialValue);
        Config::SetDefault(PREFIX + name, value);
    }

    /**
     * @param name of an attribute of edgepipe, such as DataParallelWorker::Iterations
     * @return its type, range, help and current default
     */
    static TypeId::AttributeInformation Find(const std::string& name)
    {
        const auto colons = name.rfind("::");
        const TypeId type = TypeId::LookupByName(PREFIX + name.substr(0, colons));
        TypeId::AttributeInformation found;
        NS_ABORT_MSG_UNLESS(type.LookupAttributeByName(name.substr(colons + 2), &found),
                            "no attribute " << name);
        return found;
    }

  private:
    inline static const std::string PREFIX = "ns3::edgepipe::"; //!< of all our types

    std::vector<std::pair<std::string, Ptr<const AttributeValue>>> m_before; //!< earlier defaults
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ATTRIBUTE_DEFAULTS_H */
