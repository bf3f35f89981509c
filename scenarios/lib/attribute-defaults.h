/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ATTRIBUTE_DEFAULTS_H
#define EDGEPIPE_ATTRIBUTE_DEFAULTS_H

#include "ns3/type-id.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Defaults of ns-3 attributes that hold for objects made while this object lives; the earlier ones
 * return with its end, so that one simulation does not change the next.
 */
class AttributeDefaults
{
  public:
    AttributeDefaults() = default;
    ~AttributeDefaults();
    AttributeDefaults(const AttributeDefaults&) = delete;
    AttributeDefaults& operator=(const AttributeDefaults&) = delete;

    /**
     * @param name of an attribute of edgepipe, such as DataParallelWorker::Iterations
     * @param value default that it gets
     */
    void Set(const std::string& name, const AttributeValue& value);

    /**
     * @param name of an attribute of edgepipe, such as DataParallelWorker::Iterations
     * @return its type, range, help and present default
     */
    static TypeId::AttributeInformation Find(const std::string& name);

  private:
    std::vector<std::pair<std::string, Ptr<const AttributeValue>>> m_before; //!< earlier defaults
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ATTRIBUTE_DEFAULTS_H */
